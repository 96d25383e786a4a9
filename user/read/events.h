/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events: prints the ordered events of a trace as lines of text, or as one JSON object per line
 * (docs/text.md), with the names of their stacks: all events, or those that pass a filter.
 *
 * The text of a stack is made once per generation and then copied: a program has few stacks, and
 * its trace refers to each of them very often.
 */
#ifndef GOTAP_READ_EVENTS_H
#define GOTAP_READ_EVENTS_H

#include <regex.h>

#include "base/map64.h"
#include "read/raw_sink.h"
#include "read/v2_reader.h"

/* An event passes the filter if it passes every part. */
struct events_filter {
	/*
	 * The event happened on one of these, changes its state, or is about a range of it; empty:
	 * any.
	 */
	struct map64 goroutines, procs;
	struct map64 threads;	/* the event happened on one of these; empty: any */
	bool some_types;	/* true: only events of a type in types[] */
	bool types[256];
	const regex_t *func;	/* matches a function of the event's stacks; NULL: any */
	int64_t from, to;	/* ns since the first event; @to INT64_MAX: until the end */
};

#define EVENTS_ALL { .to = INT64_MAX }

struct events_options {
	struct events_filter filter;
	bool json;
	/* text: times on the clock of the trace, not since the first event */
	bool absolute;
	bool no_stacks;
	/* with the earlier event that each event ends or follows (links.h) */
	bool links;
};

/*
 * Adds the types in @names, separated by commas, to the filter: names of events, "GoBlock", or of
 * categories, "RangeBegin". False if one of them does not exist: *@bad and *@len are its text.
 */
bool events_add_types(struct events_filter *f, const char *names, const char **bad, size_t *len);
void events_filter_free(struct events_filter *f);

/*
 * Writes the events of @r that pass the filter, up to filter.to, to @sink. On a fault of the trace
 * the events before the fault are written, and the fault is the error. Returns 0 or -errno with
 * @err.
 */
int events_write(struct trace_reader *r, const struct events_options *o, struct raw_sink *sink,
		 struct error *err);

#endif
