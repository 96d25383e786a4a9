// SPDX-License-Identifier: Apache-2.0
/* thrift: see thrift.h. */
#include "parquet/thrift.h"

#include <assert.h>
#include <string.h>

/* Types of fields, besides those of elements. */
enum { FIELD_TRUE = 1, FIELD_FALSE = 2, FIELD_I8 = 3, FIELD_LIST = 9 };
enum { VARINT_MOST = 10, LIST_SHORT = 15 };

void thrift_varint(struct buf *out, uint64_t value)
{
	buf_reserve(out, VARINT_MOST);
	for (; value >= 0x80; value >>= 7)
		out->data[out->len++] = (uint8_t)value | 0x80;
	out->data[out->len++] = (uint8_t)value;
}

void thrift_zigzag(struct buf *out, int64_t value)
{
	thrift_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static void thrift_push(struct thrift *t)
{
	assert(t->depth + 1 < THRIFT_DEPTH);
	t->last[++t->depth] = 0;
}

/* The header of a field: its distance to the last one, if that is short, and its type. */
static void thrift_field(struct thrift *t, int field, unsigned int type)
{
	int distance = field - t->last[t->depth];

	if (distance > 0 && distance <= 15) {
		buf_add_byte(t->out, (uint8_t)((unsigned int)distance << 4 | type));
	} else {
		buf_add_byte(t->out, (uint8_t)type);
		thrift_zigzag(t->out, field);
	}
	t->last[t->depth] = field;
}

void thrift_begin(struct thrift *t, struct buf *out)
{
	*t = (struct thrift){ .out = out };
}

void thrift_bool(struct thrift *t, int field, bool value)
{
	thrift_field(t, field, value ? FIELD_TRUE : FIELD_FALSE);
}

void thrift_i8(struct thrift *t, int field, int8_t value)
{
	thrift_field(t, field, FIELD_I8);
	buf_add_byte(t->out, (uint8_t)value);
}

void thrift_i32(struct thrift *t, int field, int32_t value)
{
	thrift_field(t, field, THRIFT_I32);
	thrift_zigzag(t->out, value);
}

void thrift_i64(struct thrift *t, int field, int64_t value)
{
	thrift_field(t, field, THRIFT_I64);
	thrift_zigzag(t->out, value);
}

void thrift_binary(struct thrift *t, int field, const void *data, size_t n)
{
	thrift_field(t, field, THRIFT_BINARY);
	thrift_element_binary(t, data, n);
}

void thrift_text(struct thrift *t, int field, const char *text)
{
	thrift_binary(t, field, text, strlen(text));
}

void thrift_open(struct thrift *t, int field)
{
	thrift_field(t, field, THRIFT_STRUCT);
	thrift_push(t);
}

void thrift_close(struct thrift *t)
{
	buf_add_byte(t->out, 0);
	if (t->depth)
		t->depth--;
}

void thrift_struct(struct thrift *t, int field, const void *data, size_t n)
{
	thrift_field(t, field, THRIFT_STRUCT);
	buf_add(t->out, data, n);
}

void thrift_list(struct thrift *t, int field, enum thrift_type type, size_t n)
{
	thrift_field(t, field, FIELD_LIST);
	if (n < LIST_SHORT) {
		buf_add_byte(t->out, (uint8_t)(n << 4 | type));
		return;
	}
	buf_add_byte(t->out, (uint8_t)(LIST_SHORT << 4 | type));
	thrift_varint(t->out, n);
}

void thrift_element_open(struct thrift *t)
{
	thrift_push(t);
}

void thrift_element_bool(struct thrift *t, bool value)
{
	buf_add_byte(t->out, value ? FIELD_TRUE : FIELD_FALSE);
}

void thrift_element_int(struct thrift *t, int64_t value)
{
	thrift_zigzag(t->out, value);
}

void thrift_element_binary(struct thrift *t, const void *data, size_t n)
{
	thrift_varint(t->out, n);
	buf_add(t->out, data, n);
}
