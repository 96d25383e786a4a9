/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf_image: a small ELF file in memory with only those DWARF sections of a
 * binary that describe types. In: an ELF file. Out: an image for libdw, which
 *  - inflates every debug section when it opens a file, even line tables and
 *    location lists (two thirds of Go's DWARF) that nobody asks for here, and
 *  - writes to the section headers while it does so, which a mapped file shared
 *    with other readers must not suffer.
 */
#ifndef GOTAP_TARGET_DWARF_IMAGE_H
#define GOTAP_TARGET_DWARF_IMAGE_H

#include "base/vec.h"
#include "symbol/elf_file.h"

/* -ENOENT without DWARF, -E2BIG if a section claims to inflate beyond reason. */
int dwarf_image_make(struct buf *ret, const struct elf_file *f);

#endif
