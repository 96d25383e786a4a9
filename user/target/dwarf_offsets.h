/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf_offsets: field offsets of the Go runtime's structs from DWARF 4 or 5. In: an ELF file. Out:
 * struct go_offsets. Go's linker puts all types into a unit of package runtime, so that only units
 * of that name are read.
 */
#ifndef GOTAP_TARGET_DWARF_OFFSETS_H
#define GOTAP_TARGET_DWARF_OFFSETS_H

#include "base/error.h"
#include "gooffsets.h"
#include "symbol/elf_file.h"

/*
 * Reads the offsets for a program of Go 1.@minor. -ENOENT with a text if there is no DWARF data, or
 * if a field is missing that this release has by its row in GO_OFFSETS; @ret is then undefined.
 */
int dwarf_offsets_read(const struct elf_file *f, int minor, struct go_offsets *ret,
		       struct error *err);

#endif
