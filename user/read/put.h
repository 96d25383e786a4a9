/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put: appends text to a buffer, for output of millions of lines: numbers and constant words
 * without a format string, and with one check for space.
 */
#ifndef GOTAP_READ_PUT_H
#define GOTAP_READ_PUT_H

#include <string.h>

#include "base/vec.h"

enum { PUT_DIGITS = 20 };	/* digits of the largest uint64_t */

static inline uint8_t *put_room(struct buf *b, size_t n)
{
	if (__builtin_expect(b->cap - b->len <= n, 0))
		buf_reserve(b, n + 1);	/* + 1: the result is valid for @n 0, too */
	return b->data + b->len;
}

static inline void put_bytes(struct buf *b, const void *p, size_t n)
{
	memcpy(put_room(b, n), p, n);
	b->len += n;
}

/* A constant text; the compiler knows its length. */
#define put_word(b, text) put_bytes(b, text, sizeof("" text) - 1)

static inline void put_text(struct buf *b, const char *text)
{
	put_bytes(b, text, strlen(text));
}

static inline void put_byte(struct buf *b, char c)
{
	*put_room(b, 1) = (uint8_t)c;
	b->len++;
}

static inline void put_uint(struct buf *b, uint64_t v)
{
	uint8_t digits[PUT_DIGITS], *d = digits + sizeof(digits);

	do
		*--d = (uint8_t)('0' + v % 10);
	while (v /= 10);
	put_bytes(b, d, (size_t)(digits + sizeof(digits) - d));
}

static inline void put_int(struct buf *b, int64_t v)
{
	if (v < 0)
		put_byte(b, '-');
	put_uint(b, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static inline void put_hex(struct buf *b, uint64_t v)
{
	uint8_t digits[16], *d = digits + sizeof(digits);

	do
		*--d = (uint8_t)"0123456789abcdef"[v & 15];
	while (v >>= 4);
	put_bytes(b, d, (size_t)(digits + sizeof(digits) - d));
}

/* Appends exactly the last @n digits of @v. */
static inline void put_digits(struct buf *b, uint64_t v, unsigned n)
{
	uint8_t *p = put_room(b, n) + n;

	b->len += n;
	for (; n; n--, v /= 10)
		*--p = (uint8_t)('0' + v % 10);
}

#endif
