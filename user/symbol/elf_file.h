/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_file: bounds-checked reading of a 64-bit little-endian ELF file. In: a path or an image in
 * memory. Out: headers, sections by name, bytes by address. The file is hostile: nothing in it is
 * followed unchecked, and anything that lies outside the file counts as absent (NULL, false). Bytes
 * that were handed out do not change, even if another process writes to the file
 * (base/file_copy.h). target/ and symbol/ read every ELF file through this.
 */
#ifndef GOTAP_SYMBOL_ELF_FILE_H
#define GOTAP_SYMBOL_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file_copy.h"
#include "symbol/goarch.h"

/* A string table: at every offset below @size begins a NUL-terminated string. */
struct elf_strings {
	const char *data;
	size_t size;
};

struct elf_file {
	size_t size;
	struct file_copy *copy;	/* copy of a file; NULL: the image is at @memory, */
	const uint8_t *memory;	/* which belongs to the caller */
	bool borrowed;		/* the copy belongs to another elf_file, which closes it */
	Elf64_Ehdr header;
	const struct goarch *arch;	/* of header.e_machine */
	size_t nsegments, nsections;
	struct elf_strings names;	/* names of the sections */
};

/* The bytes that a section has in the file, and the address that they are linked to. */
struct elf_section {
	const uint8_t *data;
	size_t size;
	uint64_t addr;
	Elf64_Shdr header;
};

/*
 * Opens the file. It does not block, and opens no device, whatever lies at @path. elf_file_close()
 * frees the copy; @err has a text on failure.
 */
int elf_file_open(struct elf_file *f, const char *path, struct error *err);
/* As elf_file_open(), for a descriptor open for reading, which the caller keeps and closes. */
int elf_file_open_fd(struct elf_file *f, int fd, struct error *err);
/* As elf_file_open(), for an image in memory. Borrows @data, which must outlive @f. */
int elf_file_from_memory(struct elf_file *f, const void *data, size_t size, struct error *err);
/* Returns another view of @f, which must outlive it. */
struct elf_file elf_file_borrow(const struct elf_file *f);
/*
 * Opens the file of @f once more, with memory of its own that elf_file_close() frees: for a caller
 * that reads all of a large file once. For an image in memory it is a view, as elf_file_borrow()
 * returns.
 */
int elf_file_again(struct elf_file *ret, const struct elf_file *f, struct error *err);
void elf_file_close(struct elf_file *f);

/* Returns @n bytes at file offset @off, NULL if they are not all in the file. */
const uint8_t *elf_file_at(const struct elf_file *f, uint64_t off, uint64_t n);
/* Returns whether the file has @n bytes at @off. It reads no byte. */
bool elf_file_has(const struct elf_file *f, uint64_t off, uint64_t n);
/* Computes the CRC-32 of the whole file, as .gnu_debuglink has it. */
int elf_file_crc32(const struct elf_file *f, uint32_t *ret);

bool elf_segment_get(const struct elf_file *f, size_t i, Elf64_Phdr *ret);
/*
 * Finds the first PT_LOAD from index *@i on that has all of @flags (PF_W, PF_X), has all its bytes
 * in the file, and has addresses that do not wrap round. *@i is then the index after it.
 */
bool elf_load_next(const struct elf_file *f, size_t *i, uint32_t flags, Elf64_Phdr *ret);
/*
 * Finds section @i with its bytes; false if there is no such section, or if it has no bytes in the
 * file.
 */
bool elf_section_get(const struct elf_file *f, size_t i, struct elf_section *ret);
/*
 * Returns the sh_type of section @i; SHT_NULL if there is no such section, or if it has no bytes in
 * the file.
 */
uint32_t elf_section_type(const struct elf_file *f, size_t i);
bool elf_section_find(const struct elf_file *f, const char *name, struct elf_section *ret);
/* As elf_section_find(), but reads only the header, and none of the section's bytes. */
bool elf_section_header(const struct elf_file *f, const char *name, Elf64_Shdr *ret);
/*
 * Returns the description of the note of type @type by @owner, if @section begins with it; or NULL.
 */
const uint8_t *elf_note(const struct elf_file *f, const char *section, uint32_t type,
			const char owner[4], size_t *size);

/* Returns the file-backed bytes at link-time address @addr, NULL if they are not all there. */
const uint8_t *elf_bytes(const struct elf_file *f, uint64_t addr, uint64_t n);
/* As elf_bytes(), in a segment that the program cannot write; NULL if they lie in another one. */
const uint8_t *elf_constant_bytes(const struct elf_file *f, uint64_t addr, uint64_t n);
/* Finds the executable PT_LOAD that holds @addr with file-backed bytes. */
bool elf_exec_segment(const struct elf_file *f, uint64_t addr, Elf64_Phdr *ret);

struct elf_strings elf_strings_of(const struct elf_section *section);
/* Returns the string at @off, "" if @off is not in the table. */
const char *elf_string(const struct elf_strings *table, uint64_t off);

/* The symbols of a table, read in place. */
struct elf_symbols {
	const uint8_t *data;
	size_t n;
	struct elf_strings names;
};

/* The symbols of .symtab; false if the file has no .symtab, or an empty one. */
bool elf_symbols_of(const struct elf_file *f, struct elf_symbols *ret);
/* Finds the symbols of .dynsym, which strip(1) does not remove. */
bool elf_symbols_exported(const struct elf_file *f, struct elf_symbols *ret);
/* @i must be below s->n. */
Elf64_Sym elf_symbol(const struct elf_symbols *s, size_t i);

#endif
