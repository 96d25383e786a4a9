/* SPDX-License-Identifier: Apache-2.0 */
/* file: checks whether a file is a v1 trace, for commands that accept any trace. */
#ifndef GOTAP_V1_FILE_H
#define GOTAP_V1_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* True if the bytes begin with a v1 header. @n of 16 is enough. */
bool v1_file_is(const void *data, size_t n);

#endif
