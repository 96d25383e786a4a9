// SPDX-License-Identifier: Apache-2.0
/* references: see references.h; here what is in data, code is in target/ARCH/. */
#include "target/references.h"

#include <errno.h>

#include "symbol/elf_image.h"
#include "symbol/pclntab.h"

const char *reference_kind_name(enum reference_kind kind)
{
	static const char *const names[] = {
		[REFERENCE_CALL] = "called", [REFERENCE_BRANCH] = "jumped to",
		[REFERENCE_OPERAND] = "loaded", [REFERENCE_POINTER] = "pointed to",
		[REFERENCE_METHOD] = "in a table of methods", [REFERENCE_EXPORT] = "exported",
		[REFERENCE_UNCLEAR] = "perhaps called",
	};

	return names[kind];
}

struct scan {
	const struct gobin *b;
	const uint64_t *to;
	size_t n;
	struct vec *ret;
	struct elf_range exports, relocations, functions;	/* sections */
};

static void find(struct scan *s, uint64_t value, enum reference_kind kind, uint64_t addr)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->to[i] == value)
			*(struct reference *)vec_push(s->ret, sizeof(struct reference)) =
				(struct reference){ kind, i, addr, { .name = "" } };
}

static bool is_in(const struct elf_range *r, uint64_t addr)
{
	return addr - r->addr < r->size;
}

/* A relocation has the address as its addend; where the pointer will be, its first word says. */
static void found_in_relocation(struct scan *s, const uint8_t *p, uint64_t value, uint64_t addr)
{
	size_t in_entry = (addr - s->relocations.addr) % sizeof(Elf64_Rela);

	if (in_entry == offsetof(Elf64_Rela, r_addend))
		find(s, value, REFERENCE_POINTER, elf_u64(p - in_entry));
}

/* Up to Go 1.17 the function table has the address of each function, for look-ups only. */
static void found(struct scan *s, const uint8_t *p, uint64_t value, uint64_t addr)
{
	if (is_in(&s->functions, addr))
		return;
	if (is_in(&s->relocations, addr))
		found_in_relocation(s, p, value, addr);
	else
		find(s, value, is_in(&s->exports, addr) ? REFERENCE_EXPORT : REFERENCE_POINTER, addr);
}

static void scan_words(struct scan *s, const struct elf_range *segment, uint64_t lo, uint64_t hi)
{
	size_t i = -segment->addr % sizeof(uint64_t);

	for (; i + sizeof(uint64_t) <= segment->size; i += sizeof(uint64_t)) {
		uint64_t value = elf_u64(segment->data + i);

		if (value - lo <= hi - lo)
			found(s, segment->data + i, value, segment->addr + i);
	}
}

/* Is there a function at that offset from the start of the text, which begins at @text? */
static bool is_function(const struct gobin *b, uint64_t text, uint32_t offset)
{
	struct gobin_func fn;

	return !gobin_func_at(b, text + offset, &fn) && fn.addr == text + offset;
}

/*
 * What reflection can call is in the descriptor of its type: for each method the offsets of its name
 * and type, and then, from the start of the text, of two functions, which may be the same.
 */
static void scan_methods(struct scan *s, uint64_t lo, uint64_t hi)
{
	uint64_t start, end, text, text_end;
	const uint8_t *p;
	size_t i, n;

	if (!gobin_table(s->b))
		return;
	pclntab_types_range(gobin_table(s->b), &start, &end);
	pclntab_text_range(gobin_table(s->b), &text, &text_end);
	n = end > start ? (end - start) / sizeof(uint32_t) : 0;
	p = gobin_bytes(s->b, start, n * sizeof(uint32_t));
	for (i = 1; p && i + 1 < n; i++) {
		const uint8_t *at = p + i * sizeof(uint32_t);
		uint64_t value = text + elf_u32(at);

		if (value - lo <= hi - lo && is_function(s->b, text, elf_u32(at)) &&
		    (is_function(s->b, text, elf_u32(at - sizeof(uint32_t))) ||
		     is_function(s->b, text, elf_u32(at + sizeof(uint32_t)))))
			find(s, value, REFERENCE_METHOD, start + i * sizeof(uint32_t));
	}
}

static struct elf_range section_of(const struct elf_file *f, const char *name)
{
	struct elf_section s;

	if (!elf_section_find(f, name, &s))
		return (struct elf_range){0};
	return (struct elf_range){ s.data, s.addr, s.size };
}

static void find_sections(struct scan *s, const struct elf_file *f)
{
	s->exports = section_of(f, ".dynsym");
	s->relocations = section_of(f, ".rela.dyn");
	if (!s->relocations.size)
		s->relocations = section_of(f, ".rela");
	if (gobin_table(s->b) && pclntab_format(gobin_table(s->b)) < 18)
		s->functions = section_of(f, ".gopclntab");
	if (gobin_table(s->b) && pclntab_format(gobin_table(s->b)) < 18 && !s->functions.size)
		s->functions = section_of(f, ".data.rel.ro.gopclntab");
}

static int references_in_data(const struct gobin *b, const uint64_t *to, size_t n, struct vec *ret)
{
	struct scan s = { .b = b, .to = to, .n = n, .ret = ret };
	struct elf_range segment;
	uint64_t lo = UINT64_MAX, hi = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		lo = to[i] < lo ? to[i] : lo;
		hi = to[i] > hi ? to[i] : hi;
	}
	find_sections(&s, gobin_elf(b));
	for (i = 0; elf_image_next(gobin_elf(b), &i, 0, &segment);) {
		if (!segment.data)
			return -ENOTSUP;
		scan_words(&s, &segment, lo, hi);
	}
	scan_methods(&s, lo, hi);
	return 0;
}

int references_find(const struct gobin *b, const uint64_t *to, size_t n, struct vec *ret)
{
	int r;

	if (!n)
		return 0;
	r = references_in_code(b, to, n, ret);
	if (!r)
		r = references_in_data(b, to, n, ret);
	return r || ret->len <= REFERENCES_MAX ? r : -E2BIG;
}
