// SPDX-License-Identifier: Apache-2.0
/*
 * pclntab: see pclntab.h. This file makes frames of the record of one function (pclntab_record.c);
 * pclntab_find.c finds the table, pclntab_funcs.c looks functions up in it. The specification is
 * runtime/symtab.go.
 */
#include "symbol/pclntab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/pclntab_table.h"
#include "symbol/pcvalue.h"

enum { FUNCDATA_WRAP_INFO = 7 };	/* internal/abi/symtab.go, since 1.18 */

enum func_kind pclntab_kind(const struct pclntab *t, int id, const char *name)
{
	return id == t->wrapper_id ? FUNC_WRAPPER : func_kind_by_name(name);
}

/*
 * Returns the name of file @file of the unit of @f. Since 1.16 a unit's files are a run of 32-bit
 * offsets in cus; up to 1.15 cus holds those of all units.
 */
static const char *file_name(const struct pclntab *t, struct func_record f, uint32_t file)
{
	uint64_t i = t->layout->cu ? elf_u32(f.data + t->layout->cu) : 0;
	struct span s = span_from(t->cus, 4 * (i + file));

	if (s.size < 4 || elf_u32(s.data) == UINT32_MAX)
		return "?";
	return pclntab_text_at(t->files, elf_u32(s.data));
}

/* Sets file and line as funcline1() does: "?" and 0 if either is unknown. */
static void set_line(const struct pclntab *t, struct func_record f, uint64_t off,
		     struct source_frame *frame)
{
	int32_t file = pclntab_value_at(t, f, t->layout->pcfile, off);
	int32_t line = pclntab_value_at(t, f, t->layout->pcln, off);

	frame->file = "?";
	frame->line = 0;
	if (file == -1 || line == -1)
		return;
	frame->file = file_name(t, f, (uint32_t)file);
	frame->line = (uint32_t)line;
}

static void pclntab_set_func(const struct pclntab *t, int id, uint32_t name,
			     struct source_frame *frame)
{
	frame->func = pclntab_name(t, name);
	frame->kind = pclntab_kind(t, id, frame->func);
}

int64_t pclntab_last_func_at(const struct pclntab *t, uint64_t addr)
{
	size_t lo = 0, hi = t->nfuncs;

	if (addr < pclntab_entry(t, 0) || addr >= pclntab_entry(t, t->nfuncs))
		return -1;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (pclntab_entry(t, mid) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (int64_t)lo - 1;
}

/* Goes from the innermost call outwards, as newInlineUnwinder() and next() do. */
size_t pclntab_expand(const struct pclntab *t, uint64_t pc, struct source_frame *out)
{
	const struct pclntab_layout *l = t->layout;
	int64_t i = pclntab_last_func_at(t, pc);
	struct func_record f = i < 0 ? (struct func_record){ 0 } : pclntab_record(t, (size_t)i);
	struct span index = pclntab_inline_index(t, f);
	uint64_t off = pc - f.entry, tree = pclntab_inline_tree(t, f);
	size_t n = 0;

	if (!f.data)
		return 0;
	while (n < SOURCE_MAX_INLINE - 1) {
		int32_t at = tree ? pcvalue_at(index.data, index.size, t->quantum, off) : -1;
		const uint8_t *e = pclntab_inline_entry(t, tree, at);

		if (!e)
			break;
		pclntab_set_func(t, e[l->inline_id], elf_u32(e + l->inline_name), &out[n]);
		set_line(t, f, off, &out[n++]);
		off = elf_u32(e + l->inline_parent_pc);
	}
	pclntab_set_func(t, f.data[l->id], elf_u32(f.data + l->name), &out[n]);
	set_line(t, f, off, &out[n++]);
	return n;
}

int32_t pclntab_sp_delta(const struct pclntab *t, const struct pclntab_func *f, uint64_t addr)
{
	struct func_record r = pclntab_record(t, f->index);

	if (!r.data || addr < r.entry)
		return -1;
	return pclntab_value_at(t, r, t->layout->pcsp, addr - r.entry);
}

uint64_t pclntab_unwrap(const struct pclntab *t, uint64_t entry)
{
	int64_t i = pclntab_last_func_at(t, entry);
	struct func_record f = i < 0 ? (struct func_record){ 0 } : pclntab_record(t, (size_t)i);
	const uint8_t *wrapped;
	uint64_t off;

	if (layout_has_pointers(t->layout) || !t->gofunc ||
	    !pclntab_funcdata(t, f, FUNCDATA_WRAP_INFO, &off))
		return entry;
	wrapped = elf_bytes(&t->image, t->gofunc + off, sizeof(uint32_t));
	return wrapped ? t->text + elf_u32(wrapped) : entry;
}

int pclntab_format(const struct pclntab *t)
{
	return t->layout->since;
}

void pclntab_text_range(const struct pclntab *t, uint64_t *start, uint64_t *end)
{
	*start = pclntab_entry(t, 0);
	*end = pclntab_entry(t, t->nfuncs);
}

void pclntab_types_range(const struct pclntab *t, uint64_t *start, uint64_t *end)
{
	*start = t->types;
	*end = t->etypes;
}

static const char *pclntab_name_of(const struct pclntab *t, size_t i)
{
	struct func_record f = pclntab_record(t, i);

	return f.data ? pclntab_name(t, elf_u32(f.data + t->layout->name)) : "";
}

/*
 * Learns the id of wrappers in this release from runtime.deferreturn, which every program has, and
 * which has that id in every release.
 */
static void learn_wrapper_id(struct pclntab *t)
{
	size_t i;

	t->wrapper_id = -1;
	for (i = 0; i < t->nfuncs; i++) {
		if (!strcmp(pclntab_name_of(t, i), "runtime.deferreturn")) {
			t->wrapper_id = pclntab_record(t, i).data[t->layout->id];
			return;
		}
	}
}

static int pclntab_new(struct pclntab **ret, struct elf_file image, struct error *err)
{
	struct pclntab *t = xcalloc(1, sizeof(*t));
	int rc;

	t->image = image;
	rc = pclntab_find(t, err);
	if (rc) {
		pclntab_free(t);
		return rc;
	}
	learn_wrapper_id(t);
	*ret = t;
	return 0;
}

int pclntab_open(struct pclntab **ret, const char *path, struct error *err)
{
	struct elf_file image;
	int rc = elf_file_open(&image, path, err);

	if (rc)
		return err ? error_prefix(err, "'%s'", path) : rc;
	return pclntab_new(ret, image, err);
}

int pclntab_from_elf(struct pclntab **ret, const struct elf_file *f, struct error *err)
{
	return pclntab_new(ret, elf_file_borrow(f), err);
}

void pclntab_free(struct pclntab *t)
{
	if (!t)
		return;
	elf_file_close(&t->image);
	free(t->relocated);
	free(t->heads);
	free(t->chain);
	free(t);
}
