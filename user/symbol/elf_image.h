/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_image: an ELF file by link-time address, as the loader will place it, for the readers of the
 * function table. In: an open file (elf_file). Out: sections and segments as ranges of memory, and
 * pointers with their relocations: in a PIE the pointers of .gopclntab (up to Go 1.25) and of
 * moduledata are 0 in the file. A part that is not wholly inside the file counts as absent.
 */
#ifndef GOTAP_SYMBOL_ELF_IMAGE_H
#define GOTAP_SYMBOL_ELF_IMAGE_H

#include "symbol/elf_file.h"

/* A part of the file that is also a part of memory. */
struct elf_range {
	const uint8_t *data;
	uint64_t addr;
	size_t size;		/* bytes in the file */
};

/* Finds the allocated PROGBITS section with that name. */
bool elf_image_section_named(const struct elf_file *f, const char *name,
			     struct elf_range *ret);
/* Finds the symbol table of type SHT_SYMTAB or SHT_DYNSYM, and its names. */
bool elf_image_symbols(const struct elf_file *f, uint32_t type, struct elf_range *table,
		       struct elf_range *names);
/* As elf_load_next(): the first PT_LOAD from *@i on that has all of @flags. */
bool elf_image_next(const struct elf_file *f, size_t *i, uint32_t flags, struct elf_range *ret);

/*
 * Stores the values of the relative relocations (goarch.h) of [addr, addr + n) in @buf, a
 * copy of these bytes. Returns their number. It reads all relocations once (24 bytes each; 400,000
 * in a large PIE).
 */
size_t elf_image_relocate(const struct elf_file *f, uint64_t addr, uint8_t *buf, size_t n);
/*
 * Returns the next address after @after of a pointer that a relocation sets to @value; 0 if there
 * is none. In a PIE this finds the pointers to an address.
 */
uint64_t elf_image_pointer_to(const struct elf_file *f, uint64_t value, uint64_t after);

static inline uint32_t elf_u32(const uint8_t *p)
{
	uint32_t v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t elf_u64(const uint8_t *p)
{
	uint64_t v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

#endif
