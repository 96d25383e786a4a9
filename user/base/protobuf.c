// SPDX-License-Identifier: Apache-2.0
/* protobuf: see protobuf.h. Format: https://protobuf.dev/programming-guides/encoding */
#include "base/protobuf.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };
enum { VARINT_BYTES = 10 };

static size_t protobuf_put(uint8_t *to, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = (uint8_t)value | 0x80;
	to[n++] = (uint8_t)value;
	return n;
}

void protobuf_element(struct buf *b, uint64_t value)
{
	buf_reserve(b, VARINT_BYTES);
	b->len += protobuf_put(b->data + b->len, value);
}

static void protobuf_tag(struct buf *b, uint32_t field, unsigned int wire)
{
	protobuf_element(b, (uint64_t)field << 3 | wire);
}

void protobuf_uint(struct buf *b, uint32_t field, uint64_t value)
{
	protobuf_tag(b, field, WIRE_VARINT);
	protobuf_element(b, value);
}

void protobuf_fixed64(struct buf *b, uint32_t field, uint64_t value)
{
	int i;

	protobuf_tag(b, field, WIRE_FIXED64);
	for (i = 0; i < 8; i++)
		buf_add_byte(b, (uint8_t)(value >> 8 * i));
}

void protobuf_fixed32(struct buf *b, uint32_t field, uint32_t value)
{
	int i;

	protobuf_tag(b, field, WIRE_FIXED32);
	for (i = 0; i < 4; i++)
		buf_add_byte(b, (uint8_t)(value >> 8 * i));
}

void protobuf_bytes(struct buf *b, uint32_t field, const void *data, size_t n)
{
	protobuf_tag(b, field, WIRE_BYTES);
	protobuf_element(b, n);
	buf_add(b, data, n);
}

void protobuf_text(struct buf *b, uint32_t field, const char *text)
{
	protobuf_bytes(b, field, text, strlen(text));
}

/*
 * Leaves one byte for the length, since most messages are shorter than 128 bytes. protobuf_close()
 * moves a longer message to make room for a longer length.
 */
size_t protobuf_open(struct buf *b, uint32_t field)
{
	protobuf_tag(b, field, WIRE_BYTES);
	buf_add_byte(b, 0);
	return b->len;
}

void protobuf_close(struct buf *b, size_t open)
{
	uint8_t length[VARINT_BYTES];
	size_t n = b->len - open, more = protobuf_put(length, n) - 1;

	if (more) {
		buf_reserve(b, more);
		memmove(b->data + open + more, b->data + open, n);
		b->len += more;
	}
	memcpy(b->data + open - 1, length, more + 1);
}
