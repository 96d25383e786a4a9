/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf_variables: the types of global variables from DWARF 4 or 5, as type descriptors of the
 * program: Go's linker gives each type in DWARF data the place of its descriptor
 * (DW_AT_go_runtime_type), if the program has that. In: an ELF file. Out: for each variable with
 * pointers, or part of one, what lies there. libdw runs in a process without privileges. A file may
 * be hostile: what is returned may be false, and the caller must check each type.
 */
#ifndef GOTAP_TARGET_DWARF_VARIABLES_H
#define GOTAP_TARGET_DWARF_VARIABLES_H

#include <stdint.h>

#include "base/error.h"
#include "symbol/elf_file.h"

enum dwarf_variable_form {
	DWARF_VALUE,		/* a value of the type */
	/* of types without a descriptor: */
	DWARF_POINTER,		/* a pointer to a value of the type, */
	DWARF_SLICE,		/* to several of them */
};

struct dwarf_variable {
	uint64_t addr;		/* link-time address */
	uint64_t type;		/* of the descriptor: distance from the begin of all of them */
	uint32_t form;		/* enum dwarf_variable_form */
};

enum { DWARF_VARIABLES = 1 << 16 };

struct dwarf_variables {
	uint32_t n;
	uint32_t left_out;	/* those that are more than there is room for */
	struct dwarf_variable all[DWARF_VARIABLES];
};

/*
 * Reads the variables into @ret, 1.5 MB. -ENOENT with a text if there is no DWARF data; other
 * errors as isolated_run(). After an error @ret has none.
 */
int dwarf_variables_read(const struct elf_file *f, struct dwarf_variables *ret, struct error *err);

#endif
