// SPDX-License-Identifier: Apache-2.0
/* pcvalue: see pcvalue.h. */
#include "symbol/pcvalue.h"

/* Five bytes hold 32 bits; the linker never writes more. */
enum { VARINT_MAX = 5 };

static bool read_varint(struct pcvalue *v, uint32_t *ret)
{
	uint32_t n = 0;
	int i;

	for (i = 0; i < VARINT_MAX && v->p < v->end; i++) {
		uint8_t b = *v->p++;

		n |= (uint32_t)(b & 0x7f) << (7 * i);
		if (!(b & 0x80)) {
			*ret = n;
			return true;
		}
	}
	return false;
}

bool pcvalue_next(struct pcvalue *v)
{
	uint32_t value, length;

	if (!read_varint(v, &value) || (!value && v->started) || !read_varint(v, &length))
		return false;
	v->started = true;
	v->value = (int32_t)((uint32_t)v->value + (-(value & 1) ^ (value >> 1)));
	v->start = v->stop;
	v->stop += (uint64_t)length * v->quantum;
	return true;
}

int32_t pcvalue_at(const uint8_t *table, size_t size, unsigned int quantum, uint64_t offset)
{
	struct pcvalue v = pcvalue_start(table, size, quantum);

	while (pcvalue_next(&v)) {
		if (offset < v.stop)
			return v.value;
	}
	return -1;
}
