// SPDX-License-Identifier: Apache-2.0
/*
 * pclntab_find: finds the function table and its parts. In: an ELF image. Out: the spans of a
 * struct pclntab.
 *
 * The table has a section of its own, except in a PIE that the system's linker made of Go up to
 * 1.25, where it lies somewhere in .data.rel.ro. The comments about the header follow
 * runtime/symtab.go, pcHeader.
 */
#define _GNU_SOURCE
#include "symbol/pclntab_table.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"

static const struct pclntab_layout layouts[] = {
	{
		.magic = 0xfffffffb, .since = 2, .field = 8,
		.name = 8, .pcsp = 20, .pcfile = 24, .pcln = 28, .npcdata = 32,
		.id = 36, .nfuncdata = 39, .func_size = 40,
		.inline_size = 20, .inline_id = 2, .inline_name = 12,
		.inline_parent_pc = 16, .inline_funcdata = 4,
	}, {
		.magic = 0xfffffffa, .since = 16, .parts = 24, .field = 8,
		.name = 8, .pcsp = 20, .pcfile = 24, .pcln = 28, .npcdata = 32,
		.cu = 36, .id = 40, .nfuncdata = 43, .func_size = 44,
		.inline_size = 20, .inline_id = 2, .inline_name = 12,
		.inline_parent_pc = 16, .inline_funcdata = 3,
	}, {
		.magic = 0xfffffff0, .since = 18, .parts = 32, .has_text = true, .field = 4,
		.name = 4, .pcsp = 16, .pcfile = 20, .pcln = 24, .npcdata = 28,
		.cu = 32, .id = 36, .nfuncdata = 39, .func_size = 40,
		.inline_size = 20, .inline_id = 2, .inline_name = 12,
		.inline_parent_pc = 16, .inline_funcdata = 3,
	}, {
		.magic = 0xfffffff1, .since = 20, .parts = 32, .has_text = true, .field = 4,
		.name = 4, .pcsp = 16, .pcfile = 20, .pcln = 24, .npcdata = 28,
		.cu = 32, .id = 40, .nfuncdata = 43, .func_size = 44,
		.inline_size = 16, .inline_id = 0, .inline_name = 4,
		.inline_parent_pc = 8, .inline_funcdata = 3,
	},
};

enum {
	SAMPLES = 16,
	/* most places that may look like a header and have no table */
	TRIES = 64,
};

static const struct pclntab_layout *layout_of(const struct pclntab *t, const uint8_t *header)
{
	size_t i;

	/* after the magic: two zero bytes, the least instruction size, pointer size 8 */
	if (elf_u32(header + 4) != (0x08000000u | t->quantum << 16))
		return NULL;
	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (elf_u32(header) == layouts[i].magic)
			return &layouts[i];
	}
	return NULL;
}

static bool span_cut(struct span all, uint64_t off, struct span *ret)
{
	if (off >= all.size)
		return false;
	*ret = (struct span){ all.data + off, all.size - off };
	return true;
}

/* As span_cut(), for text: the span ends with the last NUL. */
static bool text_cut(struct span all, uint64_t off, struct span *ret)
{
	const uint8_t *last;

	if (!span_cut(all, off, ret))
		return false;
	last = memrchr(ret->data, 0, ret->size);
	if (!last)
		return false;
	ret->size = (size_t)(last + 1 - ret->data);
	return true;
}

static bool index_cut(struct pclntab *t, struct span funcs, uint64_t off)
{
	uint64_t n = elf_u64(t->all.data + 8);

	if (!span_cut(funcs, off, &t->index) ||
	    n == 0 || n >= t->index.size / (2 * t->layout->field) || n >= UINT32_MAX)
		return false;
	t->nfuncs = n;
	return true;
}

/* Up to 1.15 all offsets count from the start of the table. */
static bool parts_before_116(struct pclntab *t)
{
	struct span all = t->all;

	if (!index_cut(t, all, 16) || !text_cut(all, 0, &t->names))
		return false;
	t->files = t->names;
	t->pcs = all;
	t->funcs = all;
	/* after the end address: the offset of the file table */
	return span_cut(all, elf_u32(t->index.data + 16 * t->nfuncs + 8), &t->cus);
}

