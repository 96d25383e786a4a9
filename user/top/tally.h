/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally: an observer (trace/observer.h) that counts for `gotap top`: which goroutine is in which
 * state since when, on which thread and P, and sums by group over each interval. The tally writes
 * nothing and reads no clock: the times of events decide when an interval ends, so two tallies of
 * one stream agree to the nanosecond. All calls come from one thread.
 *
 * 	t = top_tally_new(&opts); top_tally_observe() into assembler_opts.observers
 * 	top_tally_finish(t, end); top_tally_free(t);
 *
 * A tap (trace/tap.h) knows the state of each goroutine. The tally is a visitor of the tap, and
 * adds Ps, names and sums. The tally counts nothing in a gap (docs/losses.md); a sample has the
 * length of its gaps.
 */
#ifndef GOTAP_TOP_TALLY_H
#define GOTAP_TOP_TALLY_H

#include "top/sample.h"
#include "trace/observer.h"

/* BY_ROUTE: the rows are routes of requests, and goroutines are counted as by BY_FUNCTION. */
enum group_by { BY_FUNCTION, BY_LABEL, BY_REGION, BY_ROUTE, GROUP_BYS };

extern const char *const group_by_names[GROUP_BYS];

struct tally_opts {
	enum group_by by;
	/* BY_LABEL: group by the value of this key; NULL: by all labels together */
	const char *label;
	bool requests;		/* group http is recorded: count the requests, too */
	uint64_t interval;	/* ns, more than 0 */
	/* An interval has ended. The callee owns @sample. */
	void (*ready)(void *ctx, struct top_sample *sample);
	void *ctx;
};

struct tally;

/* Makes a tally with a copy of @opts, which the caller frees with top_tally_free(). */
struct tally *top_tally_new(const struct tally_opts *opts);
/*
 * Adds the observers of the tally to @to. The tally ends an interval when all events of the
 * interval have come.
 */
void top_tally_observe(struct tally *t, struct observers *to);
/*
 * Returns the frames of a stack by its key in a sample, as trace_frames_fn does. The frames are
 * valid until the next call.
 */
size_t top_tally_frames(const struct tally *t, uint64_t key, struct trace_frame *out, size_t max);
/*
 * Ends the last interval, which may be shorter than the others, at @time. To be called after the
 * last event.
 */
void top_tally_finish(struct tally *t, uint64_t time);
/* Groups goroutines by @by from now on, and begins a new interval. */
void top_tally_group(struct tally *t, enum group_by by);
enum group_by top_tally_by(const struct tally *t);
/*
 * Requests places for the goroutines of the @n rows with the keys @rows in further samples. @n
 * SIZE_MAX: for all rows.
 */
void top_tally_want_places(struct tally *t, const uint64_t *rows, size_t n);
/* Replaces the places of @s, a sample of this tally, by the current ones. */
void top_tally_places(const struct tally *t, struct top_sample *s);
/* Frees @t, which may be NULL. */
void top_tally_free(struct tally *t);

#endif
