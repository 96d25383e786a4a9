// SPDX-License-Identifier: Apache-2.0
/* op_text: see op.h. */
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

/* These two run some times for each request: printf(3) would be a fifth of its price. */
static void text_add_key(struct buf *out, const char *key)
{
	if (out->len)
		buf_add_byte(out, ' ');
	buf_add(out, key, strlen(key));
	buf_add_byte(out, '=');
}

void op_log_number(struct buf *out, const char *key, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	text_add_key(out, key);
	buf_add(out, digits + at, sizeof(digits) - at);
}

size_t op_name_two(char name[OP_NAME_MOST], const char *a, size_t na, const char *b, size_t nb)
{
	na = strnlen(a, na < OP_NAME_MOST - 2 ? na : OP_NAME_MOST - 2);
	nb = strnlen(b, nb < OP_NAME_MOST - 2 - na ? nb : OP_NAME_MOST - 2 - na);
	memcpy(name, a, na);
	name[na] = ' ';
	memcpy(name + na + 1, b, nb);
	return na + 1 + nb;
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
