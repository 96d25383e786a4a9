/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally: an observer (trace/observer.h) that counts what `gotap top` shows: which goroutine is in
 * which state since when, on which thread and P, and sums by group over each interval. It writes
 * nothing and reads no clock: intervals are of the time of the events, so two tallies of one stream
 * agree to the nanosecond. One thread calls all of it.
 *
 * 	t = top_tally_new(&opts); top_tally_observe() into assembler_opts.observers
 * 	top_tally_finish(t, end); top_tally_free(t);
 *
 * A tap (trace/tap.h) knows what each goroutine does; the tally visits it and adds Ps, names and
 * sums. In a time of which nothing is known (a gap, docs/losses.md) nothing is counted, and the
 * sample says how long that was.
 */
#ifndef GOTAP_TOP_TALLY_H
#define GOTAP_TOP_TALLY_H

#include "top/sample.h"
#include "trace/observer.h"

enum group_by { BY_FUNCTION, BY_LABEL, BY_REGION, GROUP_BYS };

extern const char *const group_by_names[GROUP_BYS];

struct tally_opts {
	enum group_by by;
	/* BY_LABEL: by the value of this key alone; NULL: by all labels together */
	const char *label;
	uint64_t interval;	/* ns, more than 0 */
	/* An interval has ended: @sample is the callee's. */
	void (*ready)(void *ctx, struct top_sample *sample);
	void *ctx;
};

struct tally;

/* @opts is copied; top_tally_free() frees it. */
struct tally *top_tally_new(const struct tally_opts *opts);
/*
 * Adds the tally to @to: it counts events, and ends an interval when all of its events have come.
 */
void top_tally_observe(struct tally *t, struct observers *to);
/*
 * The frames of a stack by its key in a sample, as trace_frames_fn; they hold until the next call.
 */
size_t top_tally_frames(const struct tally *t, uint64_t key, struct trace_frame *out, size_t max);
/* Ends the last interval, which may be shorter, at @time. To be called after the last event. */
void top_tally_finish(struct tally *t, uint64_t time);
/* Groups rows by @by from now on; the interval begins anew. */
void top_tally_group(struct tally *t, enum group_by by);
enum group_by top_tally_by(const struct tally *t);
/*
 * Asks for the places of the goroutines of @n rows, by their keys, in the next samples; @n
 * SIZE_MAX: of all rows.
 */
void top_tally_want_places(struct tally *t, const uint64_t *rows, size_t n);
/* Puts the places as they are now into @s, a sample of this tally. */
void top_tally_places(const struct tally *t, struct top_sample *s);
/* Accepts NULL. */
void top_tally_free(struct tally *t);

#endif
