/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_copy: a private copy of the parts of a file that a caller requests. elf_file reads every
 * program, library and debug file through it.
 *
 * The owner of the file may write to the file at the same time. A mapping of the file would change
 * after gotap has checked its content, and an access to a page that the owner cut off would end
 * gotap by SIGBUS. Bytes of the copy do not change, and a request for a part that the file no
 * longer has fails.
 *
 * The copy reserves addresses for the size of the file. A page takes memory when it is copied; a
 * hole of a sparse file takes none. FILE_COPY_MAX bounds the sum of all requests.
 */
#ifndef GOTAP_BASE_FILE_COPY_H
#define GOTAP_BASE_FILE_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * More than three times the DWARF data and code of the largest Go programs that gotap was tried
 * with.
 */
#define FILE_COPY_MAX (1ULL << 30)

struct file_copy;

/*
 * Prepares a copy of the regular file @fd; the caller closes @fd. file_copy_free() frees *@ret.
 * -ENOEXEC: @fd is not a regular file, or is empty.
 */
int file_copy_new(struct file_copy **ret, int fd, struct error *err);
/* Accepts NULL. */
void file_copy_free(struct file_copy *c);
/* A descriptor of the file, open for reading until file_copy_free(). */
int file_copy_fd(const struct file_copy *c);
/* The size of the file when file_copy_new() was called. */
size_t file_copy_size(const struct file_copy *c);
/*
 * Bytes [off, off + n), valid until file_copy_free(). NULL if the file does not have them all,
 * cannot be read, or the sum of requests exceeds FILE_COPY_MAX. Any thread may call this function.
 */
const uint8_t *file_copy_at(struct file_copy *c, uint64_t off, uint64_t n);
/* CRC-32 of the whole file, without a copy of it; -EFBIG if it is larger than FILE_COPY_MAX. */
int file_copy_crc32(const struct file_copy *c, uint32_t *ret);

#endif
