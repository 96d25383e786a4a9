// SPDX-License-Identifier: Apache-2.0
/* size_class: see size_class.h. */
#include "plan/size_class.h"

#include <stddef.h>

/* runtime, class_to_size (gc.SizeClassToSize since 1.26), from OBJECT_MIN on */
static const uint16_t classes[] = {
	1024,  1152,  1280,  1408,  1536,  1792,  2048,  2304,  2688,  3072,  3200,  3456,
	4096,  4864,  5376,  6144,  6528,  6784,  6912,  8192,  9472,  9728,  10240, 10880,
	12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
};

enum { PAGE_BYTES = 8192 };

uint64_t size_class_round(uint64_t bytes)
{
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (bytes <= classes[i])
			return classes[i];
	return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}
