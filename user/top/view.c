// SPDX-License-Identifier: Apache-2.0
/*
 * view: see view.h. This file has the table, the help, and the positions of head, table and last
 * line.
 */
#include "top/view.h"

#include <inttypes.h>
#include <string.h>

#include "base/show.h"
#include "read/http.h"
#include "top/groups.h"
#include "tracev2.h"

enum {
	PLACES = 8,		/* of an expanded row */
	FRAMES = 4,		/* of a place */
	NAME_LEAST = 24,	/* minimum width of the name; the reasons get the columns beyond */
	NUMBERS = 6 * 7 + 8,	/* columns before the name */
};

/*
 * The lines of the table count from 0. The lines from @first on are drawn, up to the row @end of
 * the screen.
 */
struct table {
	const struct view *v;
	struct screen *screen;
	const struct ui *u;
	const struct top_sample *s;
	int row, end;		/* rows of the screen; if screen is NULL, lines are only counted */
	int first, line;
	int selected;		/* the line of the selected row; -1: none */
};

/* Returns the row of the screen for the next line; -1: the line is not on the screen. */
static int next_line(struct table *t)
{
	int row = t->row + t->line - t->first;

	t->line++;
	return t->screen && row >= t->row && row < t->end ? row : -1;
}

/* --- a row --- */

static void view_put_reasons(const struct table *t, int row, int col, const struct top_row *r)
{
	char text[256];
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < r->reasons && n < sizeof(text); i++) {
		const struct top_reason *why =
			vec_at(&t->s->reasons, struct top_reason, r->reason + i);

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %" PRIu64, i ? ", " : "",
				      *why->text ? why->text : "(since before)", why->now);
	}
	if (r->reasons)
		screen_put(t->screen, row, col, screen_cols(t->screen) - col, STYLE_DIM, text);
}

/*
 * Returns the end of a name that is too long: the end of a function's name is more specific than
 * its begin.
 */
static const char *view_end_of(const struct screen *s, const char *name, int width)
{
	int len;

	while (*name && screen_width(s, name) > width) {
		show_rune(name, &len);
		name += len;
	}
	return name;
}

static int name_width(const struct table *t)
{
	int rest = screen_cols(t->screen) - NUMBERS;

	return rest < 2 * NAME_LEAST ? rest : rest / 2;
}

/* "request 156 503 /late": the one that took longest. */
static void view_put_slowest(const struct table *t, int row, int col, const struct top_route *route)
{
	char status[16] = "";

	if (!route->slowest_path)
		return;
	if (route->slowest_status)
		snprintf(status, sizeof(status), " %u", route->slowest_status);
	screen_printf(t->screen, row, col, screen_cols(t->screen) - col, STYLE_DIM,
		      "request %" PRIu64 "%s %s", http_request_number(route->slowest_task), status,
		      route->slowest_path);
}

static void view_put_name(const struct table *t, int row, const struct top_row *r)
{
	int width = name_width(t);
	bool front = !strcmp(t->s->by, "function");

	screen_put(t->screen, row, NUMBERS, width, r->system ? STYLE_DIM : STYLE_PLAIN,
		   front ? view_end_of(t->screen, r->name, width) : r->name);
	if (width >= screen_cols(t->screen) - NUMBERS)
		return;
	if (r->route)
		view_put_slowest(t, row, NUMBERS + width + 1, r->route);
	else
		view_put_reasons(t, row, NUMBERS + width + 1, r);
}

static void view_put_numbers(const struct table *t, int row, const struct top_row *r)
{
	enum column c;
	int col = 0;

	for (c = 0; c < COLUMN_NAME; c++) {
		if (!column_is_in(c, t->s->by_route))
			continue;
		screen_printf(t->screen, row, col, columns[c].width, STYLE_PLAIN, "%*s",
			      columns[c].width, column_text(c, t->s, r).text);
		col += columns[c].width + 1;
	}
}

