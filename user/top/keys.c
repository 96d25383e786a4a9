// SPDX-License-Identifier: Apache-2.0
/* keys: see keys.h. */
#include "top/keys.h"

#include <string.h>

#include "base/show.h"

/* The sequences of xterm, the Linux console, tmux and screen. */
static const struct {
	const char *bytes;
	unsigned int key;
} sequences[] = {
	{ "\033[A", KEY_UP },         { "\033[B", KEY_DOWN },  { "\033[C", KEY_RIGHT },
	{ "\033[D", KEY_LEFT },       { "\033OA", KEY_UP },    { "\033OB", KEY_DOWN },
	{ "\033OC", KEY_RIGHT },      { "\033OD", KEY_LEFT },  { "\033[5~", KEY_PAGE_UP },
	{ "\033[6~", KEY_PAGE_DOWN }, { "\033[H", KEY_HOME },  { "\033[F", KEY_END },
	{ "\033OH", KEY_HOME },       { "\033OF", KEY_END },   { "\033[1~", KEY_HOME },
	{ "\033[4~", KEY_END },       { "\033[7~", KEY_HOME }, { "\033[8~", KEY_END },
};

void keys_add(struct keys *k, const char *bytes, size_t n)
{
	size_t room = sizeof(k->bytes) - k->n;

	if (n > room)
		n = room;
	memcpy(k->bytes + k->n, bytes, n);
	k->n += n;
}

static unsigned int keys_take(struct keys *k, size_t n, unsigned int key)
{
	memmove(k->bytes, k->bytes + n, k->n - n);
	k->n -= n;
	return key;
}

/*
 * Returns the length of the escape sequence (ECMA-48: CSI and SS3) at the begin of k->bytes; 0: its
 * end has not come yet.
 */
static size_t sequence_length(const struct keys *k)
{
	size_t i;

	if (k->n < 2)
		return 0;
	if (k->bytes[1] == 'O')
		return k->n < 3 ? 0 : 3;
	if (k->bytes[1] != '[')
		return 1;
	for (i = 2; i < k->n; i++)
		if (k->bytes[i] < 0x20 || k->bytes[i] >= 0x40)
			return i + 1;
	return k->n == sizeof(k->bytes) ? k->n : 0;
}

static unsigned int take_sequence(struct keys *k, bool idle)
{
	size_t n = sequence_length(k), i;

	if (!n)
		return idle ? keys_take(k, k->n, k->n == 1 ? KEY_ESCAPE : KEY_UNKNOWN) : KEY_NONE;
	if (n == 1)
		return keys_take(k, 1, KEY_ESCAPE);
	for (i = 0; i < sizeof(sequences) / sizeof(*sequences); i++)
		if (strlen(sequences[i].bytes) == n && !memcmp(sequences[i].bytes, k->bytes, n))
			return keys_take(k, n, sequences[i].key);
	return keys_take(k, n, KEY_UNKNOWN);
}

static size_t rune_length(char first)
{
	unsigned char c = (unsigned char)first;

	return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

static unsigned int take_rune(struct keys *k, bool idle)
{
	char text[5] = {0};
	size_t n = rune_length(k->bytes[0]);
	unsigned int rune;
	int len;

	if (k->n < n)
		return idle ? keys_take(k, k->n, KEY_UNKNOWN) : KEY_NONE;
	memcpy(text, k->bytes, n);
	rune = show_rune(text, &len);
	return rune && (size_t)len == n ? keys_take(k, n, rune) : keys_take(k, 1, KEY_UNKNOWN);
}

unsigned int keys_next(struct keys *k, bool idle)
{
	if (!k->n)
		return KEY_NONE;
	switch (k->bytes[0]) {
	case '\033':
		return take_sequence(k, idle);
	case '\n':
		return keys_take(k, 1, KEY_ENTER);
	case '\b':
		return keys_take(k, 1, KEY_BACKSPACE);
	case '\0':
		return keys_take(k, 1, KEY_UNKNOWN);
	default:
		return take_rune(k, idle);
	}
}
