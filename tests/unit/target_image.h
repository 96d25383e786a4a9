/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_image: a small Go-like ELF file made in memory, for tests of user/target
 * that need broken ones. File offset 0 is at IMAGE_CODE (r-x) and, again, at
 * IMAGE_DATA (rw-), so a section's address is either base + its offset.
 */
#ifndef GOTAP_TESTS_TARGET_IMAGE_H
#define GOTAP_TESTS_TARGET_IMAGE_H

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "target/gobin.h"

enum { IMAGE_CODE = 0x400000, IMAGE_DATA = 0x800000, IMAGE_SECTIONS = 16 };

struct image {
	struct buf file, names;
	Elf64_Shdr headers[IMAGE_SECTIONS];
	size_t n;
};

static inline void image_begin(struct image *m)
{
	static const uint8_t space[sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr)];

	*m = (struct image){ .n = 1 };
	buf_add(&m->file, space, sizeof(space));
	buf_add_byte(&m->names, 0);
}

/* Adds a section at the next multiple of 16; returns its number. */
static inline size_t image_section(struct image *m, const char *name, unsigned int type,
				   uint64_t base, const void *data, size_t size)
{
	Elf64_Shdr *h = &m->headers[m->n];

	while (m->file.len % 16)
		buf_add_byte(&m->file, 0);
	h->sh_name = (Elf64_Word)m->names.len;
	h->sh_type = type;
	h->sh_offset = m->file.len;
	h->sh_addr = base ? base + m->file.len : 0;
	h->sh_size = size;
	buf_add(&m->names, name, strlen(name) + 1);
	buf_add(&m->file, data, size);
	return m->n++;
}

static inline void image_finish(struct image *m)
{
	size_t names = image_section(m, ".shstrtab", SHT_STRTAB, 0, "", 0);
	Elf64_Phdr ph[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = IMAGE_CODE },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = IMAGE_DATA },
	};
	Elf64_Ehdr h = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(h), .e_ehsize = sizeof(h),
		.e_phentsize = sizeof(ph[0]), .e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	m->headers[names].sh_size = m->names.len;
	buf_add(&m->file, m->names.data, m->names.len);
	while (m->file.len % 16)
		buf_add_byte(&m->file, 0);
	h.e_shoff = m->file.len;
	h.e_shnum = (Elf64_Half)m->n;
	h.e_shstrndx = (Elf64_Half)names;
	buf_add(&m->file, m->headers, m->n * sizeof(m->headers[0]));
	ph[0].p_filesz = ph[0].p_memsz = ph[1].p_filesz = ph[1].p_memsz = m->file.len;
	memcpy(m->file.data, &h, sizeof(h));
	memcpy(m->file.data + sizeof(h), ph, sizeof(ph));
}

static inline void image_free(struct image *m)
{
	buf_free(&m->file);
	buf_free(&m->names);
}

/* --- what Go's linker puts there --- */

/* Build info with inline strings, as since Go 1.18. */
static inline void image_buildinfo(struct image *m, const char *version, const char *modules)
{
	struct buf b = {0};
	char frame[16] = "0123456789abcdef";
	size_t n = *modules ? strlen(modules) + 2 * sizeof(frame) : 0;

	buf_add(&b, "\xff Go buildinf:\x08\x02", 16);
	buf_add(&b, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	buf_add_byte(&b, (uint8_t)strlen(version));
	buf_add(&b, version, strlen(version));
	buf_add_byte(&b, (uint8_t)((n & 0x7f) | 0x80));
	buf_add_byte(&b, (uint8_t)(n >> 7));
	if (n) {
		buf_add(&b, frame, sizeof(frame));
		buf_add(&b, modules, strlen(modules));
		buf_add(&b, frame, sizeof(frame));
	}
	image_section(m, ".go.buildinfo", SHT_PROGBITS, IMAGE_DATA, b.data, b.len);
	buf_free(&b);
}

/* Functions "runtime.casgstatus", "runtime.ready" (which calls it), and a wrapper. */
static inline void image_code(struct image *m)
{
	static const uint8_t text[64] = {
		[0] = 0x55, 0xc3,				/* casgstatus */
		[16] = 0xe8, 0xeb, 0xff, 0xff, 0xff, 0xc3,	/* ready: call -21 */
		[32] = 0xc3,					/* the wrapper */
	};
	static const char names[] = "\0runtime.casgstatus\0runtime.ready\0runtime.allgs";
	size_t section = image_section(m, ".text", SHT_PROGBITS, IMAGE_CODE, text, sizeof(text));
	uint64_t at = m->headers[section].sh_addr;
	unsigned char func = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
	Elf64_Sym symbols[] = {
		{0},
		{ .st_name = 20, .st_info = func, .st_shndx = 1, .st_value = at + 16,
		  .st_size = 6 },
		{ .st_name = 1, .st_info = func, .st_shndx = 1, .st_value = at, .st_size = 16 },
		{ .st_name = 1, .st_info = func, .st_shndx = 1, .st_value = at + 32, .st_size = 1 },
		{ .st_name = 34, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), .st_shndx = 2,
		  .st_value = IMAGE_DATA + 0x40, .st_size = 24 },
	};
	size_t symtab;

	symtab = image_section(m, ".symtab", SHT_SYMTAB, 0, symbols, sizeof(symbols));
	m->headers[symtab].sh_link = (Elf64_Word)(symtab + 1);
	m->headers[symtab].sh_entsize = sizeof(symbols[0]);
	image_section(m, ".strtab", SHT_STRTAB, 0, names, sizeof(names));
}

/* Finishes the file and opens it; ends the test program with status 1 if gobin refuses it. */
static inline struct gobin *image_open(struct image *m)
{
	struct gobin *b = NULL;
	struct error err;

	image_finish(m);
	if (gobin_open_memory(&b, m->file.data, m->file.len, "image", &err)) {
		printf("# %s\n", err.text);
		exit(1);
	}
	return b;
}

#endif