static void draw_row(struct table *t, const struct top_row *r, bool selected)
{
	int row = next_line(t);

	if (selected)
		t->selected = t->line - 1;
	if (row < 0)
		return;
	view_put_numbers(t, row, r);
	view_put_name(t, row, r);
	if (selected && t->v->keys)
		screen_paint(t->screen, row, 0, screen_cols(t->screen), STYLE_REVERSE);
}

/* --- the places of a row --- */

static void draw_frames(struct table *t, uint64_t stack)
{
	static struct trace_frame frames[TRACEV2_MAX_FRAMES];
	size_t n = stack ? t->v->frames(t->v->frames_ctx, stack, frames, TRACEV2_MAX_FRAMES) : 0, i;
	int row;

	for (i = 0; i < n && i < FRAMES; i++) {
		const char *slash = strrchr(frames[i].file, '/');

		row = next_line(t);
		if (row >= 0)
			screen_printf(t->screen, row, 16, screen_cols(t->screen) - 16, STYLE_DIM,
				      "%s %s:%" PRIu64, frames[i].func,
				      slash ? slash + 1 : frames[i].file, frames[i].line);
	}
	if (n > FRAMES) {
		row = next_line(t);
		if (row >= 0)
			screen_printf(t->screen, row, 16, 40, STYLE_DIM, "and %zu more",
				      n - FRAMES);
	}
	if (!n && (row = next_line(t)) >= 0)
		screen_put(t->screen, row, 16, 60, STYLE_DIM, "where is not known");
}

static void draw_place(struct table *t, const struct top_place *p)
{
	static const char *const where[TOP_STATES] = {
		[TOP_RUNNING] = ", it stopped before at", [TOP_RUNNABLE] = ", goes on at",
		[TOP_SYSCALL] = " at", [TOP_WAITING] = " at",
	};
	int row = next_line(t);

	if (row >= 0)
		screen_printf(t->screen, row, 8, screen_cols(t->screen) - 8, STYLE_BOLD,
			      "%" PRIu64 " %s%s%s%s", p->now, top_state_names[p->state],
			      *p->reason ? ": " : "", p->reason, where[p->state]);
	draw_frames(t, p->stack);
}

static void draw_places(struct table *t, const struct top_row *r)
{
	int shown = 0, row;
	uint64_t left = 0;
	size_t i;

	for (i = 0; i < t->s->places.len; i++) {
		const struct top_place *p = vec_at(&t->s->places, struct top_place, i);

		if (p->row != r->key)
			continue;
		if (shown++ < PLACES)
			draw_place(t, p);
		else
			left += p->now;
	}
	if ((!shown || left) && (row = next_line(t)) >= 0)
		screen_printf(t->screen, row, 8, 60, STYLE_DIM,
			      shown ? "%" PRIu64 " at %d other places" : "no goroutines now", left,
			      shown - PLACES);
}

/* --- the results of a route --- */

static void draw_results(struct table *t, const struct top_route *route)
{
	int row = next_line(t), col = 8;
	enum top_result i;
	unsigned int k;

	if (row < 0)
		return;
	for (i = 0; i < TOP_RESULTS; i++) {
		uint64_t n = 0;

		for (k = 0; k <= TOP_HISTOGRAM_LIMITS; k++)
			n += route->results[i].counts[k];
		if (n)
			col += screen_printf(t->screen, row, col, screen_cols(t->screen) - col,
					     STYLE_BOLD, "%s %" PRIu64 "  ",
					     top_result_names[i], n);
	}
	if (route->open)
		screen_printf(t->screen, row, col, screen_cols(t->screen) - col, STYLE_DIM,
			      "%" PRIu64 " open now under this name", route->open);
	else if (col == 8)
		screen_put(t->screen, row, col, 60, STYLE_DIM, "no requests ended");
}

/* --- the table --- */

