/* SPDX-License-Identifier: Apache-2.0 */
/*
 * temp_file: a file without a name, for what does not fit into memory: in the folder that TMPDIR
 * names, else in /var/tmp, which is on a disk where /tmp may be memory. It goes with its
 * descriptor, however gotap ends.
 */
#ifndef GOTAP_BASE_TEMP_FILE_H
#define GOTAP_BASE_TEMP_FILE_H

#include <stddef.h>

#include "base/error.h"

/* A descriptor, open to read and to write; or a negative errno. */
int temp_file_open(struct error *err);
/* Writes all of it at @offset. A disk that is full is one error, which names the folder. */
int temp_file_write(int fd, const void *data, size_t n, long long offset, struct error *err);
/* Reads all of it from @offset. */
int temp_file_read(int fd, void *data, size_t n, long long offset, struct error *err);

#endif
