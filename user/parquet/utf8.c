// SPDX-License-Identifier: Apache-2.0
/* utf8: see utf8.h. */
#include "parquet/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SURROGATES = 0xd800, SURROGATES_END = 0xe000, LAST_CHARACTER = 0x10ffff };

static bool utf8_continues(char c)
{
	return ((uint8_t)c & 0xc0) == 0x80;
}

static size_t utf8_length(uint32_t character)
{
	return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

/* The length that the first byte announces; 0: none. */
static size_t utf8_announced(uint8_t first)
{
	if (first < 0x80)
		return 1;
	return first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/* The character at @text, of *@length bytes; *@length is 0 if it is none. */
static uint32_t utf8_decode(const char *text, size_t n, size_t *length)
{
	static const uint8_t first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t all = utf8_announced((uint8_t)*text), i;
	uint32_t character;

	*length = 0;
	if (!all || all > n)
		return 0;
	character = (uint8_t)*text & first_bits[all];
	for (i = 1; i < all; i++) {
		if (!utf8_continues(text[i]))
			return 0;
		character = character << 6 | ((uint8_t)text[i] & 0x3f);
	}
	if (utf8_length(character) != all || character > LAST_CHARACTER ||
	    (character >= SURROGATES && character < SURROGATES_END))
		return 0;
	*length = all;
	return character;
}

static bool utf8_is_ascii(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return !(word & 0x8080808080808080ULL);
}

size_t utf8_valid(const char *text, size_t n)
{
	size_t i = 0, length;

	while (i < n) {
		if (n - i >= sizeof(uint64_t) && utf8_is_ascii(text + i)) {
			i += sizeof(uint64_t);
			continue;
		}
		utf8_decode(text + i, n - i, &length);
		if (!length)
			break;
		i += length;
	}
	return i;
}

void utf8_repair(struct buf *out, const char *text, size_t n)
{
	size_t valid;

	for (out->len = 0; n; text += valid, n -= valid) {
		valid = utf8_valid(text, n);
		buf_add(out, text, valid);
		if (valid == n)
			return;
		buf_add(out, "\xef\xbf\xbd", 3);
		valid++;
	}
}

size_t utf8_cut(const char *text, size_t n, size_t most)
{
	size_t at = most;

	while (at && most - at < UTF8_MOST && utf8_continues(text[at]))
		at--;
	/* Nothing has to be kept together where no character begins. */
	return utf8_continues(text[at]) ? most : at;
}

size_t utf8_last(const char *text, size_t n)
{
	do
		n--;
	while (n && utf8_continues(text[n]));
	return n;
}

static size_t utf8_encode(uint32_t character, char to[UTF8_MOST])
{
	static const uint8_t marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = utf8_length(character), i;

	for (i = n - 1; i; i--, character >>= 6)
		to[i] = (char)(0x80 | (character & 0x3f));
	to[0] = (char)(marks[n] | character);
	return n;
}

size_t utf8_next(const char *text, size_t n, char next[UTF8_MOST])
{
	size_t length;
	uint32_t character = utf8_decode(text, n, &length) + 1;

	if (!length || character > LAST_CHARACTER)
		return 0;
	return utf8_encode(character == SURROGATES ? SURROGATES_END : character, next);
}
