/* SPDX-License-Identifier: Apache-2.0 */
/* events: gotap text --events: a trace's events in order, as read/events.h shows them. */
#ifndef GOTAP_CMD_TEXT_EVENTS_H
#define GOTAP_CMD_TEXT_EVENTS_H

#include "read/events.h"

/* The options that only --events has. */
struct text_events_options {
	struct events_options show;
	regex_t func;		/* what show.filter.func points to */
	const char *given;	/* the last of them that was given, NULL: none */
};

/* getopt_long() numbers of these options, beyond those of letters. */
enum {
	TEXT_OPT_EVENTS = 256, TEXT_OPT_JSON, TEXT_OPT_ABSOLUTE, TEXT_OPT_NO_STACKS, TEXT_OPT_PROC,
	TEXT_OPT_THREAD, TEXT_OPT_KIND, TEXT_OPT_FUNC, TEXT_OPT_FROM, TEXT_OPT_TO,
};

void text_events_init(struct text_events_options *o);
void text_events_free(struct text_events_options *o);
/* Takes option @opt, called @name, with its argument. EXIT_OK, or EXIT_USAGE with a message printed. */
int text_events_option(struct text_events_options *o, int opt, const char *name, const char *arg);
/*
 * Writes the events of the trace @in, of any release, to @out; "-" is the standard input, output.
 * @binary, which may be NULL, names the stacks of traces before Go 1.7.
 */
int text_events(const char *in, const char *out, const char *binary,
		const struct text_events_options *o, struct error *err);

#endif
