/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: the bytes of a v1 trace. They are read whole, since events are ordered
 * across the file and their tables stand at its end.
 */
#ifndef GOTAP_V1_FILE_H
#define GOTAP_V1_FILE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/vec.h"

/* Appends all of @path to @out; "-" is standard input. */
int v1_file_read(const char *path, struct buf *out, struct error *err);

/* True if the bytes begin with a v1 header; @n of 16 is enough to know. */
bool v1_file_is(const void *data, size_t n);

#endif