static void draw_title(const struct table *t, int row)
{
	int col = 0, sorted = NUMBERS;
	enum column c;

	for (c = 0; c < COLUMN_NAME; c++) {
		if (!column_is_in(c, t->s->by_route))
			continue;
		if (c == t->u->sort)
			sorted = col;
		screen_printf(t->screen, row, col, columns[c].width, STYLE_PLAIN, "%*s",
			      columns[c].width, columns[c].title);
		col += columns[c].width + 1;
	}
	screen_printf(t->screen, row, NUMBERS, name_width(t), STYLE_PLAIN, "%s", t->s->by);
	if (name_width(t) < screen_cols(t->screen) - NUMBERS)
		screen_put(t->screen, row, NUMBERS + name_width(t) + 1, 40, STYLE_PLAIN,
			   t->s->by_route ? "slowest" : "waits for");
	screen_paint(t->screen, row, 0, screen_cols(t->screen), STYLE_REVERSE);
	c = t->u->sort;
	screen_paint(t->screen, row, sorted, c == COLUMN_NAME ? name_width(t) : columns[c].width,
		     STYLE_HEAD);
}

/* --- the runtime's own goroutines as one row --- */

/* Adds the reasons of @r to @list, which has @n: equal reasons have equal addresses. */
static size_t view_add_reasons(const struct table *t, const struct top_row *r,
			       struct top_reason *list, size_t n, size_t most)
{
	uint32_t i;
	size_t k;

	for (i = 0; i < r->reasons; i++) {
		const struct top_reason *why =
			vec_at(&t->s->reasons, struct top_reason, r->reason + i);

		for (k = 0; k < n && list[k].text != why->text; k++)
			;
		if (k == n && n < most)
			list[n++] = (struct top_reason){ why->text, 0 };
		if (k < n)
			list[k].now += why->now;
	}
	return n;
}

static void view_add_numbers(struct top_numbers *sum, const struct top_numbers *n)
{
	int i;

	for (i = 0; i < TOP_STATES; i++) {
		sum->now[i] += n->now[i];
		sum->ns[i] += n->ns[i];
	}
	sum->created += n->created;
	sum->ended += n->ended;
}

/*
 * Draws one row for all rows of the runtime, below the others: they are the same in each program.
 * Their waits for a P have no common percentile.
 */
static void draw_system(struct table *t)
{
	enum { REASONS = 16 };
	struct top_reason list[REASONS];
	struct top_row sum = { .system = true };
	char name[64], text[256];
	size_t i, n = 0, rows = 0, len = 0;
	int row;

	for (i = 0; i < t->s->rows.len; i++) {
		const struct top_row *r = vec_at(&t->s->rows, struct top_row, i);

		if (!r->system)
			continue;
		rows++;
		view_add_numbers(&sum.n, &r->n);
		n = view_add_reasons(t, r, list, n, REASONS);
	}
	if (!rows || *t->u->filter || (row = next_line(t)) < 0)
		return;
	snprintf(name, sizeof(name), "(the runtime's own: %zu)", rows);
	sum.name = name;
	view_put_numbers(t, row, &sum);
	view_put_name(t, row, &sum);
	for (i = 0; i < n && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %" PRIu64,
					i ? ", " : "", list[i].text, list[i].now);
	if (n && name_width(t) < screen_cols(t->screen) - NUMBERS)
		screen_put(t->screen, row, NUMBERS + name_width(t) + 1,
			   screen_cols(t->screen) - NUMBERS - name_width(t) - 1, STYLE_DIM, text);
}

static void draw_lines(struct table *t)
{
	size_t i, selected = ui_selected(t->u, t->s);

	t->line = 0;
	t->selected = -1;
	for (i = 0; i < t->u->order.len; i++) {
		const struct top_row *r =
			vec_at(&t->s->rows, struct top_row, *vec_at(&t->u->order, uint32_t, i));

		draw_row(t, r, i == selected);
		if (!ui_is_expanded(t->u, r->key))
			continue;
		if (r->route)
			draw_results(t, r->route);
		else
			draw_places(t, r);
	}
	if (t->u->system == SYSTEM_FOLDED)
		draw_system(t);
	if (t->s->rows_merged) {
		int row = next_line(t);

		if (row >= 0)
			screen_put(t->screen, row, 0, 76, STYLE_BAD,
				   "there are more than 4096 rows: the rest shares one");
	}
}

