/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_quote: string literals of Go. quote_append() and unquote_append() have the results of
 * strconv.Quote and strconv.Unquote of Go 1.27, also for invalid UTF-8, and with the printable
 * characters of Unicode 17.
 */
#ifndef GOTAP_READ_TEXT_QUOTE_H
#define GOTAP_READ_TEXT_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define RUNE_ERROR 0xfffdu

/*
 * Decodes one UTF-8 sequence at @p, of which @n > 0 bytes are there. Returns its length; 1 with
 * RUNE_ERROR for bytes that are not UTF-8.
 */
size_t rune_decode(const uint8_t *p, size_t n, uint32_t *rune);
/* As unicode.IsSpace. */
bool rune_is_space(uint32_t rune);
/* As strconv.IsPrint. */
bool rune_is_print(uint32_t rune);

/* Appends the @n bytes at @p in double quotes. */
void quote_append(struct buf *out, const uint8_t *p, size_t n);
/*
 * Appends the text of the literal that takes all @n bytes at @p. False if they are not a Go string
 * literal (@out may then have grown).
 */
bool unquote_append(struct buf *out, const uint8_t *p, size_t n);

#endif
