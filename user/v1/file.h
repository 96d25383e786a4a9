/* SPDX-License-Identifier: Apache-2.0 */
/* file: is a file a v1 trace? For commands that take any. */
#ifndef GOTAP_V1_FILE_H
#define GOTAP_V1_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* True if the bytes begin with a v1 header; @n of 16 is enough to know. */
bool v1_file_is(const void *data, size_t n);

#endif
