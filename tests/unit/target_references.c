// SPDX-License-Identifier: Apache-2.0
/*
 * references: all that leads to a function, in files made here: each way in which code and data can have
 * its address, and bytes that only look so.
 */
#include "unit.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "target/gobin_memory.h"
#include "target/references.h"
#include "target_image.h"

/* The target is not where the section begins: the header of the section would be a pointer to it. */
enum { CALLER = 0, TARGET = 32, TEXT = 64, NO_REL = 255, NONE = -1 };

struct row {
	const char *name;
	uint8_t code[16];	/* of the caller, or of the target itself */
	uint8_t n;
	uint8_t rel;		/* where in it the distance to the target goes ... */
	bool absolute;		/* ... or its address */
	bool in_target;
	int kind;		/* of the one reference; NONE */
	uint8_t at;		/* its place in the code */
};

static const struct row rows[] = {
	{ "a call", { 0xe8 }, 5, 1, .kind = REFERENCE_CALL },
	{ "a call behind others", { 0x55, 0x48, 0x89, 0xe5, 0xe8 }, 9, 5, .kind = REFERENCE_CALL, .at = 4 },
	{ "a call of itself", { 0x55, 0xe8 }, 6, 2, .in_target = true, .kind = REFERENCE_CALL, .at = 1 },
	{ "a jump", { 0xe9 }, 5, 1, .kind = REFERENCE_BRANCH },
	{ "a conditional jump", { 0x0f, 0x84 }, 6, 2, .kind = REFERENCE_BRANCH },
	{ "a jump back to its own start", { 0x55, 0xe9 }, 6, 2, .in_target = true, .kind = NONE },
	{ "lea", { 0x48, 0x8d, 0x05 }, 7, 3, .kind = REFERENCE_OPERAND },
	{ "a jump through its code", { 0xff, 0x25 }, 6, 2, .kind = REFERENCE_OPERAND },
	{ "mov of a constant", { 0xb8 }, 5, 1, true, .kind = REFERENCE_OPERAND },
	{ "push of a constant", { 0x68 }, 5, 1, true, .kind = REFERENCE_OPERAND },
	{ "a table at its address", { 0x48, 0x8b, 0x04, 0xc5 }, 8, 4, true, .kind = REFERENCE_OPERAND },
	{ "a distance that equals its address", { 0x48, 0x8d, 0x05 }, 7, 3, true, .kind = NONE },
	{ "a call over a distance that equals its address", { 0xe8 }, 5, 1, true, .kind = NONE },
	{ "a constant that has a call in it", { 0x48, 0xb8, 0xe8 }, 10, 3, .kind = NONE },
	{ "a distance that is another's constant", { 0xc7, 0x05, 0, 0, 0, 0 }, 10, 6, .kind = NONE },
	{ "a call in odd code", { 0xd8, 0xe8 }, 6, 2, .kind = REFERENCE_UNCLEAR, .at = 2 },
	{ "lea in odd code", { 0xd8, 0x48, 0x8d, 0x0d }, 8, 4, .kind = REFERENCE_UNCLEAR, .at = 4 },
	{ "a constant in odd code", { 0xd8, 0xbf }, 6, 2, true, .kind = REFERENCE_UNCLEAR, .at = 2 },
	{ "bytes in odd code", { 0xd8, 0x00 }, 6, 2, .kind = NONE },
	{ "nothing", { 0xc3 }, 1, NO_REL, .kind = NONE },
};

