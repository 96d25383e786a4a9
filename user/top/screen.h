/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen: a terminal's cells, as they are to be and as they are shown. The view draws all of it
 * anew each time; screen_flush() gives the bytes that change the one into the other: only cells
 * that differ, so nothing flickers and a quiet screen costs nothing. The caller writes these bytes
 * at once. Nothing but printable characters and its own sequences (ECMA-48: CUP, SGR) ever gets
 * into them.
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
 * A screen with more rows loses the last ones: no terminal has as many, and the view of
 * screen_print() has fewer (view.c).
 */
enum { SCREEN_ROWS_MAX = 8192 };

struct screen;

/*
 * @utf8: the terminal shows UTF-8; else other characters than ASCII become '?'. @color: else styles
 * are bold and reverse only.
 */
struct screen *screen_new(bool utf8, bool color);
/*
 * Sets the size. All cells are written at the next flush; to be called also if something else has
 * written to the terminal.
 */
void screen_resize(struct screen *s, int rows, int cols);
int screen_rows(const struct screen *s);
int screen_cols(const struct screen *s);
bool screen_is_utf8(const struct screen *s);
/* All cells are blank. */
void screen_clear(struct screen *s);
/*
 * Puts at most @width columns of @text, which may come from the traced program; returns the columns
 * that it took. Cells outside of the screen are left out. Control characters become texts like
 * \x1b, as in base/show.h.
 */
int screen_put(struct screen *s, int row, int col, int width, enum style style, const char *text);
int screen_printf(struct screen *s, int row, int col, int width, enum style style, const char *fmt,
		  ...) __attribute__((format(printf, 6, 7)));
/* The style of the cells from @col on becomes @style. */
void screen_paint(struct screen *s, int row, int col, int width, enum style style);
/* Appends the bytes that make the terminal show this: none if it does. */
void screen_flush(struct screen *s, struct buf *out);
/* The rows as plain lines, without blanks at their ends and without empty rows at the end. */
void screen_print(const struct screen *s, FILE *f);
/* Columns that @text takes on this screen. */
int screen_width(const struct screen *s, const char *text);
/* Accepts NULL. */
void screen_free(struct screen *s);

#endif
