/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist: the distribution of many durations in little memory: count, sum and maximum are exact,
 * quantiles come from a histogram.
 *
 * Durations below 32 ns have a bucket each. From there on an octave (32 to 63, 64 to 127, ...) has
 * 32 buckets of equal width, and a quantile is the middle of its bucket: it is at most 1.6 % off.
 * Octaves are allocated when they are first needed, up to a limit that all distributions of a
 * process share: beyond it only count, sum and maximum go on, and dist_sampled() is below the
 * count.
 */
#ifndef GOTAP_REPORT_DIST_H
#define GOTAP_REPORT_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DIST_STEPS = 32,			/* buckets of an octave */
	DIST_OCTAVES = 64 - 5,			/* below 32 ns, and then up to 2^63 */
	DIST_BUCKETS = DIST_STEPS * DIST_OCTAVES,
};

struct dist {
	uint64_t count;
	int64_t sum;			/* saturates at INT64_MAX */
	int64_t max;
	/* Begin and goroutine of the longest one. */
	int64_t max_from;
	uint64_t max_g;
	uint32_t max_trace;
	uint32_t low, octaves;		/* the first octave that is there, and how many are */
	uint64_t **counts;		/* of octave low + i: DIST_STEPS counts, or NULL */
	uint64_t sampled;
};

/* Zeroed is empty. Negative durations count as 0. */
void dist_add(struct dist *d, int64_t ns);
/* The same of goroutine @g, who spent them from @from on. */
void dist_add_of(struct dist *d, int64_t ns, uint64_t g, int64_t from, uint32_t trace);
/*
 * Adds @n durations of which only the sum is known: neither the histogram nor the maximum has them.
 */
void dist_add_sum(struct dist *d, int64_t ns, uint64_t n);
/* Adds all of @from. */
void dist_merge(struct dist *d, const struct dist *from);
/*
 * The duration that @q of all (0 to 1) do not exceed: 0.99 say; 0 if there are none. The last one
 * is the maximum.
 */
int64_t dist_quantile(const struct dist *d, double q);
/* How many the histogram has. */
static inline uint64_t dist_sampled(const struct dist *d)
{
	return d->sampled;
}
/*
 * Bucket @i, below DIST_BUCKETS: how many, and from which duration to which (which is not in it)
 * they go.
 */
uint64_t dist_bucket(const struct dist *d, unsigned i);
uint64_t dist_bucket_from(unsigned i);
uint64_t dist_bucket_to(unsigned i);
void dist_free(struct dist *d);

#endif
