// SPDX-License-Identifier: Apache-2.0
/*
 * pclntab_bases: the addresses that offsets in the function table count from, since 1.18: the start
 * of the text and the base of FUNCDATA. In: a table with its parts known. Out: its .text and
 * .gofunc.
 *
 * Both are in moduledata. Since 1.26 moduledata has a section; in earlier releases it is found by
 * its first words, a pointer to the table and one to its names. The start of the section .text is
 * not used, because with cgo it begins with C code.
 */
#include <errno.h>
#include <string.h>

#include "symbol/pclntab_table.h"
#include "symbol/pcvalue.h"

enum {
	HEADER_TEXT = 24,
	MODULEDATA_PCHEADER = 0,	/* runtime/symtab.go, moduledata, 1.18 to 1.27 */
	MODULEDATA_NAMES = 8,
	MODULEDATA_MINPC = 160,
	MODULEDATA_TEXT = 176,
	MODULEDATA_TYPES = 296,	/* Go 1.22 to 1.27; etypes follows it, since 1.27 after a length */
	MODULEDATA_READ = 448,		/* bytes that hold gofunc, which moves: 304, 320, 344 */
	SAMPLES = 16,
};

struct moduledata {
	uint8_t bytes[MODULEDATA_READ];
	size_t size;
};

static uint64_t moduledata_word(const struct moduledata *md, size_t off)
{
	return off + 8 <= md->size ? elf_u64(md->bytes + off) : 0;
}

/* Reads the possible moduledata at @addr; returns whether it describes this table. */
static bool read_moduledata(const struct pclntab *t, uint64_t addr, struct moduledata *md)
{
	uint64_t names = t->addr + (uint64_t)(t->names.data - t->all.data);
	const uint8_t *bytes = NULL;

	/* the segment may end soon after it */
	for (md->size = MODULEDATA_READ; md->size >= MODULEDATA_TEXT + 8; md->size -= 8) {
		bytes = elf_bytes(&t->image, addr, md->size);
		if (bytes)
			break;
	}
	if (!bytes)
		return false;
	memcpy(md->bytes, bytes, md->size);
	if (t->image.header.e_type == ET_DYN)
		elf_image_relocate(&t->image, addr, md->bytes, md->size);
	return moduledata_word(md, MODULEDATA_PCHEADER) == t->addr &&
	       moduledata_word(md, MODULEDATA_NAMES) == names &&
	       moduledata_word(md, MODULEDATA_MINPC) ==
		       moduledata_word(md, MODULEDATA_TEXT) + elf_u32(t->index.data);
}

/* Finds moduledata by the pointers to the table that relocations put into a PIE. */
static uint64_t moduledata_by_relocation(const struct pclntab *t, struct moduledata *md)
{
	uint64_t at = 0;
	int i;

	/* a real file has one pointer to the header; the bound is for hostile files */
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
	size_t i = 0;

	while (elf_image_next(&t->image, &i, PF_W, &r)) {
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

/*
 * Returns whether entry @e can be an inlined call in @f: its name is a whole name, its place is in
 * the function.
 */
static bool inline_plausible(const struct pclntab *t, struct func_record f, const uint8_t *e)
{
	uint32_t name = elf_u32(e + t->layout->inline_name);

	return name < t->names.size && (!name || !t->names.data[name - 1]) &&
	       t->names.data[name] &&
	       elf_u32(e + t->layout->inline_parent_pc) < f.end - f.entry;
}

/*
 * Looks at some entries of the inline tree of @f: false if one is impossible. Adds to @named the
 * number of entries with another name than the table's first one: the offset of the first name is
 * 0, and words of 0 are too frequent to show that the tree is one.
 */
static bool tree_plausible(const struct pclntab *t, struct func_record f, size_t *named)
{
	struct span index = pclntab_inline_index(t, f);
	uint64_t tree = pclntab_inline_tree(t, f);
	struct pcvalue v = pcvalue_start(index.data, index.size, t->quantum);
	int left = SAMPLES;

	while (left-- && pcvalue_next(&v)) {
		const uint8_t *e = pclntab_inline_entry(t, tree, v.value);

		if (v.value < 0)
			continue;
		if (!e || !inline_plausible(t, f, e))
			return false;
		*named += elf_u32(e + t->layout->inline_name) != 0;
	}
	return true;
}

/*
 * Stores the indices of the first functions with inlined calls in @ret, at most SAMPLES; returns
 * their number.
 */
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

	t->gofunc = base;
	for (i = 0; i < n && base; i++) {
		if (!tree_plausible(t, pclntab_record(t, samples[i]), &named))
			return false;
	}
	return named > n / 2;
}

/*
 * Finds moduledata.gofunc. Its offset depends on the release, and the release is not in the table.
 * The word of moduledata is taken by which the inline trees make sense; with 16 functions and
 * dozens of names no other word does so by chance.
 */
static void find_gofunc(struct pclntab *t, const struct moduledata *md)
{
	size_t samples[SAMPLES], n = sample_inlining(t, samples);
	size_t off;

	for (off = MODULEDATA_TEXT; n && off + 8 <= md->size; off += 8) {
		if (base_plausible(t, samples, n, moduledata_word(md, off)))
			return;
	}
	t->gofunc = 0;
}

/*
 * Returns textStart of the header. In a PIE it is 0 until relocated; from 1.26 on it is always 0.
 */
static uint64_t header_text(const struct pclntab *t)
{
	uint8_t header[PCLNTAB_HEADER];

	if (!t->layout->has_text)
		return 0;
	memcpy(header, t->all.data, sizeof(header));
	if (t->image.header.e_type == ET_DYN)
		elf_image_relocate(&t->image, t->addr, header, sizeof(header));
	return elf_u64(header + HEADER_TEXT);
}

static void find_types(struct pclntab *t, const struct moduledata *md)
{
	uint64_t types = moduledata_word(md, MODULEDATA_TYPES);
	uint64_t end = moduledata_word(md, MODULEDATA_TYPES + 8);

	if (end <= types)
		end = moduledata_word(md, MODULEDATA_TYPES + 16);
	if (types && types < end) {
		t->types = types;
		t->etypes = end;
	}
}

int pclntab_find_bases(struct pclntab *t, struct error *err)
{
	struct moduledata md = { .size = 0 };

	if (layout_has_pointers(t->layout))
		return 0;
	t->moduledata = find_moduledata(t, &md);
	t->text = t->moduledata ? moduledata_word(&md, MODULEDATA_TEXT) : header_text(t);
	if (!t->text)
		return error_set(err, -ENOENT,
				 "the function table is there but not the start of the text");
	if (t->moduledata) {
		find_gofunc(t, &md);
		find_types(t, &md);
	}
	return 0;
}
