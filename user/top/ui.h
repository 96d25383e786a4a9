/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui: the choices of the user of `gotap top`: order, filter, pause, selected and expanded rows.
 * Owns only these. ui_key() changes them, the view reads them, and the session does what ui_key()
 * returns.
 */
#ifndef GOTAP_TOP_UI_H
#define GOTAP_TOP_UI_H

#include <stdbool.h>

#include "base/vec.h"
#include "top/columns.h"

enum { UI_FILTER = 64, UI_EXPANDED = 16 };

/* A request of a key to the session. */
enum ui_wish { UI_NOTHING, UI_QUIT, UI_GROUP, UI_SNAPSHOT, UI_PAUSE, UI_PLACES, UI_REDRAW };

/* The rows of the runtime's own goroutines: as one, each, or none. */
enum ui_system { SYSTEM_FOLDED, SYSTEM_SHOWN, SYSTEM_HIDDEN, UI_SYSTEMS };

struct ui {
	enum column sort;
	bool reverse;
	bool help, paused;
	enum ui_system system;	/* a filter shows the rows that match */
	bool editing;			/* keys edit the filter */
	char filter[UI_FILTER];
	uint64_t selected;		/* key of a row; 0: the first row */
	uint64_t expanded[UI_EXPANDED];	/* keys of rows */
	size_t n_expanded;
	/* number of lines of the table above the first line on the screen */
	int scroll;
	/* number of lines of the table on the screen; set by the view */
	int page;
	/* uint32_t: indexes in sample.rows of the rows to show, in their order */
	struct vec order;
	char message[256];		/* "": none */
};

/* Sets u->order. To be called for each new sample, and after each key. */
void ui_arrange(struct ui *u, const struct top_sample *s);
bool ui_is_expanded(const struct ui *u, uint64_t row);
/* Returns the index of the selected row in u->order; 0 if it is not shown. */
size_t ui_selected(const struct ui *u, const struct top_sample *s);
/*
 * Handles a key (keys.h). Returns the request to the session. @s: the sample on the screen; NULL:
 * none yet.
 */
enum ui_wish ui_key(struct ui *u, unsigned int key, const struct top_sample *s);
void ui_free(struct ui *u);

#endif
