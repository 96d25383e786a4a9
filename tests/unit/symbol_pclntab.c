// SPDX-License-Identifier: Apache-2.0
/*
 * The function table against the ELF symbols, which the linker writes apart
 * from it. In: Go executables (GOTAP_TEST_BINARIES, separated by spaces); of
 * stripped ones only the table itself is looked at.
 */
#include "symbol/pclntab.h"

#include <stdlib.h>

#include "symbol/elf_image.h"
#include "unit.h"

struct symbols {
	struct elf_range table, names;
	size_t n;
};

static Elf64_Sym symbol_at(const struct symbols *s, size_t i)
{
	Elf64_Sym sym;

	memcpy(&sym, s->table.data + i * sizeof(sym), sizeof(sym));
	return sym;
}

static const char *symbol_name(const struct symbols *s, const Elf64_Sym *sym)
{
	return (const char *)s->names.data + sym->st_name;
}

/* External linking marks ABI0 bodies; the table has the bare name. */
static size_t bare_length(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && !strcmp(name + n - 5, ".abi0") ? n - 5 : n;
}

static void check_symbol(struct pclntab *t, const char *name, uint64_t addr)
{
	struct pclntab_func f;

	CHECK(pclntab_func_at(t, addr, &f));
	CHECK_EQ(f.entry, addr);
	if (strlen(f.name) == bare_length(name) && !strncmp(f.name, name, strlen(f.name)))
		return;
	/*
	 * Until 1.20 the table has type arguments shortened already; and a
	 * middle dot, as in untracedG·6, is a plain one in ELF.
	 */
	if (strchr(f.name, '[') || strstr(f.name, "\u00b7"))
		return;
	printf("# symbol %s, table %s\n", name, f.name);
	unit_failures++;
}

static void check_symbols(struct pclntab *t, const struct elf_file *img)
{
	struct symbols s;
	uint64_t start, end;
	size_t i, checked = 0;

	if (!elf_image_symbols(img, SHT_SYMTAB, &s.table, &s.names))
		return;
	pclntab_text_range(t, &start, &end);
	for (i = 0; i < s.table.size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym sym = symbol_at(&s, i);
		const char *name = symbol_name(&s, &sym);

		/* runtime.text and etext are marks, x_cgo_ and the like are C */
		if (ELF64_ST_TYPE(sym.st_info) != STT_FUNC || !sym.st_size ||
		    sym.st_value < start || sym.st_value >= end || !strchr(name, '.') ||
		    !strcmp(name, "runtime.text") || !strcmp(name, "runtime.etext"))
			continue;
		check_symbol(t, name, sym.st_value);
		checked++;
	}
	CHECK(checked > 500);
}

static void check_named(struct pclntab *t, const char *name)
{
	struct pclntab_func f, at;

	if (!pclntab_func_named(t, name, &f)) {
		printf("# no %s\n", name);
		unit_failures++;
		return;
	}
	CHECK_STR(f.name, name);
	CHECK(pclntab_func_at(t, f.end - 1, &at) && at.entry == f.entry);
	CHECK(pclntab_func(t, f.index, &at) && at.entry == f.entry);
}

/* Both ABIs of these exist; the wrapper is never the one that is meant. */
static void check_not_wrapper(struct pclntab *t, const char *name)
{
	struct pclntab_func f;

	check_named(t, name);
	if (pclntab_func_named(t, name, &f))
		CHECK_EQ(f.kind, FUNC_NORMAL);
}

static void check_order(struct pclntab *t)
{
	struct pclntab_func f, before = { .end = 0 };
	size_t i;

	for (i = 0; i < pclntab_funcs(t); i++) {
		if (!pclntab_func(t, i, &f))
			continue;
		CHECK(f.entry >= before.end);
		before = f;
	}
}

/* A call at the function's end leaves SP as low as it was at the frame's setup. */
static void check_sp(struct pclntab *t)
{
	struct pclntab_func f;

	if (!pclntab_func_named(t, "runtime.casgstatus", &f))
		return;
	CHECK_EQ(pclntab_sp_delta(t, &f, f.entry), 0);
	CHECK(pclntab_sp_delta(t, &f, f.entry + (f.end - f.entry) / 2) > 0);
	CHECK(pclntab_sp_delta(t, &f, f.entry - 1) == -1);
}

