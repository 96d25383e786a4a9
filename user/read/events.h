/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events: the ordered events of a trace as lines for a person, or as one JSON object a line
 * (docs/text.md), with the names of their stacks; all of them, or those that pass a filter.
 *
 * The names of a stack are formatted once per generation and copied from then on: a program has
 * few stacks and its trace names them millions of times.
 */
#ifndef GOTAP_READ_EVENTS_H
#define GOTAP_READ_EVENTS_H

#include <regex.h>

#include "base/map64.h"
#include "read/raw_sink.h"
#include "read/v2_reader.h"

/* An event passes if it passes each part. */
struct events_filter {
	/*
	 * The event happened on one of these, or changes its state, or is about a range of it;
	 * empty: any.
	 */
	struct map64 goroutines, procs;
	struct map64 threads;	/* the event happened on one of these; empty: any */
	bool some_types;	/* only those of types[] */
	bool types[256];
	const regex_t *func;	/* a function of the event's stacks matches; NULL: any */
	int64_t from, to;	/* ns since the first event; @to is INT64_MAX for the end */
};

#define EVENTS_ALL { .to = INT64_MAX }

struct events_options {
	struct events_filter filter;
	bool json;
	bool absolute;		/* text: times of the trace's clock, not since the first event */
	bool no_stacks;
	bool links;		/* the earlier event that each ends or follows (links.h) */
};

/*
 * Adds the events that @names, "GoBlock" or of a kind, "RangeBegin", with commas between, stand
 * for; false if one stands for none, which *@bad and *@len are then.
 */
bool events_add_types(struct events_filter *f, const char *names, const char **bad, size_t *len);
void events_filter_free(struct events_filter *f);

/*
 * Writes the events that @r gives and the filter lets pass, up to filter.to, to @sink. What comes
 * before a fault of the trace is written; then it is the error.
 */
int events_write(struct trace_reader *r, const struct events_options *o, struct raw_sink *sink,
		 struct error *err);

#endif
