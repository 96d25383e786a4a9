/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_file: bounds-checked reading of a 64-bit little-endian x86-64 ELF file.
 * In: a path or an image in memory. Out: headers, sections by name, bytes by
 * address. The file is hostile: nothing in it is followed unchecked, and what
 * lies outside it is simply not there (NULL, false).
 *
 * A path is mapped MAP_PRIVATE, because a prober needs a few hundred bytes of
 * a file of 100 MB. The price: truncating the file in place while gotap reads
 * it ends gotap with SIGBUS (the target is not affected). The kernel refuses
 * that for a running executable (ETXTBSY), and updates replace files by rename.
 */
#ifndef GOTAP_SYMBOL_ELF_FILE_H
#define GOTAP_SYMBOL_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A string table: every offset below size starts a NUL terminated string. */
struct elf_strings {
	const char *data;
	size_t size;
};

struct elf_file {
	const uint8_t *data;
	size_t size;
	bool mapped;		/* data is our own mapping */
	Elf64_Ehdr header;
	size_t nsegments, nsections;
	struct elf_strings names;	/* of the sections */
};

/* Bytes of a section that are in the file, at the address they are linked to. */
struct elf_section {
	const uint8_t *data;
	size_t size;
	uint64_t addr;
	Elf64_Shdr header;
};

int elf_file_open(struct elf_file *f, const char *path, struct error *err);
/* Borrows @data, which must outlive @f. */
int elf_file_from_memory(struct elf_file *f, const void *data, size_t size, struct error *err);
void elf_file_close(struct elf_file *f);

/* @n bytes at file offset @off, NULL if they are not all in the file. */
const uint8_t *elf_file_at(const struct elf_file *f, uint64_t off, uint64_t n);

bool elf_segment_get(const struct elf_file *f, size_t i, Elf64_Phdr *ret);
/* Section @i with its bytes; false if it is none or has no bytes in the file. */
bool elf_section_get(const struct elf_file *f, size_t i, struct elf_section *ret);
bool elf_section_find(const struct elf_file *f, const char *name, struct elf_section *ret);
/* The description of the note @type of @owner that @section begins with; NULL if it does not. */
const uint8_t *elf_note(const struct elf_file *f, const char *section, uint32_t type,
			const char owner[4], size_t *size);

/* File-backed bytes at link-time address @addr, NULL if they are not all there. */
const uint8_t *elf_bytes(const struct elf_file *f, uint64_t addr, uint64_t n);
/* The executable PT_LOAD that holds @addr with file-backed bytes. */
bool elf_exec_segment(const struct elf_file *f, uint64_t addr, Elf64_Phdr *ret);

struct elf_strings elf_strings_of(const struct elf_section *section);
/* "" if @off is not in the table. */
const char *elf_string(const struct elf_strings *table, uint64_t off);

/* Symbols of a table, without copying them. */
struct elf_symbols {
	const uint8_t *data;
	size_t n;
	struct elf_strings names;
};

/* Those of .symtab; false if there is none, or an empty one. */
bool elf_symbols_of(const struct elf_file *f, struct elf_symbols *ret);
/* Those of .dynsym, which stripping leaves. */
bool elf_symbols_exported(const struct elf_file *f, struct elf_symbols *ret);
/* @i must be below s->n. */
Elf64_Sym elf_symbol(const struct elf_symbols *s, size_t i);

#endif
