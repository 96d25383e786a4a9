/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_quote: strings as Go source writes them. quote_append() and
 * unquote_append() give exactly what strconv.Quote and strconv.Unquote of Go
 * 1.27 give, invalid UTF-8 and Unicode 17's idea of "printable" included.
 */
#ifndef GOTAP_READ_TEXT_QUOTE_H
#define GOTAP_READ_TEXT_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define RUNE_ERROR 0xfffdu

/*
 * Decodes one UTF-8 sequence from the @n > 0 bytes at @p: returns its length;
 * 1 and RUNE_ERROR for bytes that are none.
 */
size_t rune_decode(const uint8_t *p, size_t n, uint32_t *rune);
/* unicode.IsSpace */
bool rune_is_space(uint32_t rune);
/* strconv.IsPrint */
bool rune_is_print(uint32_t rune);

/* Appends the @n bytes at @p in double quotes. */
void quote_append(struct buf *out, const uint8_t *p, size_t n);
/*
 * Appends the text between the quotes of the literal that is all of the @n
 * bytes at @p; false if it is no Go string literal (@out may have grown).
 */
bool unquote_append(struct buf *out, const uint8_t *p, size_t n);

#endif
