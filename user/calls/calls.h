/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls: the calls of functions in a trace of `record --region`, where they are regions with the
 * name of the function (read/func.h). Counts, durations, the slowest ones.
 *
 * 	struct calls *c = called_new(spans, pattern, slowest);
 * 	spans_read(spans, reader, &err);
 * 	called_collected(c);
 * 	... called_count(c), called_at(c, i), called_slowest(c, i) ...
 * 	called_free(c);				before spans_free()
 *
 * A call of which the trace lacks the begin or the end has no duration. Memory: CALLS_FUNCTIONS
 * functions, and the slowest calls.
 */
#ifndef GOTAP_CALLS_CALLS_H
#define GOTAP_CALLS_CALLS_H

#include "report/dist.h"
#include "spans/spans.h"

enum {
	CALLS_FUNCTIONS = 512,	/* further ones are not counted: --region has 64 at most */
	CALLS_SLOWEST = 1000,	/* the most that called_new() takes */
	CALLS_OCTAVES = 64,
};

struct call_function {
	const char *name;	/* valid as long as the spans */
	struct dist dist;	/* of the calls that began and returned in the trace */
	uint64_t left;		/* a panic, or runtime.Goexit, left them without a return */
	uint64_t open;		/* began, and went on when the goroutine or the trace ended */
};

struct call_span {
	const char *name;
	uint64_t g, task;	/* task 0: none */
	int64_t from, ns;
};

struct calls;

/*
 * Adds a visitor to @s, which must outlive the result. @pattern: names of functions, with * and ?
 * (base/glob.h); a copy is not made. @slowest: how many of the slowest calls to keep.
 */
struct calls *called_new(struct spans *s, const char *pattern, size_t slowest);
/* Frees @c, which may be NULL. */
void called_free(struct calls *c);
/* To be called when the trace is read: removes the visitor, and sorts. */
void called_collected(struct calls *c);
/* The functions, those with the most time first. */
size_t called_count(const struct calls *c);
const struct call_function *called_at(const struct calls *c, size_t i);
/* The slowest calls, the slowest first. */
size_t called_nslowest(const struct calls *c);
const struct call_span *called_slowest(const struct calls *c, size_t i);
/* Begin and end of the trace, ns. */
int64_t called_begin(const struct calls *c);
int64_t called_end(const struct calls *c);

/*
 * Fills @counts with the histogram of @d by powers of two: counts[i] is the number of durations
 * from 2^i ns up to 2^(i+1); counts[0] also has 0 ns. Durations that @d only counted are in none.
 */
void calls_octaves(const struct dist *d, uint64_t counts[CALLS_OCTAVES]);

#endif
