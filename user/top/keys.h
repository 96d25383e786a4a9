/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: the bytes that a terminal sends as keys. A sequence may come in pieces. Used by the session
 * of `gotap top`.
 */
#ifndef GOTAP_TOP_KEYS_H
#define GOTAP_TOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Below 0x110000: the character. */
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
	KEY_UNKNOWN, /* a sequence that means nothing here */
};

struct keys {
	char bytes[64];		/* not taken yet */
	size_t n;
};

/* Appends @n bytes that were read from the terminal. */
void keys_add(struct keys *k, const char *bytes, size_t n);
/*
 * Takes the next key; KEY_NONE: there is none yet. @idle: nothing came for a while, so that an
 * escape byte alone is the Escape key and not the begin of a sequence.
 */
unsigned int keys_next(struct keys *k, bool idle);

#endif
