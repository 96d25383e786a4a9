// SPDX-License-Identifier: Apache-2.0
/*
 * Both sources must give the same frames. In: Go executables with DWARF, from
 * the environment (GOTAP_TEST_BINARIES, separated by spaces). Every return
 * address of a direct call in their text is expanded by libdw and by pclntab.
 * What the table says is what the runtime prints, so it is the truth here.
 */
#include "symbol/symbol.h"

#include <stdlib.h>

#include "symbol/elf_image.h"
#include "symbol/pclntab.h"
#include "unit.h"

enum { MAX_FRAMES = 128, SHOWN = 10 };

struct pair {
	struct symbolizer *dwarf, *table;
	size_t pcs, differ;
};

static void show(const char *source, const struct frame *f, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		printf("#   %s: %s %s:%u\n", source, f[i].func, f[i].file, f[i].line);
}

static bool frames_equal(const struct frame *a, size_t na, const struct frame *b, size_t nb)
{
	size_t i;

	if (na != nb)
		return false;
	for (i = 0; i < na; i++) {
		if (strcmp(a[i].func, b[i].func) || strcmp(a[i].file, b[i].file) ||
		    a[i].line != b[i].line)
			return false;
	}
	return true;
}

static void compare_pc(struct pair *p, uint64_t pc)
{
	struct frame a[MAX_FRAMES], b[MAX_FRAMES];
	size_t na = symbolizer_stack(p->dwarf, &pc, 1, 0, a, MAX_FRAMES);
	size_t nb = symbolizer_stack(p->table, &pc, 1, 0, b, MAX_FRAMES);

	p->pcs++;
	if (frames_equal(a, na, b, nb))
		return;
	if (p->differ++ >= SHOWN)
		return;
	printf("# %llx:\n", (unsigned long long)pc);
	show("dwarf", a, na);
	show("pclntab", b, nb);
}

/* e8 rel32 whose target is where a function begins: a call, for all that matters. */
static bool is_call(const struct pclntab *t, const uint8_t *p, uint64_t addr)
{
	struct pclntab_func f;
	int32_t rel;

	if (*p != 0xe8)
		return false;
	memcpy(&rel, p + 1, sizeof(rel));
	return pclntab_func_at(t, addr + 5 + (uint64_t)(int64_t)rel, &f) &&
	       f.entry == addr + 5 + (uint64_t)(int64_t)rel;
}

static void compare_calls(struct pair *p, const struct pclntab *t, const char *path)
{
	struct elf_image img;
	struct elf_range r;
	uint64_t start, end, off;

	CHECK_EQ(elf_image_open(&img, path, NULL), 0);
	pclntab_text_range(t, &start, &end);
	r = elf_image_from(&img, start);
	for (off = 0; off + 5 < end - start && off + 5 < r.size; off++) {
		if (is_call(t, r.data + off, start + off))
			compare_pc(p, start + off + 5);
	}
	elf_image_close(&img);
}

static void compare_entries(struct pair *p, const struct pclntab *t)
{
	struct pclntab_func f;
	struct frame a, b;
	size_t i;

	for (i = 0; i < pclntab_funcs(t); i++) {
		if (!pclntab_func(t, i, &f))
			continue;
		symbolizer_entry(p->dwarf, f.entry, &a);
		symbolizer_entry(p->table, f.entry, &b);
		/* marks of the linker between functions (go:textfipsstart) have no line */
		if (b.line && !frames_equal(&a, 1, &b, 1) && p->differ++ < SHOWN) {
			printf("# entry %s:\n", f.name);
			show("dwarf", &a, 1);
			show("pclntab", &b, 1);
		}
	}
}

static void compare_binary(const char *path)
{
	struct pair p = { 0 };
	struct pclntab *t = NULL;
	struct error err = { 0 };

	if (symbolizer_new(&p.dwarf, path, 0, SYMBOL_DWARF, &err) ||
	    symbolizer_new(&p.table, path, 0, SYMBOL_PCLNTAB, &err) ||
	    pclntab_open(&t, path, &err)) {
		printf("# %s: %s\n", path, err.text);
		unit_failures++;
	} else {
		compare_calls(&p, t, path);
		compare_entries(&p, t);
		printf("# %s: %zu calls and %zu functions, %zu differences\n", path, p.pcs,
		       pclntab_funcs(t), p.differ);
		CHECK(p.pcs > 1000);
		CHECK_EQ(p.differ, 0);
	}
	pclntab_free(t);
	symbolizer_free(p.dwarf);
	symbolizer_free(p.table);
}

static void sources_agree(void)
{
	char *list = strdup(getenv("GOTAP_TEST_BINARIES")), *save, *path;

	for (path = strtok_r(list, " ", &save); path; path = strtok_r(NULL, " ", &save))
		compare_binary(path);
	free(list);
}

int main(void)
{
	if (!getenv("GOTAP_TEST_BINARIES")) {
		printf("ok 1 - sources_agree # skip no GOTAP_TEST_BINARIES\n1..1\n");
		return 0;
	}
	return unit_main((struct unit_case[]){ UNIT(sources_agree), { 0 } });
}
