// SPDX-License-Identifier: Apache-2.0
/* cursor: see cursor.h. */
#include "read/cursor.h"

enum { MAX_UVARINT = 10 };

enum cursor_status cursor_uvarint_long(struct cursor *c, uint64_t *v)
{
	const uint8_t *p = c->pos;
	uint64_t x = 0;
	int i;

	for (i = 0; i < MAX_UVARINT; i++) {
		uint8_t b;

		if (p == c->end)
			return i ? CURSOR_SHORT : CURSOR_EOF;
		b = *p++;
		if (b < 0x80) {
			if (i == MAX_UVARINT - 1 && b > 1)
				return CURSOR_OVERFLOW;
			*v = x | (uint64_t)b << (7 * i);
			c->pos = p;
			return CURSOR_OK;
		}
		x |= (uint64_t)(b & 0x7f) << (7 * i);
	}
	return CURSOR_OVERFLOW;
}

const char *cursor_status_text(enum cursor_status status)
{
	switch (status) {
	case CURSOR_OK:
		return "no error";
	case CURSOR_EOF:
		return "EOF";
	case CURSOR_SHORT:
		return "unexpected EOF";
	case CURSOR_OVERFLOW:
		return "number overflows 64 bits";
	}
	return "?";
}
