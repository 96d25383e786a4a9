// SPDX-License-Identifier: Apache-2.0
/*
 * pclntab_find: where the function table, the start of the text and the base
 * of FUNCDATA are. In: an ELF image. Out: a struct pclntab that the reader can
 * use.
 *
 * The table has a section of its own, except in a PIE that the system's linker
 * made of Go <= 1.25, where it lies somewhere in .data.rel.ro. The other two
 * come from moduledata, which has a section since 1.26 and is otherwise found
 * by what it begins with: a pointer to the table and one to its names. Never
 * from .text: with cgo that begins with C code.
 */
#define _GNU_SOURCE
#include "symbol/pclntab_table.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "symbol/pcvalue.h"

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
	HEADER_SIZE = 72,		/* the longest: f0ffffff and f1ffffff */
	HEADER_TEXT = 24,
	MODULEDATA_PCHEADER = 0,	/* runtime/symtab.go, moduledata, 1.18 to 1.27 */
	MODULEDATA_NAMES = 8,
	MODULEDATA_MINPC = 160,
	MODULEDATA_TEXT = 176,
	MODULEDATA_READ = 448,		/* gofunc was at 304, 320, 344: it moves */
	SAMPLES = 16,
	TRIES = 64,			/* headers that may turn out to be none */
};

