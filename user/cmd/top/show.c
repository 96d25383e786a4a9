// SPDX-License-Identifier: Apache-2.0
/* show: see show.h. */
#define _GNU_SOURCE
#include "cmd/top/show.h"

#include <stdlib.h>
#include <string.h>

#include "top/json.h"

/* --- samples --- */

static size_t frames_of(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	const struct top_show *v = ctx;

	return top_tally_frames(v->tally, key, out, max);
}

/* Columns for text: as COLUMNS says, or the terminal. */
static int text_width(void)
{
	const char *text = getenv("COLUMNS");
	int cols = text ? atoi(text) : terminal_width();

	return cols >= 20 ? cols : 132;
}

/* --once: as high as it must be. */
static void print_once(struct top_show *v, struct top_sample *s)
{
	screen_resize(v->screen, view_rows(&v->view, &v->ui, s), text_width());
	view_draw(&v->view, v->screen, &v->ui, s);
	screen_print(v->screen, stdout);
}

static void top_show_print(struct top_show *v, struct top_sample *s)
{
	ui_arrange(&v->ui, s);
	if (v->o->json)
		top_json(&v->view, &v->ui, s, stdout);
	else
		print_once(v, s);
	v->broken = fflush(stdout) || ferror(stdout);
	top_sample_free(s);
}

static void top_show_show(struct top_show *v, struct top_sample *s)
{
	if (v->ui.paused) {
		top_sample_free(s);
		return;
	}
	top_sample_free(v->sample);
	v->sample = s;
	ui_arrange(&v->ui, s);
	v->dirty = true;
}

void top_show_sample(struct top_show *v, struct top_sample *s)
{
	if (top_is_interactive(v->o))
		top_show_show(v, s);
	else
		top_show_print(v, s);
}

/* --- keys --- */

/* Groups rows by the next of those groups of which the data is recorded. */
static void regroup(struct top_show *v)
{
	static const uint8_t needs[GROUP_BYS] = { [BY_LABEL] = GROUP_LABELS,
						  [BY_ROUTE] = GROUP_HTTP };
	enum group_by by = top_tally_by(v->tally);

	do
		by = (by + 1) % GROUP_BYS;
	while (needs[by] && !(v->o->record.groups & 1u << needs[by]));
	top_tally_group(v->tally, by);
	top_tally_want_places(v->tally, NULL, 0);
	snprintf(v->ui.message, sizeof(v->ui.message), "rows by %s: from the next interval on",
		 group_by_names[by]);
}

/*
 * Asks for the places of expanded rows. Not while paused: pause_or_go_on() has taken those of all
 * rows then.
 */
static void want_places(struct top_show *v)
{
	if (v->ui.paused)
		return;
	top_tally_want_places(v->tally, v->ui.expanded, v->ui.n_expanded);
	if (v->sample)
		top_tally_places(v->tally, v->sample);
}

static void pause_or_go_on(struct top_show *v)
{
	if (v->ui.paused && v->sample) {
		top_tally_want_places(v->tally, NULL, SIZE_MAX);
		top_tally_places(v->tally, v->sample);
		top_tally_want_places(v->tally, NULL, 0);	/* the next samples are not shown */
	}
	want_places(v);
}

static void on_key(struct top_show *v, unsigned int key)
{
	enum ui_wish wish = ui_key(&v->ui, key, v->sample);

	v->dirty = true;
	switch (wish) {
	case UI_QUIT:
		v->quit = true;
		break;
	case UI_GROUP:
		regroup(v);
		break;
	case UI_SNAPSHOT:
		top_snapshots_ask(v->snapshots, v->ui.message, sizeof(v->ui.message));
		break;
	case UI_PAUSE:
		pause_or_go_on(v);
		break;
	case UI_PLACES:
		want_places(v);
		break;
	default:
		break;
	}
	if (key == ('L' & 0x1f))
		screen_resize(v->screen, screen_rows(v->screen), screen_cols(v->screen));
	if (v->sample)
		ui_arrange(&v->ui, v->sample);
}

static void take_keys(struct top_show *v)
{
	char bytes[32];
	ssize_t n = terminal_read(&v->terminal, bytes, sizeof(bytes));
	unsigned int key;

	if (n < 0)
		v->quit = true;
	if (n > 0)
		keys_add(&v->keys, bytes, (size_t)n);
	while ((key = keys_next(&v->keys, n <= 0)) != KEY_NONE)
		on_key(v, key);
}

/* --- the terminal --- */

static void draw(struct top_show *v)
{
	int rows, cols;

	if (terminal_look(&v->terminal, &rows, &cols)) {
		screen_resize(v->screen, rows, cols);
		v->dirty = true;
	}
	if (!v->dirty || !terminal_is_idle(&v->terminal))
		return;
	view_draw(&v->view, v->screen, &v->ui, v->sample);
	v->frame.len = 0;
	screen_flush(v->screen, &v->frame);
	terminal_write(&v->terminal, &v->frame);
	v->dirty = false;
}

void top_show_attend(struct top_show *v)
{
	take_keys(v);
	if (top_snapshots_said(v->snapshots, v->ui.message, sizeof(v->ui.message)))
		v->dirty = true;
	draw(v);
}

/* --- begin and end --- */

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void top_show_begin(struct top_show *v, const struct top_options *o, const struct target *target)
{
	bool no_color = getenv("NO_COLOR") && *getenv("NO_COLOR");

	v->o = o;
	v->ui = (struct ui){ .sort = o->sort, .reverse = o->reverse,
			     .system = o->json ? SYSTEM_SHOWN : SYSTEM_FOLDED };
	if (o->filter)
		snprintf(v->ui.filter, sizeof(v->ui.filter), "%s", o->filter);
	v->view = (struct view){
		.program = name_of(target->info.exe), .pid = target->proc.pid,
		.go_version = target->info.go_version,
		.frames = frames_of, .frames_ctx = v, .keys = top_is_interactive(o),
		.brief = o->brief,
	};
	v->screen = screen_new(terminal_is_utf8(), top_is_interactive(o) && !no_color);
}

int top_show_open(struct top_show *v, struct error *err)
{
	return terminal_open(&v->terminal, err);
}

void top_show_close(struct top_show *v)
{
	terminal_close(&v->terminal);
}

void top_show_free(struct top_show *v)
{
	top_show_close(v);
	top_sample_free(v->sample);
	ui_free(&v->ui);
	screen_free(v->screen);
	buf_free(&v->frame);
}
