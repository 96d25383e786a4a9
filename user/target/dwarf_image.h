/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf_image: a small ELF file in memory that has only the DWARF sections of a binary which
 * describe types. In: an ELF file. Out: an image for libdw. libdw gets no whole file, for two
 * reasons:
 *
 * - It inflates every debug section when it opens a file, even line tables and location lists
 *   (two thirds of Go's DWARF), which gotap does not need here.
 * - It writes to the section headers meanwhile. A mapped file that other readers share must not
 *   change.
 */
#ifndef GOTAP_TARGET_DWARF_IMAGE_H
#define GOTAP_TARGET_DWARF_IMAGE_H

#include "base/vec.h"
#include "symbol/elf_file.h"

/*
 * Makes the image in @ret, which the caller frees. -ENOENT if there is no DWARF data, -E2BIG if a
 * section claims to inflate to more than any Go program has.
 */
int dwarf_image_make(struct buf *ret, const struct elf_file *f);

#endif