static const struct pclntab_layout *layout_of(const uint8_t *header)
{
	size_t i;

	/* behind the magic: two zero bytes, instruction size 1, pointer size 8 */
	if (elf_u32(header + 4) != 0x08010000)
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

/* As span_cut(), for text: up to the last NUL. */
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

/* Until 1.15 all offsets count from the start of the table. */
static bool parts_before_116(struct pclntab *t)
{
	struct span all = t->all;

	if (!index_cut(t, all, 16) || !text_cut(all, 0, &t->names))
		return false;
	t->files = t->names;
	t->pcs = all;
	t->funcs = all;
	/* behind the end address: the offset of the file table */
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

/* Whether function @i has a record with a name, and does not begin after its end. */
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
 * In a PIE of Go <= 1.17 the table is full of relocated pointers: take a copy.
 * Later formats have just one, in the header, which read_text() looks after.
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

/* Takes the table at the start of @r, if there is one. */
static bool try_table(struct pclntab *t, struct elf_range r)
{
	if (r.size < HEADER_SIZE)
		return false;
	t->layout = layout_of(r.data);
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

/* The table is aligned to 32 bytes, at the very least to a pointer. */
static bool scan_range(struct pclntab *t, struct elf_range r, int *tries)
{
	size_t off = -r.addr & 7;

	for (; off + HEADER_SIZE <= r.size && *tries; off += 8) {
		struct elf_range at = { r.data + off, r.addr + off, r.size - off, 0, 0 };

		if (!layout_of(at.data))
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
	size_t i;

	if (elf_image_section_named(&t->image, ".data.rel.ro", &r) &&
	    scan_range(t, r, &tries))
		return true;
	for (i = 0; i < elf_image_segments(&t->image); i++) {
		if (elf_image_segment(&t->image, i, &r) && scan_range(t, r, &tries))
			return true;
	}
	return false;
}

/* --- moduledata --- */

struct moduledata {
	uint8_t bytes[MODULEDATA_READ];
	size_t size;
};

static uint64_t moduledata_word(const struct moduledata *md, size_t off)
{
	return off + 8 <= md->size ? elf_u64(md->bytes + off) : 0;
}

/* Reads what could be moduledata at @addr and sees whether it describes this table. */
static bool read_moduledata(const struct pclntab *t, uint64_t addr, struct moduledata *md)
{
	struct elf_range r = elf_image_from(&t->image, addr);
	uint64_t names = t->addr + (uint64_t)(t->names.data - t->all.data);

	md->size = r.size < MODULEDATA_READ ? r.size : MODULEDATA_READ;
	if (md->size < MODULEDATA_TEXT + 8)
		return false;
	memcpy(md->bytes, r.data, md->size);
	if (t->image.header.e_type == ET_DYN)
		elf_image_relocate(&t->image, addr, md->bytes, md->size);
	return moduledata_word(md, MODULEDATA_PCHEADER) == t->addr &&
	       moduledata_word(md, MODULEDATA_NAMES) == names &&
	       moduledata_word(md, MODULEDATA_MINPC) ==
		       moduledata_word(md, MODULEDATA_TEXT) + elf_u32(t->index.data);
}

/* Pointers to the table that relocations put into a PIE. */
static uint64_t moduledata_by_relocation(const struct pclntab *t, struct moduledata *md)
{
	uint64_t at = 0;
	int i;

	/* one pointer to the header in real files; the bound is for others */
	for (i = 0; i < SAMPLES; i++) {
		at = elf_image_pointer_to(&t->image, t->addr, at);
		if (!at || read_moduledata(t, at, md))
			return at;
	}
	return 0;
}

static uint64_t moduledata_in(const struct pclntab *t, struct elf_range r,
			      struct moduledata *md)
{
	size_t off = -r.addr & 7;

	for (; off + MODULEDATA_TEXT + 8 <= r.size; off += 8) {
		if (elf_u64(r.data + off) == t->addr && read_moduledata(t, r.addr + off, md))
			return r.addr + off;
	}
	return 0;
}

static uint64_t moduledata_by_scan(const struct pclntab *t, struct moduledata *md)
{
	struct elf_range r;
	uint64_t at;
	size_t i;

	for (i = 0; i < elf_image_segments(&t->image); i++) {
		if (!elf_image_segment(&t->image, i, &r) || !r.writable)
			continue;
		at = moduledata_in(t, r, md);
		if (at)
			return at;
	}
	return 0;
}

static uint64_t find_moduledata(const struct pclntab *t, struct moduledata *md)
{
	struct elf_range r;
	uint64_t at;

	if (elf_image_section_named(&t->image, ".go.module", &r) &&
	    read_moduledata(t, r.addr, md))
		return r.addr;
	at = t->image.header.e_type == ET_DYN ? moduledata_by_relocation(t, md) : 0;
	return at ? at : moduledata_by_scan(t, md);
}

/* --- the base of FUNCDATA offsets --- */

/* Whether entry @e can be an inlined call in @f: a whole name, a place in the function. */
static bool inline_plausible(const struct pclntab *t, struct func_record f, const uint8_t *e)
{
	uint32_t name = elf_u32(e + t->layout->inline_name);

	return name < t->names.size && (!name || !t->names.data[name - 1]) &&
	       t->names.data[name] &&
	       elf_u32(e + t->layout->inline_parent_pc) < f.end - f.entry;
}

/*
 * Looks at some entries of the inline tree of @f: false if one is impossible.
 * Adds to @named those that do not begin with the table's first name, because
 * its offset is 0, and zeroes are everywhere.
 */
static bool tree_plausible(const struct pclntab *t, struct func_record f, size_t *named)
{
	struct span index = pclntab_inline_index(t, f), tree = pclntab_inline_tree(t, f);
	struct pcvalue v = pcvalue_start(index.data, index.size);
	int left = SAMPLES;

	while (left-- && pcvalue_next(&v)) {
		uint64_t at = (uint64_t)v.value * t->layout->inline_size;

		if (v.value < 0)
			continue;
		if (at + t->layout->inline_size > tree.size ||
		    !inline_plausible(t, f, tree.data + at))
			return false;
		*named += elf_u32(tree.data + at + t->layout->inline_name) != 0;
	}
	return true;
}

/* First functions with inlined calls: indices to @ret, at most SAMPLES; their number. */
static size_t sample_inlining(const struct pclntab *t, size_t ret[SAMPLES])
{
	size_t i, n = 0;

	for (i = 0; i < t->nfuncs && n < SAMPLES; i++) {
		struct func_record f = pclntab_record(t, i);
		uint64_t off;

		if (pclntab_inline_index(t, f).size &&
		    pclntab_funcdata(t, f, t->layout->inline_funcdata, &off))
			ret[n++] = i;
	}
	return n;
}

static bool base_plausible(struct pclntab *t, const size_t *samples, size_t n, uint64_t base)
{
	size_t i, named = 0;

	t->gofunc = elf_image_from(&t->image, base);
	for (i = 0; i < n && t->gofunc.size; i++) {
		if (!tree_plausible(t, pclntab_record(t, samples[i]), &named))
			return false;
	}
	return named > n / 2;
}

/*
 * moduledata.gofunc: its offset changes with the release and the release is
 * not in the table. So take the word of moduledata that makes sense of the
 * inline trees; 16 functions with dozens of names leave no room for chance.
 */
static void find_gofunc(struct pclntab *t, const struct moduledata *md)
{
	size_t samples[SAMPLES], n = sample_inlining(t, samples);
	size_t off;

	for (off = MODULEDATA_TEXT; n && off + 8 <= md->size; off += 8) {
		if (base_plausible(t, samples, n, moduledata_word(md, off)))
			return;
	}
	t->gofunc = (struct elf_range){ 0 };
}

/* textStart of the header: 0 in a PIE until relocated, and always from 1.26 on. */
static uint64_t header_text(const struct pclntab *t)
{
	uint8_t header[HEADER_SIZE];

	if (!t->layout->has_text)
		return 0;
	memcpy(header, t->all.data, sizeof(header));
	if (t->image.header.e_type == ET_DYN)
		elf_image_relocate(&t->image, t->addr, header, sizeof(header));
	return elf_u64(header + HEADER_TEXT);
}

static int find_bases(struct pclntab *t, struct error *err)
{
	struct moduledata md = { .size = 0 };

	if (layout_has_pointers(t->layout))
		return 0;
	t->moduledata = find_moduledata(t, &md);
	t->text = t->moduledata ? moduledata_word(&md, MODULEDATA_TEXT) : header_text(t);
	if (!t->text)
		return error_set(err, -ENOENT,
				 "the function table is there but not the start of the text");
	if (t->moduledata)
		find_gofunc(t, &md);
	return 0;
}

int pclntab_find(struct pclntab *t, struct error *err)
{
	if (!find_by_name(t) && !find_by_scan(t))
		return error_set(err, -ENOENT, "no Go function table (.gopclntab)");
	return find_bases(t, err);
}
