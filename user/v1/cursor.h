/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor: reads bytes and varints from memory, never beyond its end. After a failure the position
 * is at the begin of the item, and the error has it as an offset in the file.
 */
#ifndef GOTAP_V1_CURSOR_H
#define GOTAP_V1_CURSOR_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct v1_cursor {
	const uint8_t *data;
	size_t len, off;
};

/*
 * Reads a LEB128 number of at most ten bytes and 64 bits. -ENODATA: the bytes end; -EBADMSG: too
 * long.
 */
static inline int v1_cursor_value(struct v1_cursor *c, uint64_t *ret, struct error *err)
{
	size_t off = c->off;
	unsigned int shift;
	uint64_t v = 0;
	uint8_t b;

	*ret = 0;
	for (shift = 0; shift < 70; shift += 7) {
		if (off >= c->len)
			return error_set(err, -ENODATA, "failed to read trace at offset 0x%zx: "
					 "the file ends inside a value", c->off);
		b = c->data[off++];
		if (shift == 63 && b > 1)
			break;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*ret = v;
			c->off = off;
			return 0;
		}
	}
	return error_set(err, -EBADMSG, "bad value at offset 0x%zx", c->off);
}

/* Returns the next @n bytes in *@ret, without a copy. -ENODATA: there are fewer. */
static inline int v1_cursor_bytes(struct v1_cursor *c, uint64_t n, const char **ret,
				  struct error *err)
{
	if (n > c->len - c->off)
		return error_set(err, -ENODATA, "failed to read trace at offset 0x%zx: "
				 "want %llu bytes, the file has %zu more", c->off,
				 (unsigned long long)n, c->len - c->off);
	*ret = (const char *)c->data + c->off;
	c->off += n;
	return 0;
}

#endif
