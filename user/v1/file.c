// SPDX-License-Identifier: Apache-2.0
/* file: see file.h. */
#include "v1/file.h"

#include "v1/format.h"

bool v1_file_is(const void *data, size_t n)
{
	int version;
	size_t size;

	return v1_header_parse(data, n, &version, &size, NULL) == 0;
}