/* Functions "runtime.casgstatus" and "runtime.ready" of 32 bytes each. */
static uint64_t add_code(struct image *m, uint8_t text[TEXT])
{
	static const char names[] = "\0runtime.casgstatus\0runtime.ready";
	size_t section = image_section(m, ".text", SHT_PROGBITS, IMAGE_CODE, text, TEXT);
	uint64_t at = m->headers[section].sh_addr;
	unsigned char func = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
	Elf64_Sym symbols[] = {
		{0},
		{ .st_name = 1, .st_info = func, .st_shndx = 1, .st_value = at + TARGET, .st_size = 32 },
		{ .st_name = 20, .st_info = func, .st_shndx = 1, .st_value = at + CALLER, .st_size = 32 },
	};
	/* not as bytes that could be pointers, at a multiple of eight */
	size_t symtab = image_section(m, ".symtab", SHT_SYMTAB, 0, "", 0);

	buf_add(&m->file, "1234", 4);
	m->headers[symtab].sh_offset = m->file.len;
	m->headers[symtab].sh_size = sizeof(symbols);
	buf_add(&m->file, symbols, sizeof(symbols));
	m->headers[symtab].sh_link = (Elf64_Word)(symtab + 1);
	m->headers[symtab].sh_entsize = sizeof(symbols[0]);
	image_section(m, ".strtab", SHT_STRTAB, 0, names, sizeof(names));
	return at + TARGET;
}

/* The address of the target, once the image has its code. */
static uint64_t make_code(struct image *m, const struct row *row)
{
	uint8_t text[TEXT];
	int32_t code = row->in_target ? TARGET : CALLER, word = TARGET - (code + row->rel + 4);

	memset(text, 0xcc, sizeof(text));
	memcpy(text + code, row->code, row->n);
	if (row->absolute)
		word = IMAGE_CODE + (int32_t)m->file.len + TARGET;
	if (row->rel != NO_REL)
		memcpy(text + code + row->rel, &word, sizeof(word));
	return add_code(m, text);
}

static void check_row(const void *p)
{
	const struct row *row = p;
	struct vec refs = {0};
	struct gobin *b;
	struct image m;
	uint64_t target;

	image_begin(&m);
	target = make_code(&m, row);
	b = image_open(&m);
	CHECK(!references_find(b, &target, 1, &refs));
	CHECK_EQ(refs.len, row->kind != NONE);
	if (refs.len == 1 && row->kind != NONE) {
		const struct reference *ref = vec_at(&refs, struct reference, 0);

		CHECK_STR(reference_kind_name(ref->kind), reference_kind_name((enum reference_kind)row->kind));
		CHECK_EQ(ref->addr, target - TARGET + (row->in_target ? TARGET : CALLER) + row->at);
		CHECK_EQ(ref->to, 0);
		CHECK_STR(ref->func.name, row->in_target ? "runtime.casgstatus" : "runtime.ready");
	}
	vec_free(&refs);
	gobin_free(b);
	image_free(&m);
}

/* In a program that can be anywhere a constant is none of its addresses. */
static void constants_of_a_pie_are_no_addresses(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct vec refs = {0};
		struct gobin *b = NULL;
		struct image m;
		uint64_t target;

		image_begin(&m);
		target = make_code(&m, &rows[i]);
		image_finish(&m);
		m.file.data[offsetof(Elf64_Ehdr, e_type)] = ET_DYN;
		CHECK(!gobin_open_memory(&b, m.file.data, m.file.len, "image", NULL));
		CHECK(!references_find(b, &target, 1, &refs));
		CHECK_EQ(refs.len, rows[i].kind != NONE && !rows[i].absolute);
		vec_free(&refs);
		gobin_free(b);
		image_free(&m);
	}
}

/* The file is mapped twice (target_image.h), so each pointer is found at two addresses. */
static size_t pointers_with(size_t shift)
{
	struct vec refs = {0};
	uint8_t data[32] = {0};
	struct gobin *b;
	struct image m;
	uint64_t target;
	size_t i, n;

	image_begin(&m);
	target = make_code(&m, &rows[sizeof(rows) / sizeof(rows[0]) - 1]);
	memcpy(data + shift, &target, sizeof(target));
	image_section(&m, ".data", SHT_PROGBITS, IMAGE_DATA, data, sizeof(data));
	b = image_open(&m);
	CHECK(!references_find(b, &target, 1, &refs));
	for (i = 0; i < refs.len; i++)
		CHECK_EQ(vec_at(&refs, struct reference, i)->kind, REFERENCE_POINTER);
	n = refs.len;
	vec_free(&refs);
	gobin_free(b);
	image_free(&m);
	return n;
}

