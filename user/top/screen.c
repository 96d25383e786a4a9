// SPDX-License-Identifier: Apache-2.0
/* screen: see screen.h. */
#define _GNU_SOURCE
#include "top/screen.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/show.h"

/* Limit on columns, since a terminal can report a wrong size. */
enum { COLS_MAX = 1000 };

struct cell {
	uint32_t rune;		/* the character; 0: the right half of a wide character */
	uint8_t width;		/* 1 or 2; 0 for the right half of a wide character */
	uint8_t style;
};

struct screen {
	bool utf8, color;
	int rows, cols;
	bool known;		/* the terminal shows @shown; false: its cells are not known */
	struct cell *now, *shown;
	locale_t locale;	/* for the widths of characters; 0: none */
};

static const struct cell blank = { ' ', 1, STYLE_PLAIN };

struct screen *screen_new(bool utf8, bool color)
{
	struct screen *s = xcalloc(1, sizeof(*s));

	s->utf8 = utf8;
	s->color = color;
	if (utf8)
		s->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return s;
}

static int screen_limited(int side, int most)
{
	return side < 1 ? 1 : side > most ? most : side;
}

void screen_resize(struct screen *s, int rows, int cols)
{
	s->rows = screen_limited(rows, SCREEN_ROWS_MAX);
	s->cols = screen_limited(cols, COLS_MAX);
	s->known = false;
	free(s->now);
	free(s->shown);
	s->now = xcalloc((size_t)s->rows * (size_t)s->cols, sizeof(struct cell));
	s->shown = xcalloc((size_t)s->rows * (size_t)s->cols, sizeof(struct cell));
	screen_clear(s);
}

int screen_rows(const struct screen *s)
{
	return s->rows;
}

int screen_cols(const struct screen *s)
{
	return s->cols;
}

bool screen_is_utf8(const struct screen *s)
{
	return s->utf8;
}

void screen_clear(struct screen *s)
{
	int i;

	for (i = 0; i < s->rows * s->cols; i++)
		s->now[i] = blank;
}

/* --- putting --- */

/*
 * Returns the columns of a character: 0 for a combining character, and for one that the C library
 * does not know.
 */
static int rune_width(const struct screen *s, unsigned int rune)
{
	locale_t before;
	int width;

	if (rune < 0x7f)
		return 1;
	if (!s->utf8)
		return 1;
	if (!s->locale)
		return 0;
	before = uselocale(s->locale);
	width = wcwidth((wchar_t)rune);
	uselocale(before);
	return width < 0 ? 0 : width;
}

/*
 * The next piece of a text: a character, or an escape text in place of a control character or a
 * byte that is not UTF-8.
 */
struct piece {
	unsigned int rune;	/* 0: @text is the piece */
	char text[8];
	int width, bytes;
};

static struct piece screen_next_piece(const struct screen *s, const char *text)
{
	struct piece p = {0};
	unsigned int rune = show_rune(text, &p.bytes);

	if (!rune || show_is_control(rune)) {
		snprintf(p.text, sizeof(p.text), "\\x%02x", (unsigned char)*text);
		p.bytes = 1;
		p.width = 4;
		return p;
	}
	p.rune = rune < 0x7f || s->utf8 ? rune : '?';
	p.width = rune_width(s, rune);
	return p;
}

static struct cell *cell_at(const struct screen *s, int row, int col)
{
	return &s->now[row * s->cols + col];
}

/* Makes both halves of a wide character blank, if (@row, @col) is its right half. */
static void screen_cut(struct screen *s, int row, int col)
{
	if (col < s->cols && !cell_at(s, row, col)->rune && col > 0)
		*cell_at(s, row, col - 1) = *cell_at(s, row, col) = blank;
}

static void screen_put_rune(struct screen *s, int row, int col, unsigned int rune, int width,
			    enum style style)
{
	if (row < 0 || row >= s->rows || col < 0 || col + width > s->cols)
		return;
	screen_cut(s, row, col);
	screen_cut(s, row, col + width);
	*cell_at(s, row, col) = (struct cell){ rune, (uint8_t)width, (uint8_t)style };
	if (width == 2)
		*cell_at(s, row, col + 1) = (struct cell){ 0, 0, (uint8_t)style };
}

static void screen_put_piece(struct screen *s, int row, int col, const struct piece *p,
			     enum style style)
{
	int i;

	if (p->rune)
		screen_put_rune(s, row, col, p->rune, p->width, style);
	for (i = 0; p->text[i]; i++)
		screen_put_rune(s, row, col + i, (unsigned char)p->text[i], 1, style);
}

int screen_put(struct screen *s, int row, int col, int width, enum style style, const char *text)
{
	int used = 0;

	while (*text) {
		struct piece p = screen_next_piece(s, text);

		if (used + p.width > width)
			break;
		if (p.width)
			screen_put_piece(s, row, col + used, &p, style);
		used += p.width;
		text += p.bytes;
	}
	return used;
}

int screen_printf(struct screen *s, int row, int col, int width, enum style style, const char *fmt,
		  ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return screen_put(s, row, col, width, style, text);
}