static bool parts_since_116(struct pclntab *t)
{
	const uint8_t *p = t->all.data + t->layout->parts;

	return text_cut(t->all, elf_u64(p), &t->names) &&
	       span_cut(t->all, elf_u64(p + 8), &t->cus) &&
	       text_cut(t->all, elf_u64(p + 16), &t->files) &&
	       span_cut(t->all, elf_u64(p + 24), &t->pcs) &&
	       span_cut(t->all, elf_u64(p + 32), &t->funcs) && index_cut(t, t->funcs, 0);
}

/* Returns whether function @i has a record with a name, and does not begin after its end. */
static bool func_plausible(const struct pclntab *t, size_t i)
{
	struct func_record f = pclntab_record(t, i);

	return f.data && f.entry <= f.end &&
	       *pclntab_name(t, elf_u32(f.data + t->layout->name));
}

static bool funcs_plausible(const struct pclntab *t)
{
	size_t i;

	for (i = 0; i < SAMPLES; i++) {
		if (!func_plausible(t, (t->nfuncs - 1) * i / (SAMPLES - 1)))
			return false;
	}
	return true;
}

/*
 * In a PIE of Go up to 1.17 the table is full of relocated pointers: takes a copy with their
 * values. Later formats have one pointer, in the header, which pclntab_find_bases() handles.
 */
static void relocate_table(struct pclntab *t)
{
	if (t->image.header.e_type != ET_DYN || !layout_has_pointers(t->layout))
		return;
	t->relocated = xrealloc(NULL, t->all.size, 1);
	memcpy(t->relocated, t->all.data, t->all.size);
	elf_image_relocate(&t->image, t->addr, t->relocated, t->all.size);
	t->all.data = t->relocated;
}

/* Takes the table at the start of @r; false if there is none. */
static bool try_table(struct pclntab *t, struct elf_range r)
{
	if (r.size < PCLNTAB_HEADER)
		return false;
	t->layout = layout_of(t, r.data);
	if (!t->layout)
		return false;
	t->addr = r.addr;
	t->all = (struct span){ r.data, r.size };
	relocate_table(t);
	if ((t->layout->parts ? parts_since_116(t) : parts_before_116(t)) && funcs_plausible(t))
		return true;
	free(t->relocated);
	t->relocated = NULL;
	return false;
}

/*
 * Looks for the table at each multiple of 8: the linker aligns it to 32 bytes, and at the very
 * least to a pointer.
 */
static bool scan_range(struct pclntab *t, struct elf_range r, int *tries)
{
	size_t off = -r.addr & 7;

	for (; off + PCLNTAB_HEADER <= r.size && *tries; off += 8) {
		struct elf_range at = { r.data + off, r.addr + off, r.size - off };

		if (!layout_of(t, at.data))
			continue;
		if (try_table(t, at))
			return true;
		(*tries)--;
	}
	return false;
}

static bool find_by_name(struct pclntab *t)
{
	struct elf_range r;

	return (elf_image_section_named(&t->image, ".gopclntab", &r) && try_table(t, r)) ||
	       (elf_image_section_named(&t->image, ".data.rel.ro.gopclntab", &r) &&
		try_table(t, r));
}

static bool find_by_scan(struct pclntab *t)
{
	struct elf_range r;
	int tries = TRIES;
	size_t i = 0;

	if (elf_image_section_named(&t->image, ".data.rel.ro", &r) &&
	    scan_range(t, r, &tries))
		return true;
	while (elf_image_next(&t->image, &i, 0, &r))
		if (scan_range(t, r, &tries))
			return true;
	return false;
}

int pclntab_find(struct pclntab *t, struct error *err)
{
	t->quantum = t->image.arch->pc_quantum;
	if (!find_by_name(t) && !find_by_scan(t))
		return error_set(err, -ENOENT, "no Go function table (.gopclntab)");
	return pclntab_find_bases(t, err);
}