static void pointers_are_aligned(void)
{
	CHECK_EQ(pointers_with(0), 2);
	CHECK_EQ(pointers_with(8), 2);
	CHECK_EQ(pointers_with(4), 0);
	CHECK_EQ(pointers_with(9), 0);
}

/*
 * A relocation has the address as addend, or as the value of its symbol; that it is in the tables of
 * relocations and symbols makes no pointer.
 */
static void relocations_are_pointers(void)
{
	struct vec refs = {0};
	struct gobin *b;
	struct image m;
	uint64_t target;
	size_t i;

	image_begin(&m);
	target = make_code(&m, &rows[sizeof(rows) / sizeof(rows[0]) - 1]);
	{
		Elf64_Sym symbols[] = { {0}, { .st_value = target - 8 }, { .st_value = target } };
		Elf64_Rela relocations[] = {
			{ 0x801000, ELF64_R_INFO(0, R_X86_64_RELATIVE), (int64_t)target },
			{ 0x801008, ELF64_R_INFO(1, R_X86_64_64), 8 },
			{ target, ELF64_R_INFO(0, R_X86_64_RELATIVE), 0x802000 },
			{ 0x801010, ELF64_R_INFO(7, R_X86_64_64), 8 },	/* a symbol that is not there */
		};

		image_section(&m, ".dynsym", SHT_DYNSYM, IMAGE_DATA, symbols, sizeof(symbols));
		image_section(&m, ".rela.dyn", SHT_RELA, IMAGE_DATA, relocations, sizeof(relocations));
	}
	b = image_open(&m);
	CHECK(!references_find(b, &target, 1, &refs));
	for (i = 0; i < refs.len; i++) {
		const struct reference *ref = vec_at(&refs, struct reference, i);

		/* the other mapping of the file has addends, offsets and values as words */
		CHECK_EQ(ref->kind, REFERENCE_POINTER);
		CHECK(ref->addr < IMAGE_DATA || ref->addr == 0x801000 || ref->addr == 0x801008);
	}
	CHECK_EQ(refs.len, 2 + 3);
	vec_free(&refs);
	gobin_free(b);
	image_free(&m);
}

/* A file that is nothing but calls of one function does not keep anybody busy. */
static void too_many_are_an_error(void)
{
	enum { MANY = REFERENCES_MAX + 100 };
	struct vec refs = {0};
	struct gobin *b;
	struct image m;
	uint64_t target;
	int32_t i;

	image_begin(&m);
	target = make_code(&m, &rows[sizeof(rows) / sizeof(rows[0]) - 1]);
	for (i = 0; i < MANY; i++) {
		int32_t distance = (int32_t)(target - IMAGE_CODE) - (int32_t)(m.file.len + 5);

		buf_add_byte(&m.file, 0xe8);
		buf_add(&m.file, &distance, sizeof(distance));
	}
	b = image_open(&m);
	CHECK(references_find(b, &target, 1, &refs) == -E2BIG);
	vec_free(&refs);
	gobin_free(b);
	image_free(&m);
}

/* Cut anywhere: an answer or an error, never a read beyond the file (run it with a sanitizer). */
static void cut_files_are_searched(void)
{
	struct image m;
	uint64_t target;
	size_t n;

	image_begin(&m);
	target = make_code(&m, &rows[0]);
	image_finish(&m);
	for (n = m.file.len; n--;) {
		uint8_t *copy = malloc(n ? n : 1);
		struct gobin *b = NULL;
		struct vec refs = {0};
		struct error err;

		memcpy(copy, m.file.data, n);
		if (!gobin_open_memory(&b, copy, n, "cut", &err))
			references_find(b, &target, 1, &refs);
		CHECK(refs.len < 8);
		vec_free(&refs);
		gobin_free(b);
		free(copy);
	}
	image_free(&m);
}

int main(void)
{
	struct unit_case cases[32] = {
		UNIT(constants_of_a_pie_are_no_addresses),
		UNIT(pointers_are_aligned),
		UNIT(relocations_are_pointers),
		UNIT(too_many_are_an_error),
		UNIT(cut_files_are_searched),
	};

	UNIT_ROWS(cases, rows, check_row);
	return unit_main(cases);
}
