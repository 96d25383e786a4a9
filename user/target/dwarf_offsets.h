/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf_offsets: field offsets of the Go runtime's structs from DWARF 4 or 5.
 * In: an ELF file. Out: struct go_offsets. Go's linker puts all types into a
 * unit of package runtime, so only the units of that name are walked.
 */
#ifndef GOTAP_TARGET_DWARF_OFFSETS_H
#define GOTAP_TARGET_DWARF_OFFSETS_H

#include "base/error.h"
#include "gooffsets.h"
#include "symbol/elf_file.h"

/*
 * A field that a release from @minor's GO_OFFSETS row on must have and that is
 * missing, or a file without DWARF, is -ENOENT with a text; @ret is then
 * undefined.
 */
int dwarf_offsets_read(const struct elf_file *f, int minor, struct go_offsets *ret,
		       struct error *err);

#endif
