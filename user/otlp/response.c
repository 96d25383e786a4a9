// SPDX-License-Identifier: Apache-2.0
/* response: see response.h. */
#include "otlp/response.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5, VARINT_BITS = 64 };
/* Fields, by the names of their messages. */
enum { RESPONSE_PARTIAL = 1, PARTIAL_REJECTED = 1, PARTIAL_MESSAGE = 2, STATUS_MESSAGE = 2 };

struct response_message {
	const uint8_t *p;
	size_t left;
	bool damaged;
};

struct response_field {
	uint64_t number;
	unsigned int wire;
	uint64_t value;		/* of a varint; of bytes their number */
	const uint8_t *data;	/* of bytes */
};

static bool response_skip(struct response_message *m, uint64_t n)
{
	if (n > m->left)
		return false;
	m->p += n;
	m->left -= n;
	return true;
}

static bool response_varint(struct response_message *m, uint64_t *ret)
{
	unsigned int shift;

	*ret = 0;
	for (shift = 0; m->left && shift < VARINT_BITS; shift += 7) {
		uint8_t c = *m->p;

		response_skip(m, 1);
		*ret |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

static bool response_value(struct response_message *m, struct response_field *f)
{
	switch (f->wire) {
	case WIRE_VARINT:
		return response_varint(m, &f->value);
	case WIRE_FIXED64:
		return response_skip(m, 8);
	case WIRE_FIXED32:
		return response_skip(m, 4);
	case WIRE_BYTES:
		if (!response_varint(m, &f->value))
			return false;
		f->data = m->p;
		return response_skip(m, f->value);
	default:
		return false;
	}
}

/* Returns whether there is another field. */
static bool response_next(struct response_message *m, struct response_field *f)
{
	uint64_t tag;

	if (!m->left)
		return false;
	*f = (struct response_field){0};
	m->damaged = !response_varint(m, &tag);
	if (m->damaged)
		return false;
	f->number = tag >> 3;
	f->wire = tag & 7;
	m->damaged = !f->number || !response_value(m, f);
	return !m->damaged;
}

static void response_take_text(const struct response_field *f, struct otlp_response *ret)
{
	size_t n = f->value < OTLP_MESSAGE - 1 ? (size_t)f->value : OTLP_MESSAGE - 1, i;

	for (i = 0; i < n; i++)
		ret->message[i] = f->data[i] ? (char)f->data[i] : ' ';
	ret->message[n] = 0;
}

/* A field of a message that comes again counts, as in protobuf. */
static bool response_read_partial(struct response_message m, struct otlp_response *ret)
{
	struct response_field f;

	while (response_next(&m, &f)) {
		if (f.number == PARTIAL_REJECTED && f.wire == WIRE_VARINT)
			ret->rejected = f.value > INT64_MAX ? 0 : f.value;
		else if (f.number == PARTIAL_MESSAGE && f.wire == WIRE_BYTES)
			response_take_text(&f, ret);
	}
	return !m.damaged;
}

bool response_read(const void *data, size_t n, struct otlp_response *ret)
{
	struct response_message m = { .p = data, .left = n };
	struct response_field f;

	*ret = (struct otlp_response){0};
	while (response_next(&m, &f))
		if (f.number == RESPONSE_PARTIAL && f.wire == WIRE_BYTES &&
		    !response_read_partial((struct response_message){ f.data, (size_t)f.value,
								      false }, ret))
			m.damaged = true, m.left = 0;
	if (m.damaged)
		*ret = (struct otlp_response){0};
	return !m.damaged;
}

bool response_read_status(const void *data, size_t n, struct otlp_response *ret)
{
	struct response_message m = { .p = data, .left = n };
	struct response_field f;

	*ret = (struct otlp_response){0};
	while (response_next(&m, &f))
		if (f.number == STATUS_MESSAGE && f.wire == WIRE_BYTES)
			response_take_text(&f, ret);
	if (m.damaged)
		*ret = (struct otlp_response){0};
	return !m.damaged && *ret->message;
}
