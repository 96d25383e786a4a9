// SPDX-License-Identifier: Apache-2.0
/*
 * log: log:REGEXP, which is matched against the log events of the program. Log events that gotap
 * itself writes do not count.
 */
#include <string.h>

#include "trigger/internal.h"

enum { TEXT_MAX = 2 * TRACEV2_MAX_STRING + 3 };

static size_t log_put(char *to, size_t at, const struct sink_text *t)
{
	size_t n = t->bytes ? sink_text_len(t) : 0;

	if (n > TRACEV2_MAX_STRING)
		n = TRACEV2_MAX_STRING;
	memcpy(to + at, t->bytes ? t->bytes : "", n);
	return at + n;
}

static void log_on_event(struct rule *r, const struct tap_step *s)
{
	const struct sink_event *e = s->event;
	const struct sink_text *category = sink_arg_text(e->args[1]);
	char text[TEXT_MAX];
	size_t at;

	if (category->constant)	/* the model wrote it: a note (sched/notes.c), or labels */
		return;
	at = log_put(text, 0, category);
	memcpy(text + at, ": ", 2);
	at = log_put(text, at + 2, sink_arg_text(e->args[2]));
	text[at] = '\0';
	if (!regexec(&r->is->regexp, text, 0, NULL, 0))
		fire(r, &(struct fact_place){ .time = e->time, .g = s->by, .stack = e->args[3] },
		     "log %.200s", text);
}

const struct family family_log = { .event = log_on_event,
				   .events = { EV_UserLog },
				   .stream = true };