/* Returns the number of lines to scroll, so that the selected row is on the screen. */
static int scroll_to(const struct ui *u, int selected, int lines, int room)
{
	int scroll = u->scroll;

	if (selected >= 0 && selected < scroll)
		scroll = selected;
	if (selected >= scroll + room)
		scroll = selected - room + 1;
	if (scroll > lines - room)
		scroll = lines - room;
	return scroll < 0 ? 0 : scroll;
}

static void draw_table(const struct view *v, struct screen *screen, struct ui *u,
		       const struct top_sample *s, int row, int end)
{
	struct table t = { .v = v, .u = u, .s = s, .row = row + 1, .end = end };

	draw_lines(&t);
	u->page = end - row - 1 > 1 ? end - row - 1 : 1;
	u->scroll = t.first = scroll_to(u, t.selected, t.line, u->page);
	t.screen = screen;
	draw_title(&t, row);
	draw_lines(&t);
}

enum { HEAD_MOST = VIEW_BARS + 13 };

/* GROUPS_MAX rows, one row for the groups without room, and the line that says so. */
_Static_assert(GROUPS_MAX + 2 + HEAD_MOST <= SCREEN_ROWS_MAX, "a screen has room for all rows");

int view_rows(const struct view *v, const struct ui *u, const struct top_sample *s)
{
	struct table t = { .v = v, .u = u, .s = s };

	draw_lines(&t);
	return t.line + HEAD_MOST;
}

/* --- help and the last line --- */

static void draw_help(struct screen *screen, bool by_route, int row, int end)
{
	static const char *const keys[] = {
		"q quit    space pause    ? this help    Ctrl-L draw anew",
		"up down page-up page-down home end   select a row",
		"Enter   its goroutines: states, reasons and stacks",
		"left right   sort by another column     r   the other way round",
		"/   filter: rows with that text; Esc: all",
		"g   rows by function, by labels, by region; with -e +http by route",
		"y   the runtime's own goroutines: as one row, a row each, without",
		"s   write the last seconds as a trace",
		"",
	};
	size_t i;
	enum column c;

	for (i = 0; i < sizeof(keys) / sizeof(*keys) && row < end; i++, row++)
		screen_put(screen, row, 2, screen_cols(screen) - 2, STYLE_PLAIN, keys[i]);
	for (c = 0; c < COLUMNS && row < end; c++) {
		if (!column_is_in(c, by_route))
			continue;
		screen_put(screen, row, 2, 8, STYLE_BOLD, columns[c].title);
		screen_put(screen, row++, 10, screen_cols(screen) - 10, STYLE_PLAIN,
			   columns[c].help);
	}
}

static void draw_last(struct screen *screen, const struct ui *u)
{
	int row = screen_rows(screen) - 1, width = screen_cols(screen);

	if (u->editing)
		screen_printf(screen, row, 0, width, STYLE_BOLD, "filter: %s_", u->filter);
	else if (*u->message)
		screen_put(screen, row, 0, width, STYLE_BOLD, u->message);
	else if (*u->filter)
		screen_printf(screen, row, 0, width, STYLE_BOLD, "filter: %s  (Esc: all rows)",
			      u->filter);
	else
		screen_put(screen, row, 0, width, STYLE_DIM,
			   "q quit  ? help  Enter stacks  / filter  <> sort  g group  space pause  "
			   "s save");
}

void view_draw(const struct view *v, struct screen *screen, struct ui *u,
	       const struct top_sample *s)
{
	int rows = screen_rows(screen), end = v->keys && rows > 3 ? rows - 1 : rows, row;

	screen_clear(screen);
	/* on a small screen head and table get half of the rows each */
	row = view_head(v, screen, u, s, rows > 2 ? rows / 2 : rows);
	if (u->help)
		draw_help(screen, s && s->by_route, row, end);
	else if (s && row < end - 1)
		draw_table(v, screen, u, s, row, end);
	if (v->keys && rows > 3)
		draw_last(screen, u);
}
