// SPDX-License-Identifier: Apache-2.0
/*
 * Frames against the runtime's own. In: executables of symbol_prog, from the
 * environment (GOTAP_TEST_FRAMES, separated by spaces). Each is run, prints
 * addresses and what runtime.CallersFrames makes of them, and both sources
 * must say the same.
 */
#include "symbol/symbol.h"

#include <inttypes.h>
#include <stdlib.h>

#include "symbol/pclntab.h"
#include "unit.h"

enum { MAX_PCS = 64, MAX_FRAMES = 128 };

struct told {
	uint64_t pc;
	unsigned int line;
	char func[512], file[512];
};

/* One stack as the program printed it. */
struct story {
	uint64_t pcs[MAX_PCS];
	size_t npcs;
	struct told frames[MAX_FRAMES];
	size_t nframes;
};

static bool same(const struct frame *f, const struct told *t)
{
	return !strcmp(f->func, t->func) && !strcmp(f->file, t->file) && f->line == t->line;
}

/*
 * runtime.Callers gives logical addresses: of an inlined call each frame has
 * one, the innermost being the return address. Expanding that must give as
 * many frames as the program shows, and then the next return address follows.
 * Wrappers are not in the list, except those that panic: these expand to a
 * frame only when they follow what they called.
 */
static size_t expand_at(struct symbolizer *s, const struct story *st, size_t at, size_t before,
			struct frame *out)
{
	uint64_t pcs[2] = { at ? st->pcs[before] : 0, st->pcs[at] };
	size_t n = symbolizer_stack(s, &pcs[1], 1, 0, out, MAX_FRAMES), skip;

	if (n || !at)
		return n;
	skip = symbolizer_stack(s, pcs, 1, 0, out, MAX_FRAMES);
	return symbolizer_stack(s, pcs, 2, (unsigned int)skip, out, MAX_FRAMES);
}

static void check_story(struct symbolizer *s, const struct story *st)
{
	struct frame out[MAX_FRAMES];
	size_t at = 0, before = 0, i, n;

	CHECK_EQ(st->npcs, st->nframes);
	while (at < st->nframes) {
		n = expand_at(s, st, at, before, out);
		for (i = 0; i < n && at + i < st->nframes; i++) {
			if (same(&out[i], &st->frames[at + i]))
				continue;
			printf("# %s: %" PRIx64 ": %s %s:%u, the runtime says %s %s:%u\n",
			       symbolizer_source(s), st->pcs[at], out[i].func, out[i].file,
			       out[i].line, st->frames[at + i].func,
			       st->frames[at + i].file, st->frames[at + i].line);
			unit_failures++;
		}
		if (!n) {
			printf("# no frame at %" PRIx64 "\n", st->pcs[at]);
			unit_failures++;
			return;
		}
		before = at;
		at += n;
	}
}

static void read_stack(struct story *st, char *line)
{
	char *save, *word = strtok_r(line, " \n", &save);

	*st = (struct story){ .npcs = 0 };
	while ((word = strtok_r(NULL, " \n", &save)) && st->npcs < MAX_PCS)
		st->pcs[st->npcs++] = strtoull(word, NULL, 16);
}

static void read_frame(struct story *st, const char *line)
{
	struct told *t = &st->frames[st->nframes];

	if (st->nframes < MAX_FRAMES &&
	    sscanf(line, "frame %" SCNx64 " %u %511s %511[^\n]", &t->pc, &t->line, t->func,
		   t->file) == 4)
		st->nframes++;
}

static uint64_t bias_of(const char *path, uint64_t here)
{
	struct pclntab *t;
	struct pclntab_func f = { .entry = here };

	if (pclntab_open(&t, path, NULL) == 0) {
		CHECK(pclntab_func_named(t, "main.here", &f));
		pclntab_free(t);
	}
	return here - f.entry;
}

static struct symbolizer *open_at(const char *path, const char *line, enum symbol_source source)
{
	struct symbolizer *s = NULL;
	struct error err = { .text = "" };
	uint64_t here;

	CHECK(sscanf(line, "at %" SCNx64, &here) == 1);
	if (symbolizer_open(&s, &(struct symbol_file){ path, NULL, bias_of(path, here),
			    dwarf_isolated_new, NULL }, source, &err)) {
		printf("# %s: %s\n", path, err.text);
		unit_failures++;
	}
	return s;
}

static void compare_program(const char *path, enum symbol_source source)
{
	FILE *f = popen(path, "r");
	struct symbolizer *s = NULL;
	struct story st = { .npcs = 0 };
	size_t n = 0;
	char line[4096];

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "at ", 3)) {
			s = open_at(path, line, source);
			if (!s)
				break;
		} else if (!strncmp(line, "frame ", 6)) {
			read_frame(&st, line);
		} else if (s && !strncmp(line, "stack ", 6)) {
			check_story(s, &st);
			read_stack(&st, line);
			n++;
		}
	}
	if (s)
		check_story(s, &st);
	CHECK(n > 20);
	if (f)
		pclose(f);
	symbolizer_free(s);
}

/* Stripped; or of 1.19 and before, where DWARF is known to lack calls (symbolizer.c). */
static bool has_good_dwarf(const char *path)
{
	struct symbolizer *s;
	struct pclntab *t;
	bool good;

	if (symbolizer_open(&s, &(struct symbol_file){ path, NULL, 0, dwarf_isolated_new, NULL },
			    SYMBOL_DWARF, NULL))
		return false;
	symbolizer_free(s);
	if (pclntab_open(&t, path, NULL))
		return false;
	good = pclntab_format(t) >= 20;
	pclntab_free(t);
	return good;
}

static void compare_all(enum symbol_source source)
{
	char *list = strdup(getenv("GOTAP_TEST_FRAMES")), *save, *path;

	for (path = strtok_r(list, " ", &save); path; path = strtok_r(NULL, " ", &save)) {
		int before = unit_failures;

		if (source == SYMBOL_DWARF && !has_good_dwarf(path))
			continue;
		compare_program(path, source);
		if (unit_failures > before)
			printf("# in %s\n", path);
	}
	free(list);
}

static void pclntab_equals_runtime(void)
{
	compare_all(SYMBOL_PCLNTAB);
}

static void dwarf_equals_runtime(void)
{
	compare_all(SYMBOL_DWARF);
}

int main(void)
{
	if (!getenv("GOTAP_TEST_FRAMES")) {
		printf("ok 1 - pclntab_equals_runtime # skip no GOTAP_TEST_FRAMES\n"
		       "ok 2 - dwarf_equals_runtime # skip no GOTAP_TEST_FRAMES\n1..2\n");
		return 0;
	}
	return unit_main((struct unit_case[]){ UNIT(pclntab_equals_runtime),
					       UNIT(dwarf_equals_runtime), { 0 } });
}
