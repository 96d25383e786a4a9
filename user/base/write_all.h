/* SPDX-License-Identifier: Apache-2.0 */
/* write_all: writes all bytes with write(2), for files that grow in pieces. */
#ifndef GOTAP_BASE_WRITE_ALL_H
#define GOTAP_BASE_WRITE_ALL_H

#include <stddef.h>

/* Returns 0 or -errno; -EIO if write(2) writes nothing without an error. *@done: bytes written. */
int write_all(int fd, const void *data, size_t n, size_t *done);

#endif
