// SPDX-License-Identifier: Apache-2.0
/*
 * references: see references.h. This file finds the references in data; target/ARCH/ finds those in
 * code.
 */
#include "target/references.h"

#include <errno.h>
#include <string.h>

#include "symbol/elf_image.h"
#include "symbol/pclntab.h"

const char *reference_kind_name(enum reference_kind kind)
{
	static const char *const names[] = {
		[REFERENCE_CALL] = "called",
		[REFERENCE_BRANCH] = "jumped to",
		[REFERENCE_OPERAND] = "loaded",
		[REFERENCE_POINTER] = "pointed to",
		[REFERENCE_METHOD] = "in a table of methods",
		[REFERENCE_UNCLEAR] = "perhaps called",
	};

	return names[kind];
}

struct scan {
	const struct gobin *b;
	const uint64_t *to;
	size_t n;
	struct vec *ret;
	/* sections that have addresses of functions, but lead no call to them */
	struct elf_range symbols, functions;
	struct elf_range relocations[2];
};

static void references_find_code(struct scan *s, uint64_t value, enum reference_kind kind,
				 uint64_t addr)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->to[i] == value)
			*(struct reference *)vec_push(s->ret, sizeof(struct reference)) =
				(struct reference){ kind, i, addr, { .name = "" } };
}

static bool references_is_in(const struct elf_range *r, uint64_t addr)
{
	return addr - r->addr < r->size;
}

/*
 * Returns whether @addr lies in a section that the scan of data must skip: relocations have a scan
 * of their own.
 */
static bool is_apart(const struct scan *s, uint64_t addr)
{
	return references_is_in(&s->symbols, addr) || references_is_in(&s->functions, addr) ||
	       references_is_in(&s->relocations[0], addr) ||
	       references_is_in(&s->relocations[1], addr);
}

static void scan_relocations(struct scan *s, const struct elf_range *table)
{
	size_t i;

	for (i = 0; i + sizeof(Elf64_Rela) <= table->size; i += sizeof(Elf64_Rela)) {
		Elf64_Rela r;
		Elf64_Sym symbol = { .st_value = 0 };
		uint64_t at;

		memcpy(&r, table->data + i, sizeof(r));
		at = ELF64_R_SYM(r.r_info) * sizeof(symbol);
		if (at && s->symbols.size >= sizeof(symbol) &&
		    at <= s->symbols.size - sizeof(symbol))
			memcpy(&symbol, s->symbols.data + at, sizeof(symbol));
		references_find_code(s, symbol.st_value + (uint64_t)r.r_addend, REFERENCE_POINTER,
				     r.r_offset);
	}
}

static void scan_words(struct scan *s, const struct elf_range *segment, uint64_t lo, uint64_t hi)
{
	size_t i = -segment->addr % sizeof(uint64_t);

	for (; i + sizeof(uint64_t) <= segment->size; i += sizeof(uint64_t)) {
		uint64_t value = elf_u64(segment->data + i);

		if (value - lo <= hi - lo && !is_apart(s, segment->addr + i))
			references_find_code(s, value, REFERENCE_POINTER, segment->addr + i);
	}
}

/*
 * Returns the method's name of the function that begins at @addr: the text after the last dot. NULL
 * if no function begins there.
 */
static const char *method_at(const struct gobin *b, uint64_t addr)
{
	struct gobin_func fn;

	if (gobin_func_at(b, addr, &fn) || fn.addr != addr)
		return NULL;
	return strrchr(fn.name, '.');
}

static bool same_method(const struct gobin *b, uint64_t addr, uint64_t other)
{
	const char *x = method_at(b, addr), *y = method_at(b, other);

	return x && y && !strcmp(x, y);
}

/*
 * Scans type descriptors for methods that reflection can call. A descriptor has for each method the
 * offsets of its name and type, and then, as offsets from the start of the text, two functions: the
 * method, and its wrapper or the method once more.
 */
static void scan_methods(struct scan *s, uint64_t lo, uint64_t hi)
{
	enum { WORD = sizeof(uint32_t) };
	uint64_t start, end, text, text_end;
	const uint8_t *p;
	size_t i;

	if (!gobin_table(s->b))
		return;
	pclntab_types_range(gobin_table(s->b), &start, &end);
	pclntab_text_range(gobin_table(s->b), &text, &text_end);
	p = end > start ? gobin_bytes(s->b, start, end - start) : NULL;
	for (i = WORD; p && i + 2 * WORD <= end - start; i += WORD) {
		uint64_t value = text + elf_u32(p + i);

		if (value - lo <= hi - lo &&
		    (same_method(s->b, value, text + elf_u32(p + i - WORD)) ||
		     same_method(s->b, value, text + elf_u32(p + i + WORD))))
			references_find_code(s, value, REFERENCE_METHOD, start + i);
	}
}

static struct elf_range section_of(const struct elf_file *f, const char *name)
{
	struct elf_section s;

	if (!elf_section_find(f, name, &s))
		return (struct elf_range){0};
	return (struct elf_range){ s.data, s.addr, s.size };
}

/*
 * Finds the sections to skip. Up to Go 1.17 the function table has the address of each function,
 * for look-ups only.
 */
static void find_sections(struct scan *s, const struct elf_file *f)
{
	s->symbols = section_of(f, ".dynsym");
	s->relocations[0] = section_of(f, ".rela.dyn");
	if (!s->relocations[0].size)	/* the name that Go's own linker gives this section */
		s->relocations[0] = section_of(f, ".rela");
	s->relocations[1] = section_of(f, ".rela.plt");
	if (!gobin_table(s->b) || pclntab_format(gobin_table(s->b)) >= 18)
		return;
	s->functions = section_of(f, ".gopclntab");
	if (!s->functions.size)
		s->functions = section_of(f, ".data.rel.ro.gopclntab");
}

static int references_in_data(const struct gobin *b, const struct elf_file *f, const uint64_t *to,
			      size_t n, struct vec *ret)
{
	struct scan s = { .b = b, .to = to, .n = n, .ret = ret };
	struct elf_range segment;
	uint64_t lo = UINT64_MAX, hi = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		lo = to[i] < lo ? to[i] : lo;
		hi = to[i] > hi ? to[i] : hi;
	}
	find_sections(&s, f);
	for (i = 0; elf_image_next(f, &i, 0, &segment);) {
		if (!segment.data)
			return -ENOTSUP;
		scan_words(&s, &segment, lo, hi);
	}
	for (i = 0; i < 2; i++)
		scan_relocations(&s, &s.relocations[i]);
	scan_methods(&s, lo, hi);
	return 0;
}

int references_find(const struct gobin *b, const uint64_t *to, size_t n, struct vec *ret)
{
	struct elf_file f;
	int r;

	if (!n)
		return 0;
	if (elf_file_again(&f, gobin_elf(b), NULL))
		return -ENOTSUP;
	r = references_in_code(b, &f, to, n, ret);
	if (!r)
		r = references_in_data(b, &f, to, n, ret);
	elf_file_close(&f);
	return r || ret->len <= REFERENCES_MAX ? r : -E2BIG;
}
