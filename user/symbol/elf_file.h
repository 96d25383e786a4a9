/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_file: bounds-checked reading of a 64-bit little-endian ELF file.
 * In: a path or an image in memory. Out: headers, sections by name, bytes by
 * address. The file is hostile: nothing in it is followed unchecked, and what
 * lies outside it is simply not there (NULL, false). Bytes that were handed out do
 * not change, whoever writes to the file (base/file_copy.h). target/ and
 * symbol/ read every ELF file through this.
 */
#ifndef GOTAP_SYMBOL_ELF_FILE_H
#define GOTAP_SYMBOL_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file_copy.h"

/* A string table: every offset below size starts a NUL terminated string. */
struct elf_strings {
	const char *data;
	size_t size;
};

struct elf_file {
	size_t size;
	struct file_copy *copy;	/* of a file; NULL: all of it is at */
	const uint8_t *memory;	/* , which is not our own */
	bool borrowed;		/* the copy is another's, too */
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

/* Waits for nothing and opens no device, whatever lies at @path. */
int elf_file_open(struct elf_file *f, const char *path, struct error *err);
/* The same of a descriptor open for reading, which stays the caller's. */
int elf_file_open_fd(struct elf_file *f, int fd, struct error *err);
/* Borrows @data, which must outlive @f. */
int elf_file_from_memory(struct elf_file *f, const void *data, size_t size, struct error *err);
/* Another view of @f, which must outlive it. */
struct elf_file elf_file_borrow(const struct elf_file *f);
/*
 * Opens the file of @f once more, with memory of its own that elf_file_close() frees: for a caller
 * that reads all of a large file once. For a file in memory it is a view, as above.
 */
int elf_file_again(struct elf_file *ret, const struct elf_file *f, struct error *err);
void elf_file_close(struct elf_file *f);

/* @n bytes at file offset @off, NULL if they are not all in the file. */
const uint8_t *elf_file_at(const struct elf_file *f, uint64_t off, uint64_t n);
/* Does the file reach that far? Reads nothing. */
bool elf_file_has(const struct elf_file *f, uint64_t off, uint64_t n);
/* CRC-32 of the whole file: .gnu_debuglink's. */
int elf_file_crc32(const struct elf_file *f, uint32_t *ret);

bool elf_segment_get(const struct elf_file *f, size_t i, Elf64_Phdr *ret);
/*
 * The first PT_LOAD from *@i on that has all of @flags (PF_W, PF_X), whose bytes are
 * all in the file and whose addresses do not wrap round. Leaves *@i behind it.
 */
bool elf_load_next(const struct elf_file *f, size_t *i, uint32_t flags, Elf64_Phdr *ret);
/* Section @i with its bytes; false if it is none or has no bytes in the file. */
bool elf_section_get(const struct elf_file *f, size_t i, struct elf_section *ret);
/* Its sh_type; SHT_NULL if it is none or has no bytes in the file. */
uint32_t elf_section_type(const struct elf_file *f, size_t i);
bool elf_section_find(const struct elf_file *f, const char *name, struct elf_section *ret);
/* Its header only, if it has bytes and the file has them; reads none of them. */
bool elf_section_header(const struct elf_file *f, const char *name, Elf64_Shdr *ret);
/* The description of the note @type of @owner that @section begins with; NULL if it does not. */
const uint8_t *elf_note(const struct elf_file *f, const char *section, uint32_t type,
			const char owner[4], size_t *size);

/* File-backed bytes at link-time address @addr, NULL if they are not all there. */
const uint8_t *elf_bytes(const struct elf_file *f, uint64_t addr, uint64_t n);
/* The same of a segment that the program cannot write; NULL if there is none. */
const uint8_t *elf_constant_bytes(const struct elf_file *f, uint64_t addr, uint64_t n);
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

/* The symbols of .symtab; false if the file has no .symtab, or an empty one. */
bool elf_symbols_of(const struct elf_file *f, struct elf_symbols *ret);
/* The symbols of .dynsym, which strip(1) does not remove. */
bool elf_symbols_exported(const struct elf_file *f, struct elf_symbols *ret);
/* @i must be below s->n. */
Elf64_Sym elf_symbol(const struct elf_symbols *s, size_t i);

#endif
