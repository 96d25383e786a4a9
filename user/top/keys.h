/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: makes keys from the bytes that a terminal sends. The bytes of one key may come in several
 * pieces. The session of `gotap top` uses keys.
 */
#ifndef GOTAP_TOP_KEYS_H
#define GOTAP_TOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values below 0x110000 are characters. */
enum key {
	KEY_NONE = 0,
	KEY_ENTER = '\r',
	KEY_ESCAPE = 0x1b,
	KEY_BACKSPACE = 0x7f,
	KEY_UP = 0x110000,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_UNKNOWN, /* a sequence without a meaning here */
};

struct keys {
	char bytes[64];		/* bytes that do not make a whole key yet */
	size_t n;
};

/* Appends @n bytes that were read from the terminal. */
void keys_add(struct keys *k, const char *bytes, size_t n);
/*
 * Takes the next key; KEY_NONE: no whole key has come yet. @idle: no byte came for a while; an
 * escape byte alone is then the Escape key, and not the begin of a sequence.
 */
unsigned int keys_next(struct keys *k, bool idle);

#endif
