// SPDX-License-Identifier: Apache-2.0
/*
 * text_quote: see text_quote.h. The rules are those of strconv/quote.go (Go 1.27): Quote, Unquote,
 * UnquoteChar.
 */
#include "read/text_quote.h"

#include <string.h>

static bool text_quote_is_plain(uint8_t c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static void escape_ascii(struct buf *out, uint8_t c)
{
	static const char letters[] = "abtnvfr";	/* 7, 8, 9, ... 13 */

	buf_add_byte(out, '\\');
	if (c == '"' || c == '\\')
		buf_add_byte(out, c);
	else if (c >= 7 && c <= 13)
		buf_add_byte(out, (uint8_t)letters[c - 7]);
	else
		buf_printf(out, "x%02x", c);
}

static void quote_rune(struct buf *out, const uint8_t *p, size_t n, uint32_t rune)
{
	if (n == 1 && rune == RUNE_ERROR)
		buf_printf(out, "\\x%02x", p[0]);
	else if (rune_is_print(rune))
		buf_add(out, p, n);
	else
		buf_printf(out, rune < 0x10000 ? "\\u%04x" : "\\U%08x", rune);
}

void quote_append(struct buf *out, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;

	buf_add_byte(out, '"');
	while (p < end) {
		const uint8_t *plain = p;
		uint32_t rune;
		size_t len;

		while (p < end && text_quote_is_plain(*p))
			p++;
		buf_add(out, plain, (size_t)(p - plain));
		if (p == end)
			break;
		len = rune_decode(p, (size_t)(end - p), &rune);
		if (*p < 0x80)
			escape_ascii(out, *p);
		else
			quote_rune(out, p, len, rune);
		p += len;
	}
	buf_add_byte(out, '"');
}

static void add_rune(struct buf *out, uint32_t r)
{
	if (r < 0x80) {
		buf_add_byte(out, (uint8_t)r);
		return;
	}
	if (r < 0x800) {
		buf_add_byte(out, (uint8_t)(0xc0 | r >> 6));
	} else {
		if (r < 0x10000) {
			buf_add_byte(out, (uint8_t)(0xe0 | r >> 12));
		} else {
			buf_add_byte(out, (uint8_t)(0xf0 | r >> 18));
			buf_add_byte(out, (uint8_t)(0x80 | (r >> 12 & 0x3f)));
		}
		buf_add_byte(out, (uint8_t)(0x80 | (r >> 6 & 0x3f)));
	}
	buf_add_byte(out, (uint8_t)(0x80 | (r & 0x3f)));
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads @digits hexadecimal digits; false if there are fewer. */
static bool take_hex(const uint8_t **p, const uint8_t *end, int digits, uint32_t *v)
{
	*v = 0;
	for (; digits; digits--, (*p)++) {
		int d = *p < end ? hex_digit(**p) : -1;

		if (d < 0)
			return false;
		*v = *v << 4 | (uint32_t)d;
	}
	return true;
}

static bool unescape_octal(struct buf *out, const uint8_t **p, const uint8_t *end, uint32_t v)
{
	int i;

	for (i = 0; i < 2; i++, (*p)++) {
		if (*p == end || **p < '0' || **p > '7')
			return false;
		v = v << 3 | (uint32_t)(**p - '0');
	}
	if (v > 255)
		return false;
	buf_add_byte(out, (uint8_t)v);
	return true;
}

static bool unescape_unicode(struct buf *out, const uint8_t **p, const uint8_t *end, int digits)
{
	uint32_t v;

	if (!take_hex(p, end, digits, &v) || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return false;
	add_rune(out, v);
	return true;
}

/* Reads the escape after a backslash. */
static bool text_quote_unescape(struct buf *out, const uint8_t **p, const uint8_t *end,
				uint8_t quote)
{
	static const char names[] = "abtnvfr";
	const char *name;
	uint32_t v;
	uint8_t c;

	if (*p == end)
		return false;
	c = *(*p)++;
	if (c == '\\' || ((c == '\'' || c == '"') && c == quote)) {
		buf_add_byte(out, c);
		return true;
	}
	if (c >= '0' && c <= '7')
		return unescape_octal(out, p, end, (uint32_t)(c - '0'));
	if (c == 'u' || c == 'U')
		return unescape_unicode(out, p, end, c == 'u' ? 4 : 8);
	if (c == 'x') {
		if (!take_hex(p, end, 2, &v))
			return false;
		buf_add_byte(out, (uint8_t)v);
		return true;
	}
	name = c ? strchr(names, c) : NULL;
	if (!name)
		return false;
	buf_add_byte(out, (uint8_t)(7 + (name - names)));
	return true;
}

static bool unquote_char(struct buf *out, const uint8_t **p, const uint8_t *end, uint8_t quote)
{
	uint32_t rune;

	if (**p == '\n')
		return false;
	if (**p == '\\') {
		(*p)++;
		return text_quote_unescape(out, p, end, quote);
	}
	/* Bytes that are not UTF-8 become U+FFFD, as in Go. */
	*p += rune_decode(*p, (size_t)(end - *p), &rune);
	add_rune(out, rune);
	return true;
}

static bool unquote_raw(struct buf *out, const uint8_t *p, const uint8_t *end)
{
	for (; p < end && *p != '`'; p++)
		if (*p != '\r')
			buf_add_byte(out, *p);
	return p + 1 == end;
}

bool unquote_append(struct buf *out, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	uint8_t quote;

	if (n < 2)
		return false;
	quote = *p++;
	if (quote == '`')
		return unquote_raw(out, p, end);
	if ((quote != '"' && quote != '\'') || !memchr(p, quote, (size_t)(end - p)))
		return false;
	while (p < end && *p != quote) {
		const uint8_t *plain = p;

		while (p < end && text_quote_is_plain(*p) && quote == '"')
			p++;
		buf_add(out, plain, (size_t)(p - plain));
		if (p == end || *p == quote)
			break;
		if (!unquote_char(out, &p, end, quote))
			return false;
		if (quote == '\'')
			break;
	}
	return p + 1 == end && *p == quote;
}
