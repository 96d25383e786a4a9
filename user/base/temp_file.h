/* SPDX-License-Identifier: Apache-2.0 */
/*
 * temp_file: a file without a name, for data that does not fit into memory. It lies in the folder
 * of the variable TMPDIR, else in /var/tmp, which is on a disk (/tmp may be memory). The kernel
 * removes the file with its descriptor, even if gotap is killed.
 */
#ifndef GOTAP_BASE_TEMP_FILE_H
#define GOTAP_BASE_TEMP_FILE_H

#include <stddef.h>

#include "base/error.h"

/* A descriptor, open for reading and writing; or a negative errno. */
int temp_file_open(struct error *err);
/* Writes all @n bytes at @offset. If the disk is full the error names the folder. */
int temp_file_write(int fd, const void *data, size_t n, long long offset, struct error *err);
/* Reads all @n bytes at @offset. */
int temp_file_read(int fd, void *data, size_t n, long long offset, struct error *err);

#endif
