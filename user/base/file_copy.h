/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_copy: a private copy of the parts of a file that a caller asks for. elf_file
 * reads every program, library and debug file through it.
 *
 * The owner of the file may write to it meanwhile. A mapping of it would
 * change under a check that was made already, and a page that is cut off would end
 * gotap by SIGBUS. A copy does neither: bytes that were handed out stay as they are,
 * and a request for a part that the file no longer has fails.
 *
 * The copy has the size of the file in addresses, not in memory: a page takes memory
 * when it is copied, and a hole of a sparse file never does. FILE_COPY_MAX bounds
 * the sum of all requests.
 */
#ifndef GOTAP_BASE_FILE_COPY_H
#define GOTAP_BASE_FILE_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* More than three times the DWARF data and the code of the largest Go programs known. */
#define FILE_COPY_MAX (1ULL << 30)

struct file_copy;

/*
 * Copies the regular file @fd; the caller closes @fd. -ENOEXEC if it is no regular file or is
 * empty.
 */
int file_copy_new(struct file_copy **ret, int fd, struct error *err);
/* Accepts NULL. */
void file_copy_free(struct file_copy *c);
/* The file, open for reading, as long as the copy lives. */
int file_copy_fd(const struct file_copy *c);
/* The size that the file had. */
size_t file_copy_size(const struct file_copy *c);
/*
 * Bytes [off, off + n), which live as long as the copy. NULL if the file has not got
 * them all, cannot be read, or FILE_COPY_MAX is reached. For any thread.
 */
const uint8_t *file_copy_at(struct file_copy *c, uint64_t off, uint64_t n);
/* CRC-32 of the whole file, without keeping it; -EFBIG beyond FILE_COPY_MAX. */
int file_copy_crc32(const struct file_copy *c, uint32_t *ret);

#endif
