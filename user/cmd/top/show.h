/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show: what a user of `gotap top` sees and asks for: samples as text, as JSON or as frames on
 * the terminal, and keys. Called by the thread of cmd/top/top.c alone, between two chunks of the
 * recording; it never waits for the terminal.
 */
#ifndef GOTAP_CMD_TOP_SHOW_H
#define GOTAP_CMD_TOP_SHOW_H

#include "cmd/top/top.h"
#include "cmd/top/terminal.h"
#include "top/keys.h"
#include "top/screen.h"
#include "top/view.h"

struct top_show {
	const struct top_options *o;
	struct tally *tally;		/* of the caller; set before the first sample */
	struct top_snapshots *snapshots;	/* likewise; NULL: no terminal, no key */
	struct top_sample *sample;	/* the one that is shown; NULL: none yet */
	struct view view;
	struct ui ui;
	struct screen *screen;
	struct terminal terminal;
	struct keys keys;
	struct buf frame;
	bool dirty;			/* a new frame is to be drawn */
	bool quit;			/* the user has ended it, or the terminal is gone */
	bool broken;			/* stdout takes no more */
};

#define TOP_SHOW_NONE { .terminal = TERMINAL_CLOSED }

/* Does it show frames on a terminal and take keys? Otherwise it prints samples. */
static inline bool top_is_interactive(const struct top_options *o)
{
	return !o->once && !o->json;
}

/* @o and @target outlive it. */
void top_show_begin(struct top_show *v, const struct top_options *o, const struct target *target);
/* Takes the terminal. -ENOTTY: there is none. */
int top_show_open(struct top_show *v, struct error *err);
/* An interval has ended. Takes the sample. */
void top_show_sample(struct top_show *v, struct top_sample *s);
/* Keys that were pressed, and a frame if one is due. */
void top_show_attend(struct top_show *v);
/* Gives the terminal back. */
void top_show_close(struct top_show *v);
/* Also of TOP_SHOW_NONE. */
void top_show_free(struct top_show *v);

#endif
