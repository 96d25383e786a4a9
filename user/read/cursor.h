/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor: bounds-checked reading of bytes that are in memory. It knows the
 * file offset of its first byte, so that whoever reports a fault can say
 * where it lies. Nothing is read past the end: a failed call leaves the
 * cursor where it was.
 */
#ifndef GOTAP_READ_CURSOR_H
#define GOTAP_READ_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *start, *pos, *end;
	uint64_t base;		/* file offset of start */
};

enum cursor_status {
	CURSOR_OK,
	CURSOR_EOF,		/* nothing left */
	CURSOR_SHORT,		/* ends inside the number */
	CURSOR_OVERFLOW,	/* more than 64 bits */
};

static inline struct cursor cursor_of(const uint8_t *data, size_t n, uint64_t base)
{
	return (struct cursor){ .start = data, .pos = data, .end = data + n, .base = base };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->pos);
}

static inline uint64_t cursor_offset(const struct cursor *c)
{
	return c->base + (uint64_t)(c->pos - c->start);
}

static inline bool cursor_byte(struct cursor *c, uint8_t *v)
{
	if (c->pos == c->end)
		return false;
	*v = *c->pos++;
	return true;
}

/* The general case of cursor_uvarint(). */
enum cursor_status cursor_uvarint_long(struct cursor *c, uint64_t *v);

/* An unsigned LEB128 number of at most 10 bytes, as Go's binary.ReadUvarint takes it. */
static inline enum cursor_status cursor_uvarint(struct cursor *c, uint64_t *v)
{
	if (c->pos < c->end && *c->pos < 0x80) {
		*v = *c->pos++;
		return CURSOR_OK;
	}
	return cursor_uvarint_long(c, v);
}

/* "unexpected EOF" and the like, for an error text. */
const char *cursor_status_text(enum cursor_status status);

#endif
