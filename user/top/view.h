/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: draws a sample on a screen as the user wants it: head, table, stacks of expanded rows,
 * help. Owns nothing; the session calls it for each frame, also for --once. Works on a screen of
 * any size: what finds no room is left out from the end of the head and of the table, and losses
 * are said in its second line.
 */
#ifndef GOTAP_TOP_VIEW_H
#define GOTAP_TOP_VIEW_H

#include "top/sample.h"
#include "top/screen.h"
#include "top/ui.h"
#include "trace/types.h"

/* With at most so many Ps each has a bar; with more all of them share one line. */
enum { VIEW_BARS = 16 };

struct view {
	const char *program;		/* name of its file */
	int pid;
	const char *go_version;
	trace_frames_fn *frames;	/* of the stacks of places */
	void *frames_ctx;
	bool keys;			/* on a terminal: shows which keys there are */
};

/* Draws @s on @screen; NULL: there is no sample yet. Sets u->page and u->scroll. */
void view_draw(const struct view *v, struct screen *screen, struct ui *u,
	       const struct top_sample *s);
/* The rows of a screen that has room for all of @s. */
int view_rows(const struct view *v, const struct ui *u, const struct top_sample *s);

/* view_head.c: draws at most @rows lines; returns how many. */
int view_head(const struct view *v, struct screen *screen, const struct ui *u,
	      const struct top_sample *s, int rows);

#endif
