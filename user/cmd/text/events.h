/* SPDX-License-Identifier: Apache-2.0 */
/* events: gotap text --events: a trace's events in order, as read/events.h shows them. */
#ifndef GOTAP_CMD_TEXT_EVENTS_H
#define GOTAP_CMD_TEXT_EVENTS_H

#include "cmd/options.h"
#include "read/events.h"

/* The options that only --events has. */
struct text_events_options {
	struct events_options show;
	regex_t func;		/* what show.filter.func points to */
	const char *given;	/* the last of them that was given, NULL: none */
};

/* For a table of struct text_events_options (cmd/options.h). */
extern const struct option_row text_events_rows[];

void text_events_init(struct text_events_options *o);
void text_events_free(struct text_events_options *o);
/*
 * Writes the events of the trace @in, of any release, to @out; "-" is the standard input, output.
 * @binary, which may be NULL, names the stacks of traces before Go 1.7.
 */
int text_events(const char *in, const char *out, const char *binary,
		const struct text_events_options *o, struct error *err);

#endif