/* runtime.lock is a shell around lockWithRank in every build that inlines. */
static void check_inlines(struct pclntab *t)
{
	struct pclntab_func f;
	size_t i, n = 0;

	for (i = 0; i < pclntab_funcs(t); i++)
		n += pclntab_func(t, i, &f) && pclntab_inlines(t, &f, "runtime.lockWithRank");
	CHECK(n > 10);
	for (i = 0; i < pclntab_funcs(t); i++)
		n += pclntab_func(t, i, &f) && pclntab_inlines(t, &f, "no such function");
	CHECK(n > 10 && n < pclntab_funcs(t));
}

/* A go statement with arguments starts a wrapper; a trace names what it wraps. */
static void check_unwrap(struct pclntab *t)
{
	struct pclntab_func f, inside;

	if (!pclntab_func_named(t, "main.goroutines.gowrap1", &f))
		return;
	CHECK_EQ(f.kind, FUNC_WRAPPER);
	CHECK(pclntab_func_at(t, pclntab_unwrap(t, f.entry), &inside));
	CHECK_EQ(inside.entry, pclntab_unwrap(t, f.entry));
	CHECK(inside.entry != f.entry && inside.kind == FUNC_NORMAL);
}

static void check_outside(struct pclntab *t)
{
	struct source_frame out[SOURCE_MAX_INLINE];
	struct pclntab_func f;
	uint64_t start, end;

	pclntab_text_range(t, &start, &end);
	CHECK(!pclntab_func_at(t, start - 1, &f));
	CHECK(!pclntab_func_at(t, end, &f));
	CHECK(!pclntab_func(t, pclntab_funcs(t), &f));
	CHECK(!pclntab_func_named(t, "no such function", &f));
	CHECK_EQ(pclntab_expand(t, start - 1, out), 0);
	CHECK_EQ(pclntab_expand(t, end, out), 0);
	CHECK_EQ(pclntab_expand(t, 0, out), 0);
	CHECK_EQ(pclntab_unwrap(t, 1), 1);
}

static void check_table(struct pclntab *t, const struct elf_file *img, const char *path)
{
	CHECK(pclntab_funcs(t) > 1000);
	check_order(t);
	check_symbols(t, img);
	check_named(t, "runtime.casgstatus");
	check_named(t, "runtime.execute");
	check_named(t, "runtime.(*mheap).allocSpan");
	check_not_wrapper(t, "runtime.newproc");
	check_not_wrapper(t, "runtime.mcall");
	check_not_wrapper(t, "runtime.asmcgocall");
	check_sp(t);
	/* with -N -l nothing is inlined, and wrappers do not say what they wrap */
	if (!strstr(path, "noopt")) {
		check_inlines(t);
		check_unwrap(t);
	}
	check_outside(t);
}

static void tables_match_symbols(void)
{
	char *list = strdup(getenv("GOTAP_TEST_BINARIES")), *save, *path;

	for (path = strtok_r(list, " ", &save); path; path = strtok_r(NULL, " ", &save)) {
		int before = unit_failures;
		struct elf_file img;
		struct pclntab *t = NULL;
		struct error err = { .text = "" };

		CHECK_EQ(elf_file_open(&img, path, &err), 0);
		CHECK_EQ(pclntab_open(&t, path, &err), 0);
		if (t)
			check_table(t, &img, path);
		if (unit_failures > before)
			printf("# %s: %s\n", path, err.text);
		elf_file_close(&img);
		pclntab_free(t);
	}
	free(list);
}

int main(void)
{
	if (!getenv("GOTAP_TEST_BINARIES")) {
		printf("ok 1 - tables_match_symbols # skip no GOTAP_TEST_BINARIES\n1..1\n");
		return 0;
	}
	return unit_main((struct unit_case[]){ UNIT(tables_match_symbols), { 0 } });
}
