/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor: reads bytes in memory and checks their end. A cursor knows the file offset of its first
 * byte, for the place of a fault. A call that fails leaves the cursor at its position.
 */
#ifndef GOTAP_READ_CURSOR_H
#define GOTAP_READ_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *start, *pos, *end;
	uint64_t base;		/* file offset of @start */
};

enum cursor_status {
	CURSOR_OK,
	CURSOR_EOF,		/* no byte is left */
	CURSOR_SHORT,		/* the bytes end inside the number */
	CURSOR_OVERFLOW,	/* the number has more than 64 bits */
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

/* Reads an unsigned LEB128 number of at most 10 bytes, as Go's binary.ReadUvarint does. */
static inline enum cursor_status cursor_uvarint(struct cursor *c, uint64_t *v)
{
	if (c->pos < c->end && *c->pos < 0x80) {
		*v = *c->pos++;
		return CURSOR_OK;
	}
	return cursor_uvarint_long(c, v);
}

/* The text of an error, such as "unexpected EOF". */
const char *cursor_status_text(enum cursor_status status);

#endif