int screen_width(const struct screen *s, const char *text)
{
	int width = 0;

	while (*text) {
		struct piece p = screen_next_piece(s, text);

		width += p.width;
		text += p.bytes;
	}
	return width;
}

void screen_paint(struct screen *s, int row, int col, int width, enum style style)
{
	int i;

	if (row < 0 || row >= s->rows)
		return;
	for (i = col < 0 ? 0 : col; i < col + width && i < s->cols; i++)
		cell_at(s, row, i)->style = (uint8_t)style;
}

/* --- to the terminal --- */

static const char *const colored[STYLES] = {
	[STYLE_PLAIN] = "0",     [STYLE_BOLD] = "0;1",    [STYLE_DIM] = "0;2",
	[STYLE_REVERSE] = "0;7", [STYLE_GOOD] = "0;32",   [STYLE_BUSY] = "0;33",
	[STYLE_BAD] = "0;1;31",  [STYLE_HEAD] = "0;1;36",
};

static const char *const uncolored[STYLES] = {
	[STYLE_PLAIN] = "0", [STYLE_BOLD] = "0;1", [STYLE_DIM] = "0", [STYLE_REVERSE] = "0;7",
	[STYLE_GOOD] = "0", [STYLE_BUSY] = "0", [STYLE_BAD] = "0;1", [STYLE_HEAD] = "0;1",
};

static bool screen_is_same(const struct cell *a, const struct cell *b)
{
	return a->rune == b->rune && a->style == b->style;
}

static void screen_add_rune(struct buf *out, uint32_t rune)
{
	if (rune < 0x80) {
		buf_add_byte(out, (uint8_t)rune);
		return;
	}
	if (rune < 0x800) {
		buf_add_byte(out, (uint8_t)(0xc0 | rune >> 6));
	} else {
		if (rune < 0x10000) {
			buf_add_byte(out, (uint8_t)(0xe0 | rune >> 12));
		} else {
			buf_add_byte(out, (uint8_t)(0xf0 | rune >> 18));
			buf_add_byte(out, (uint8_t)(0x80 | (rune >> 12 & 0x3f)));
		}
		buf_add_byte(out, (uint8_t)(0x80 | (rune >> 6 & 0x3f)));
	}
	buf_add_byte(out, (uint8_t)(0x80 | (rune & 0x3f)));
}

/* Position of the terminal's cursor, and its style; -1: not known. */
struct pen {
	int row, col, style;
};

static void write_cell(const struct screen *s, struct pen *pen, int row, int col, struct buf *out)
{
	const struct cell *c = cell_at(s, row, col);

	if (pen->row != row || pen->col != col)
		buf_printf(out, "\033[%d;%dH", row + 1, col + 1);
	if (pen->style != c->style)
		buf_printf(out, "\033[%sm", (s->color ? colored : uncolored)[c->style]);
	screen_add_rune(out, c->rune);
	/*
	 * a character outside of ASCII may have another width in the terminal: the position of the
	 * cursor is then not known
	 */
	*pen = (struct pen){ c->rune < 0x80 ? row : -1, col + c->width, c->style };
}

static void flush_row(struct screen *s, struct pen *pen, int row, struct buf *out)
{
	int col;

	for (col = 0; col < s->cols; col++) {
		const struct cell *c = cell_at(s, row, col), *old = &s->shown[row * s->cols + col];

		/*
		 * A character that overwrites one half of a wide character changes both cells: both
		 * differ then.
		 */
		if (c->width && (!s->known || !screen_is_same(c, old) ||
				 (c->width == 2 && !screen_is_same(c + 1, old + 1))))
			write_cell(s, pen, row, col, out);
	}
	/* after the last column the position of the cursor depends on the terminal */
	pen->row = -1;
}

void screen_flush(struct screen *s, struct buf *out)
{
	struct pen pen = { -1, -1, -1 };
	int row;

	if (!s->known)
		buf_printf(out, "\033[0m\033[2J");
	for (row = 0; row < s->rows; row++)
		flush_row(s, &pen, row, out);
	if (pen.style > STYLE_PLAIN)
		buf_printf(out, "\033[0m");
	memcpy(s->shown, s->now, (size_t)s->rows * (size_t)s->cols * sizeof(struct cell));
	s->known = true;
}

static int row_end(const struct screen *s, int row)
{
	int end = s->cols;

	while (end && cell_at(s, row, end - 1)->rune == ' ')
		end--;
	return end;
}

void screen_print(const struct screen *s, FILE *f)
{
	struct buf line = {0};
	int row, col, end, last = s->rows;

	while (last && !row_end(s, last - 1))
		last--;
	for (row = 0; row < last; row++) {
		line.len = 0;
		end = row_end(s, row);
		for (col = 0; col < end; col++)
			if (cell_at(s, row, col)->width)
				screen_add_rune(&line, cell_at(s, row, col)->rune);
		if (line.len)
			fwrite(line.data, 1, line.len, f);
		fputc('\n', f);
	}
	buf_free(&line);
}

void screen_free(struct screen *s)
{
	if (!s)
		return;
	if (s->locale)
		freelocale(s->locale);
	free(s->now);
	free(s->shown);
	free(s);
}
