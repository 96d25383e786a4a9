/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist: the distribution of many durations in little memory: count, sum and maximum are exact,
 * quantiles come from a histogram.
 *
 * Each duration below 32 ns has a bucket of its own. Above, an octave (32 to 63, 64 to 127, ...)
 * has 32 buckets of equal width. A quantile is the middle of its bucket: its error is at most 1.6
 * %. Octaves are allocated when they are first needed, up to a limit for all distributions of a
 * process. Beyond the limit only count, sum and maximum are updated, and dist_sampled() is less
 * than the count.
 */
#ifndef GOTAP_REPORT_DIST_H
#define GOTAP_REPORT_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DIST_STEPS = 32,			/* buckets in an octave */
	DIST_OCTAVES = 64 - 5,			/* one below 32 ns, the others up to 2^63 */
	DIST_BUCKETS = DIST_STEPS * DIST_OCTAVES,
};

struct dist {
	uint64_t count;
	int64_t sum;			/* saturates at INT64_MAX */
	int64_t max;
	/* begin, goroutine and trace of the longest duration */
	int64_t max_from;
	uint64_t max_g;
	uint32_t max_trace;
	/* the first octave in @counts, and the number of octaves in it */
	uint32_t low, octaves;
	uint64_t **counts;		/* DIST_STEPS counts of octave low + i, or NULL */
	uint64_t sampled;
};

/* Adds a duration; a negative one counts as 0. A struct dist of zeros is empty. */
void dist_add(struct dist *d, int64_t ns);
/* Adds a duration of goroutine @g that began at @from. */
void dist_add_of(struct dist *d, int64_t ns, uint64_t g, int64_t from, uint32_t trace);
/*
 * Adds @n durations of which only the sum @ns is known: the histogram and the maximum do not have
 * them.
 */
void dist_add_sum(struct dist *d, int64_t ns, uint64_t n);
/* Adds all durations of @from. */
void dist_merge(struct dist *d, const struct dist *from);
/*
 * Returns the duration that the part @q of all durations (0 to 1, for example 0.99) does not
 * exceed; 0 for an empty distribution. dist_quantile(d, 1) is the maximum.
 */
int64_t dist_quantile(const struct dist *d, double q);
/* Returns the number of durations in the histogram. */
static inline uint64_t dist_sampled(const struct dist *d)
{
	return d->sampled;
}
/*
 * For bucket @i, below DIST_BUCKETS: its count, its least duration, and its upper limit, which is
 * not in the bucket.
 */
uint64_t dist_bucket(const struct dist *d, unsigned i);
uint64_t dist_bucket_from(unsigned i);
uint64_t dist_bucket_to(unsigned i);
void dist_free(struct dist *d);

#endif
