/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen: the cells of a terminal: as the view has drawn them, and as the terminal shows them. The
 * view draws all cells for each frame. screen_flush() returns the bytes that change the terminal's
 * cells to the drawn ones, for the cells that differ: a screen without changes needs no bytes, and
 * nothing flickers. The caller writes these bytes with one call. The bytes are printable
 * characters, and sequences of screen itself (ECMA-48: CUP, SGR).
 */
#ifndef GOTAP_TOP_SCREEN_H
#define GOTAP_TOP_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"

enum style {
	STYLE_PLAIN,
	STYLE_BOLD,
	STYLE_DIM,
	STYLE_REVERSE,
	STYLE_GOOD,
	STYLE_BUSY,
	STYLE_BAD,
	STYLE_HEAD,
	STYLES,
};

/*
 * Limit on rows; further rows are cut off. No terminal has as many rows, and the view draws fewer
 * for screen_print() (view.c).
 */
enum { SCREEN_ROWS_MAX = 8192 };

struct screen;

/*
 * Makes a screen without cells, which the caller frees with screen_free(). @utf8: the terminal
 * shows UTF-8; if not, each character outside of ASCII becomes '?'. @color: use colors; if not,
 * only bold and reverse.
 */
struct screen *screen_new(bool utf8, bool color);
/*
 * Sets the size. The next flush writes all cells. To be called, too, after another program has
 * written to the terminal.
 */
void screen_resize(struct screen *s, int rows, int cols);
int screen_rows(const struct screen *s);
int screen_cols(const struct screen *s);
bool screen_is_utf8(const struct screen *s);
/* Makes all cells blank. */
void screen_clear(struct screen *s);
/*
 * Puts at most @width columns of @text, which may come from the traced program. Returns the number
 * of columns that the text takes. Cells outside of the screen are left out. Control characters
 * become texts like \x1b, as in base/show.h.
 */
int screen_put(struct screen *s, int row, int col, int width, enum style style, const char *text);
int screen_printf(struct screen *s, int row, int col, int width, enum style style, const char *fmt,
		  ...) __attribute__((format(printf, 6, 7)));
/* Sets the style of @width cells from @col on. */
void screen_paint(struct screen *s, int row, int col, int width, enum style style);
/* Appends to @out the bytes that make the terminal show the drawn cells. */
void screen_flush(struct screen *s, struct buf *out);
/*
 * Writes the rows as plain text, without blanks at the end of a row, and without empty rows at the
 * end.
 */
void screen_print(const struct screen *s, FILE *f);
/* Returns the number of columns that @text takes on this screen. */
int screen_width(const struct screen *s, const char *text);
/* Frees @s, which may be NULL. */
void screen_free(struct screen *s);

#endif
