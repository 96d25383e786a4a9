/* SPDX-License-Identifier: Apache-2.0 */
/*
 * varint: unsigned LEB128, as Go's encoding/binary writes it: seven bits per byte, least
 * significant group first, at most ten bytes.
 */
#ifndef GOTAP_TRACE_VARINT_H
#define GOTAP_TRACE_VARINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { VARINT_MAX = 10 };

/* Writes @v to @p, which has space for VARINT_MAX bytes; returns the end. */
static inline uint8_t *varint_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)v | 0x80;
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Appends @v to @b. */
static inline void varint_add(struct buf *b, uint64_t v)
{
	buf_reserve(b, VARINT_MAX);
	b->len = (size_t)(varint_put(b->data + b->len, v) - b->data);
}

#endif
