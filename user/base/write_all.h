/* SPDX-License-Identifier: Apache-2.0 */
/* write_all: write(2) of all bytes. Files that grow in pieces are written by it. */
#ifndef GOTAP_BASE_WRITE_ALL_H
#define GOTAP_BASE_WRITE_ALL_H

#include <stddef.h>

/* 0 or -errno; -EIO if the file takes nothing and says no error. @done: bytes that were written. */
int write_all(int fd, const void *data, size_t n, size_t *done);

#endif
