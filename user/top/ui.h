/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui: what the user of `gotap top` has chosen: order, filter, pause, selected and expanded rows.
 * Owns that and nothing else: keys change it (ui_key()), the view reads it, and the session does
 * what it asks for.
 */
#ifndef GOTAP_TOP_UI_H
#define GOTAP_TOP_UI_H

#include <stdbool.h>

#include "base/vec.h"
#include "top/columns.h"

enum { UI_FILTER = 64, UI_EXPANDED = 16 };

/* What a key asks the session to do. */
enum ui_wish { UI_NOTHING, UI_QUIT, UI_GROUP, UI_SNAPSHOT, UI_PAUSE, UI_PLACES, UI_REDRAW };

struct ui {
	enum column sort;
	bool reverse;
	bool help, paused, hide_system;
	bool editing;			/* keys go into the filter */
	char filter[UI_FILTER];
	uint64_t selected;		/* key of a row; 0: the first one */
	uint64_t expanded[UI_EXPANDED];	/* keys of rows */
	size_t n_expanded;
	int scroll;			/* lines of the table above the first one that is shown */
	int page;			/* lines that the view shows; it sets this */
	/* uint32_t: the rows of the sample that are shown, in their order */
	struct vec order;
	char message[256];		/* "" none */
};

/*
 * Sets u->order: which rows of @s are shown, in which order. To be called for each new sample, and
 * after each key.
 */
void ui_arrange(struct ui *u, const struct top_sample *s);
bool ui_is_expanded(const struct ui *u, uint64_t row);
/* The place of the selected row in the order; 0 if it is not there. */
size_t ui_selected(const struct ui *u, const struct top_sample *s);
/*
 * Takes a key (keys.h). Returns what the session is to do. @s: the sample that is shown; NULL:
 * there is none yet.
 */
enum ui_wish ui_key(struct ui *u, unsigned int key, const struct top_sample *s);
void ui_free(struct ui *u);

#endif
