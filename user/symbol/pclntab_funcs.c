// SPDX-License-Identifier: Apache-2.0
/*
 * pclntab_funcs: functions of a table by index, address and name, and which functions are inlined
 * into which. In: an open table. Out: struct pclntab_func.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/pclntab_table.h"
#include "symbol/pcvalue.h"

size_t pclntab_funcs(const struct pclntab *t)
{
	return t->nfuncs;
}

bool pclntab_func(const struct pclntab *t, size_t index, struct pclntab_func *ret)
{
	struct func_record f = pclntab_record(t, index);

	if (!f.data || f.end <= f.entry)
		return false;
	ret->index = (uint32_t)index;
	ret->entry = f.entry;
	ret->end = f.end;
	ret->name = pclntab_name(t, elf_u32(f.data + t->layout->name));
	ret->kind = pclntab_kind(t, f.data[t->layout->id], ret->name);
	return true;
}

uint64_t pclntab_name_address(const struct pclntab *t, const char *name)
{
	return t->addr + (uint64_t)((const uint8_t *)name - t->all.data);
}

bool pclntab_func_at(const struct pclntab *t, uint64_t addr, struct pclntab_func *ret)
{
	int64_t i = pclntab_last_func_at(t, addr);

	return i >= 0 && pclntab_func(t, (size_t)i, ret);
}

/* Bytes that are looked at: the names of a hostile file may have megabytes in common. */
enum { NAME_BYTES = 256 };

/* FNV-1a over the first bytes. */
static size_t hash_name(const char *name)
{
	uint64_t h = 0xcbf29ce484222325ULL;
	int i;

	for (i = 0; i < NAME_BYTES && name[i]; i++)
		h = (h ^ (uint8_t)name[i]) * 0x100000001b3ULL;
	return (size_t)(h ^ h >> 32);
}

static const char *func_name(const struct pclntab *t, size_t i)
{
	struct func_record f = pclntab_record(t, i);

	return f.data ? pclntab_name(t, elf_u32(f.data + t->layout->name)) : "";
}

/*
 * The name without the path of a folder `vendor`, which programs that are built without modules
 * (GOPATH) have in the names of packages: example.org/program/vendor/google.golang.org/grpc.
 */
static const char *funcs_bare_name(const char *name)
{
	static const char vendor[] = "/vendor/";
	const char *at = memmem(name, strnlen(name, NAME_BYTES), vendor, strlen(vendor));

	return at ? at + strlen(vendor) : name;
}

/*
 * Fills the buckets, each a chain, so that a hostile file of equal names takes no longer to index.
 */
static void index_names(struct pclntab *t)
{
	size_t i;

	for (t->nheads = 16; t->nheads < t->nfuncs; t->nheads *= 2)
		;
	t->heads = xcalloc(t->nheads, sizeof(*t->heads));
	t->chain = xcalloc(t->nfuncs, sizeof(*t->chain));
	for (i = 0; i < t->nfuncs; i++) {
		uint32_t *head = &t->heads[hash_name(funcs_bare_name(func_name(t, i))) &
					   (t->nheads - 1)];

		t->chain[i] = *head;
		*head = (uint32_t)i + 1;
	}
}

/* Both have the name @name, or have it without the path of a folder `vendor`. */
static bool better_of_name(const struct pclntab_func *a, const struct pclntab_func *b,
			   const char *name)
{
	bool exact = !strcmp(a->name, name);

	if (exact == !!strcmp(b->name, name))
		return exact;
	if ((a->kind == FUNC_WRAPPER) != (b->kind == FUNC_WRAPPER))
		return b->kind == FUNC_WRAPPER;
	return a->end - a->entry > b->end - b->entry;
}

bool pclntab_func_named(struct pclntab *t, const char *name, struct pclntab_func *ret)
{
	bool found = false;
	uint32_t i;

	if (!t->heads)
		index_names(t);
	i = t->heads[hash_name(funcs_bare_name(name)) & (t->nheads - 1)];
	for (; i; i = t->chain[i - 1]) {
		struct pclntab_func f;

		if (!pclntab_func(t, i - 1, &f) ||
		    (strcmp(f.name, name) && strcmp(funcs_bare_name(f.name), name)))
			continue;
		if (!found || better_of_name(&f, ret, name))
			*ret = f;
		found = true;
	}
	return found;
}

/*
 * Returns the index of the last entry of the inline tree. A parent comes before its children
 * (cmd/internal/obj/pcln.go, addInlTree), and the last entry has code of its own or children that
 * have: the highest index in the table is the last entry.
 */
static int32_t last_inlined(const struct pclntab *t, struct span index)
{
	struct pcvalue v = pcvalue_start(index.data, index.size, t->quantum);
	int32_t last = -1;

	while (pcvalue_next(&v))
		last = v.value > last ? v.value : last;
	return last;
}

void pclntab_each_inlined(const struct pclntab *t, const struct pclntab_func *f,
			  bool (*take)(void *ctx, const char *name, int32_t call), void *ctx)
{
	struct func_record r = pclntab_record(t, f->index);
	struct span index = pclntab_inline_index(t, r);
	uint64_t tree = pclntab_inline_tree(t, r);
	int32_t i, last = tree ? last_inlined(t, index) : -1;

	for (i = 0; i <= last; i++) {
		const uint8_t *e = pclntab_inline_entry(t, tree, i);

		if (!e || !take(ctx, pclntab_name(t, elf_u32(e + t->layout->inline_name)), i))
			return;
	}
}

const char *pclntab_inlined_caller(const struct pclntab *t, const struct pclntab_func *f,
				   int32_t call)
{
	struct func_record r = pclntab_record(t, f->index);
	struct span index = pclntab_inline_index(t, r);
	uint64_t tree = pclntab_inline_tree(t, r);
	const uint8_t *e = pclntab_inline_entry(t, tree, call);

	if (!e)
		return f->name;
	e = pclntab_inline_entry(t, tree,
				 pcvalue_at(index.data, index.size, t->quantum,
					    elf_u32(e + t->layout->inline_parent_pc)));
	return e ? pclntab_name(t, elf_u32(e + t->layout->inline_name)) : f->name;
}

struct question {
	const char *name;
	bool answer;
};

static bool compare_name(void *ctx, const char *name, int32_t call)
{
	struct question *q = ctx;

	q->answer = !strcmp(name, q->name);
	return !q->answer;
}

bool pclntab_inlines(const struct pclntab *t, const struct pclntab_func *f, const char *name)
{
	struct question q = { name, false };

	pclntab_each_inlined(t, f, compare_name, &q);
	return q.answer;
}
