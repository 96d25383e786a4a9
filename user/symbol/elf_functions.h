/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_functions: names for code that is not Go's, from the ELF symbol table. In: an open image.
 * Out: the symbol around an address. It is used only where the sources of names (source.h) have
 * none: for C code that cgo links in.
 */
#ifndef GOTAP_SYMBOL_ELF_FUNCTIONS_H
#define GOTAP_SYMBOL_ELF_FUNCTIONS_H

#include "base/vec.h"
#include "symbol/elf_image.h"

struct elf_functions {
	struct vec all;		/* struct elf_function, by address */
};

/* Reads .symtab or, if there is none, .dynsym. The names are not copied: @img must outlive @f. */
void elf_functions_load(struct elf_functions *f, const struct elf_file *img);
void elf_functions_free(struct elf_functions *f);
/* Returns the function symbol whose bytes hold @addr, NULL if there is none. */
const char *elf_functions_at(const struct elf_functions *f, uint64_t addr);

#endif
