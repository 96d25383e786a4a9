/* SPDX-License-Identifier: Apache-2.0 */
/* utf8: valid UTF-8 (RFC 3629): no surrogates, nothing above U+10FFFF, the shortest form. */
#ifndef GOTAP_PARQUET_UTF8_H
#define GOTAP_PARQUET_UTF8_H

#include <stddef.h>

#include "base/vec.h"

enum { UTF8_MOST = 4 };		/* bytes of a character */

/* The bytes at the begin of @text that are whole, valid characters. */
size_t utf8_valid(const char *text, size_t n);
/* Replaces @out by @text, in which each byte that is not valid is U+FFFD. */
void utf8_repair(struct buf *out, const char *text, size_t n);
/* The length, at most @most, of the text when it is cut before a character. @most < @n. */
size_t utf8_cut(const char *text, size_t n, size_t most);
/* Where the last character of a valid text begins. @n > 0. */
size_t utf8_last(const char *text, size_t n);
/*
 * Writes the character after the one at @text to @next. Returns its length; 0: there is none. Skips
 * surrogates. The bytes are greater, too, since UTF-8 keeps the order of characters.
 */
size_t utf8_next(const char *text, size_t n, char next[UTF8_MOST]);

#endif
