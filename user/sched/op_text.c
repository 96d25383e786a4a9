// SPDX-License-Identifier: Apache-2.0
/* op_text: see op.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sched/op.h"

static bool text_is_plain(const char *text, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((uint8_t)text[i] <= ' ' || text[i] == '"' || text[i] == '\\' || text[i] == 127)
			return false;
	return n;
}

static void text_add_quoted(struct buf *out, const char *text, size_t n)
{
	char code[8];
	size_t i;

	buf_add_byte(out, '"');
	for (i = 0; i < n; i++) {
		uint8_t c = (uint8_t)text[i];

		if (c == '"' || c == '\\')
			snprintf(code, sizeof(code), "\\%c", c);
		else
			snprintf(code, sizeof(code), c < ' ' || c == 127 ? "\\x%02x" : "%c", c);
		buf_add(out, code, strlen(code));
	}
	buf_add_byte(out, '"');
}

static void text_add_key(struct buf *out, const char *key)
{
	buf_printf(out, "%s%s=", out->len ? " " : "", key);
}

void op_log_number(struct buf *out, const char *key, uint64_t value)
{
	text_add_key(out, key);
	buf_printf(out, "%" PRIu64, value);
}

void op_log_text(struct buf *out, const char *key, const char *text, size_t n)
{
	text_add_key(out, key);
	if (text_is_plain(text, n))
		buf_add(out, text, n);
	else
		text_add_quoted(out, text, n);
}

void op_log_word(struct buf *out, const char *key, const char *word)
{
	op_log_text(out, key, word, strlen(word));
}
