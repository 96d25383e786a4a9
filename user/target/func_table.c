// SPDX-License-Identifier: Apache-2.0
/* func_table: see func_table.h. */
#include "target/func_table.h"

#include <stdlib.h>
#include <string.h>

/*
 * Longer names share their bucket with names of the same beginning. This bounds the work on a
 * hostile file with all symbols pointing to one very long name.
 */
enum { HASHED_NAME = 256 };

static const struct gobin_func *funcs_at(const struct func_table *t, size_t i)
{
	return vec_at(&t->funcs, struct gobin_func, i);
}

void func_table_add(struct func_table *t, const char *name, uint64_t addr, uint64_t size)
{
	struct gobin_func *fn;

	if (!size || !*name || addr + size < addr || t->funcs.len >= UINT32_MAX)
		return;
	fn = vec_push(&t->funcs, sizeof(*fn));
	*fn = (struct gobin_func){ .name = name, .addr = addr, .size = size };
}

/* FNV-1a; the caller reduces it to the number of buckets. */
static uint32_t funcs_name_hash(const char *name)
{
	uint32_t h = 2166136261u;
	int i;

	for (i = 0; name[i] && i < HASHED_NAME; i++)
		h = (h ^ (uint8_t)name[i]) * 16777619u;
	return h ^ h >> 15;
}

static int compare_addr(const void *a, const void *b)
{
	const struct gobin_func *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_sorted(const struct func_table *t)
{
	size_t i;

	for (i = 1; i < t->funcs.len; i++) {
		if (funcs_at(t, i)->addr < funcs_at(t, i - 1)->addr)
			return false;
	}
	return true;
}

static void hash_names(struct func_table *t)
{
	size_t i, n = t->funcs.len;

	for (t->nheads = 16; t->nheads < n; t->nheads *= 2)
		;
	t->heads = xcalloc(t->nheads, sizeof(*t->heads));
	t->chain = xcalloc(n, sizeof(*t->chain));
	for (i = 0; i < n; i++) {
		uint32_t *head = &t->heads[funcs_name_hash(funcs_at(t, i)->name) & (t->nheads - 1)];

		t->chain[i] = *head;
		*head = (uint32_t)i + 1;
	}
}

void func_table_sort(struct func_table *t)
{
	if (!t->funcs.len)
		return;
	if (!is_sorted(t))
		vec_sort(&t->funcs, sizeof(struct gobin_func), compare_addr);
	hash_names(t);
}

void func_table_free(struct func_table *t)
{
	vec_free(&t->funcs);
	free(t->heads);
	free(t->chain);
	*t = (struct func_table){0};
}

const struct gobin_func *func_table_by_name(const struct func_table *t, const char *name)
{
	const struct gobin_func *best = NULL;
	uint32_t i;

	if (!t->nheads)
		return NULL;
	for (i = t->heads[funcs_name_hash(name) & (t->nheads - 1)]; i; i = t->chain[i - 1]) {
		const struct gobin_func *fn = funcs_at(t, i - 1);

		if (!strcmp(fn->name, name) && (!best || fn->size > best->size))
			best = fn;
	}
	return best;
}

/* Returns the number of functions that begin at or before @addr. */
static size_t count_up_to(const struct func_table *t, uint64_t addr)
{
	size_t low = 0, high = t->funcs.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (funcs_at(t, mid)->addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct gobin_func *func_table_by_addr(const struct func_table *t, uint64_t addr)
{
	size_t n = count_up_to(t, addr);
	const struct gobin_func *fn = n ? funcs_at(t, n - 1) : NULL;

	return fn && addr - fn->addr < fn->size ? fn : NULL;
}

size_t func_table_from_symbols(struct func_table *t, const struct elf_file *f)
{
	struct elf_symbols symbols;
	size_t i;

	if (!elf_symbols_of(f, &symbols))
		return 0;
	for (i = 0; i < symbols.n; i++) {
		Elf64_Sym s = elf_symbol(&symbols, i);
		const char *name = elf_string(&symbols.names, s.st_name);

		if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx != SHN_UNDEF)
			func_table_add(t, name, s.st_value, s.st_size);
	}
	func_table_sort(t);
	return t->funcs.len;
}
