/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: draws a sample on a screen with the choices of the user: head, table, stacks of expanded
 * rows, help. Owns nothing; the session calls it for each frame, and for --once. It works with a
 * screen of any size: on a small screen the last lines of the head and of the table are left out.
 * The second line of the head has the losses.
 */
#ifndef GOTAP_TOP_VIEW_H
#define GOTAP_TOP_VIEW_H

#include "top/sample.h"
#include "top/screen.h"
#include "top/ui.h"
#include "trace/types.h"

/* With at most VIEW_BARS Ps each P has a bar; with more Ps one line has a character for each P. */
enum { VIEW_BARS = 16 };

struct view {
	const char *program;		/* file name of the program */
	int pid;
	const char *go_version;
	trace_frames_fn *frames;	/* frames of the stacks of places */
	void *frames_ctx;
	bool keys;			/* on a terminal: the last line lists the keys */
	bool brief;			/* as JSON: without units and rows */
};

/* Draws @s on @screen. NULL: there is no sample yet. Sets u->page and u->scroll. */
void view_draw(const struct view *v, struct screen *screen, struct ui *u,
	       const struct top_sample *s);
/* Returns the number of rows of a screen with room for all of @s. */
int view_rows(const struct view *v, const struct ui *u, const struct top_sample *s);

/* view_head.c: draws at most @rows lines. Returns the number of lines. */
int view_head(const struct view *v, struct screen *screen, const struct ui *u,
	      const struct top_sample *s, int rows);

#endif
