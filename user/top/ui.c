// SPDX-License-Identifier: Apache-2.0
/* ui: see ui.h. */
#define _GNU_SOURCE
#include "top/ui.h"

#include <stdlib.h>
#include <string.h>

#include "top/keys.h"

/* --- order --- */

struct comparison {
	const struct ui *u;
	const struct top_sample *s;
};

static int ui_compare(const void *a, const void *b, void *ctx)
{
	const struct comparison *c = ctx;
	int r = column_compare(c->u->sort,
			       vec_at(&c->s->rows, struct top_row, *(const uint32_t *)a),
			       vec_at(&c->s->rows, struct top_row, *(const uint32_t *)b));

	return c->u->reverse ? -r : r;
}

static bool ui_is_shown(const struct ui *u, const struct top_row *r)
{
	bool is_folded = u->system == SYSTEM_FOLDED && !*u->filter;

	if (r->system && (u->system == SYSTEM_HIDDEN || is_folded))
		return false;
	return !*u->filter || strcasestr(r->name, u->filter);
}

void ui_arrange(struct ui *u, const struct top_sample *s)
{
	struct comparison c = { u, s };
	uint32_t i;

	if (!column_is_in(u->sort, s->by_route))
		u->sort = s->by_route ? COLUMN_RATE : COLUMN_RUNNING;
	u->order.len = 0;
	for (i = 0; i < s->rows.len; i++)
		if (ui_is_shown(u, vec_at(&s->rows, struct top_row, i)))
			*(uint32_t *)vec_push(&u->order, sizeof(i)) = i;
	if (u->order.len)
		qsort_r(u->order.data, u->order.len, sizeof(i), ui_compare, &c);
}

static const struct top_row *ui_row_at(const struct ui *u, const struct top_sample *s, size_t place)
{
	return vec_at(&s->rows, struct top_row, *vec_at(&u->order, uint32_t, place));
}

size_t ui_selected(const struct ui *u, const struct top_sample *s)
{
	size_t i;

	for (i = 0; i < u->order.len; i++)
		if (ui_row_at(u, s, i)->key == u->selected)
			return i;
	return 0;
}

bool ui_is_expanded(const struct ui *u, uint64_t row)
{
	size_t i;

	for (i = 0; i < u->n_expanded; i++)
		if (u->expanded[i] == row)
			return true;
	return false;
}

/* --- keys --- */

static enum ui_wish select_by(struct ui *u, const struct top_sample *s, long by)
{
	long place;

	if (!s || !u->order.len)
		return UI_NOTHING;
	place = (long)ui_selected(u, s) + by;
	if (place < 0)
		place = 0;
	if (place >= (long)u->order.len)
		place = (long)u->order.len - 1;
	u->selected = ui_row_at(u, s, (size_t)place)->key;
	return UI_REDRAW;
}

/*
 * Expands or closes the selected row. If more than UI_EXPANDED rows would be open, the row that was
 * opened first is closed.
 */
static enum ui_wish ui_expand(struct ui *u, const struct top_sample *s)
{
	uint64_t key;
	size_t i;

	if (!s || !u->order.len)
		return UI_NOTHING;
	key = u->selected = ui_row_at(u, s, ui_selected(u, s))->key;
	for (i = 0; i < u->n_expanded && u->expanded[i] != key; i++)
		;
	if (i == u->n_expanded && u->n_expanded < UI_EXPANDED) {
		u->expanded[u->n_expanded++] = key;
		return UI_PLACES;
	}
	if (i < u->n_expanded)
		u->n_expanded--;
	else
		i = 0;
	memmove(&u->expanded[i], &u->expanded[i + 1], (UI_EXPANDED - 1 - i) * sizeof(key));
	if (u->n_expanded == UI_EXPANDED)
		u->expanded[UI_EXPANDED - 1] = key;
	return UI_PLACES;
}

static enum ui_wish sort_by(struct ui *u, const struct top_sample *s, int step)
{
	u->sort = column_next(u->sort, step, s && s->by_route);
	return UI_REDRAW;
}

static enum ui_wish ui_toggle(bool *what)
{
	*what = !*what;
	return UI_REDRAW;
}

/* Removes the last character, with all of its bytes. */
static void drop_last(char *text)
{
	size_t n = strlen(text);

	while (n && (text[n - 1] & 0xc0) == 0x80)
		n--;
	if (n)
		text[n - 1] = 0;
}

static enum ui_wish ui_edit(struct ui *u, unsigned int key)
{
	size_t n = strlen(u->filter);

	if (key == KEY_ENTER || key == KEY_ESCAPE)
		u->editing = false;
	if (key == KEY_ESCAPE)
		u->filter[0] = 0;
	else if (key == KEY_BACKSPACE)
		drop_last(u->filter);
	else if (key >= ' ' && key < 0x7f && n + 1 < UI_FILTER)
		memcpy(u->filter + n, (char[]){ (char)key, 0 }, 2);
	return UI_REDRAW;
}

static enum ui_wish ui_pause(struct ui *u)
{
	u->paused = !u->paused;
	return UI_PAUSE;
}

static enum ui_wish ui_escape(struct ui *u)
{
	u->help = false;
	u->filter[0] = 0;
	return UI_REDRAW;
}

static enum ui_wish ui_ungrouped(struct ui *u)
{
	u->n_expanded = 0;
	u->selected = 0;
	return UI_GROUP;
}

enum ui_wish ui_key(struct ui *u, unsigned int key, const struct top_sample *s)
{
	u->message[0] = 0;
	if (u->editing)
		return ui_edit(u, key);
	switch (key) {
	case 'q':
		return UI_QUIT;
	case '?': case 'h':
		return ui_toggle(&u->help);
	case ' ': case 'p':
		return ui_pause(u);
	case '/':
		u->editing = true;
		return UI_REDRAW;
	case 'g':
		return ui_ungrouped(u);
	case 's':
		return UI_SNAPSHOT;
	case 'r':
		return ui_toggle(&u->reverse);
	case 'y':
		u->system = (u->system + 1) % UI_SYSTEMS;
		return UI_REDRAW;
	case KEY_ENTER:
		return ui_expand(u, s);
	case KEY_LEFT: case '<':
		return sort_by(u, s, -1);
	case KEY_RIGHT: case '>':
		return sort_by(u, s, 1);
	case KEY_UP: case 'k':
		return select_by(u, s, -1);
	case KEY_DOWN: case 'j':
		return select_by(u, s, 1);
	case KEY_PAGE_UP:
		return select_by(u, s, -u->page);
	case KEY_PAGE_DOWN:
		return select_by(u, s, u->page);
	case KEY_HOME:
		return select_by(u, s, -(1L << 30));
	case KEY_END:
		return select_by(u, s, 1L << 30);
	case KEY_ESCAPE:
		return ui_escape(u);
	case 'L' & 0x1f:	/* Ctrl-L: draws all cells again, as in other programs */
		return UI_REDRAW;
	}
	return UI_NOTHING;
}

void ui_free(struct ui *u)
{
	vec_free(&u->order);
}
