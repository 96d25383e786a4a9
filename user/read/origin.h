/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin: the log events in which a recording says which program it is of. Their category is
 * ORIGIN_CATEGORY, and their text is a list of facts in the form of labels.h:
 *
 *	program="/usr/bin/caddy" module="github.com/caddyserver/caddy/v2" pid="4711" ...
 *
 * The first goroutine that runs in the trace has those of the program; one that runs at the end has
 * those of the recording's losses and cost (sched/notes.c). A trace has several of them, each with
 * other facts; of a trace with parts (flight recordings) each part has them again.
 */
#ifndef GOTAP_READ_ORIGIN_H
#define GOTAP_READ_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

#define ORIGIN_CATEGORY "gotap.origin"

/* The facts, in the order in which they are printed. */
enum origin_fact {
#define ORIGIN(id, key, title) ORIGIN_##id,
#include "read/origin.def"
#undef ORIGIN
	ORIGIN_FACTS,
};

/* The key of a fact in the trace and in JSON, and its name for readers. */
const char *origin_fact_key(enum origin_fact fact);
const char *origin_fact_title(enum origin_fact fact);

/* The facts of one trace. A zeroed struct has none; origin_free() frees the texts. */
struct origin {
	char *facts[ORIGIN_FACTS];	/* NULL: unknown. Text that a program may have chosen. */
	bool cut[ORIGIN_FACTS];		/* the trace has the first bytes of the text */
};

/* Takes the facts of the text of one log event. The first text of a fact counts. */
void origin_take(struct origin *o, const char *text);
bool origin_is_known(const struct origin *o);
void origin_free(struct origin *o);

/*
 * For the writer: appends a fact to the text of a log event, unless @value is empty or the fact
 * would not fit into a text of a trace (1024 bytes) even if it is cut.
 */
void origin_put(struct buf *out, enum origin_fact fact, const char *value);

#endif
