// SPDX-License-Identifier: Apache-2.0
/* dist: see dist.h. */
#include "report/dist.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

/* OCTAVES_MAX: for all distributions together: 32 MB */
enum { FIRST_BITS = 5, OCTAVES_MAX = 128 << 10 };

/* Several threads make octaves: the last ones may be a few beyond the limit. */
static _Atomic size_t octaves_made;

/* --- buckets --- */

static uint32_t dist_bucket_of(int64_t ns)
{
	unsigned top;

	if (ns < DIST_STEPS)
		return (uint32_t)ns;
	top = 63 - (unsigned)__builtin_clzll((unsigned long long)ns);
	return (top - FIRST_BITS + 1) * DIST_STEPS +
	       (uint32_t)(ns >> (top - FIRST_BITS)) % DIST_STEPS;
}

uint64_t dist_bucket_from(unsigned i)
{
	uint64_t step = i % DIST_STEPS;
	unsigned octave = i / DIST_STEPS;

	return octave ? (step + DIST_STEPS) << (octave - 1) : step;
}

uint64_t dist_bucket_to(unsigned i)
{
	unsigned octave = i / DIST_STEPS;

	return dist_bucket_from(i) + (octave ? 1ULL << (octave - 1) : 1);
}

uint64_t dist_bucket(const struct dist *d, unsigned i)
{
	uint32_t octave = i / DIST_STEPS;

	if (octave < d->low || octave >= d->low + d->octaves || !d->counts[octave - d->low])
		return 0;
	return d->counts[octave - d->low][i % DIST_STEPS];
}

/* --- octaves --- */

/* Extends the range of octaves to @octave; the new entries are NULL. */
static void dist_widen(struct dist *d, uint32_t octave)
{
	uint32_t low = d->octaves && d->low < octave ? d->low : octave;
	uint32_t high = d->octaves && d->low + d->octaves > octave + 1 ? d->low + d->octaves :
									 octave + 1;
	uint64_t **counts = xcalloc(high - low, sizeof(*counts));
	uint32_t i;

	for (i = 0; i < d->octaves; i++)
		counts[d->low + i - low] = d->counts[i];
	free(d->counts);
	d->counts = counts;
	d->low = low;
	d->octaves = high - low;
}

/* Returns the counts of @octave, and allocates them if necessary; NULL: the limit is reached. */
static uint64_t *make_octave(struct dist *d, uint32_t octave)
{
	if (octaves_made >= OCTAVES_MAX)
		return NULL;
	if (octave < d->low || octave >= d->low + d->octaves)
		dist_widen(d, octave);
	if (!d->counts[octave - d->low]) {
		d->counts[octave - d->low] = xcalloc(DIST_STEPS, sizeof(uint64_t));
		octaves_made++;
	}
	return d->counts[octave - d->low];
}

static inline uint64_t *counts_of(struct dist *d, uint32_t octave)
{
	uint32_t i = octave - d->low;

	return i < d->octaves && d->counts[i] ? d->counts[i] : make_octave(d, octave);
}

static void dist_count(struct dist *d, uint32_t bucket, uint64_t n)
{
	uint64_t *counts = counts_of(d, bucket / DIST_STEPS);

	if (!counts)
		return;
	counts[bucket % DIST_STEPS] += n;
	d->sampled += n;
}

/* --- adding --- */

static int64_t dist_add_up(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void dist_add_of(struct dist *d, int64_t ns, uint64_t g, int64_t from, uint32_t trace)
{
	if (ns < 0)
		ns = 0;
	if (ns > d->max || !d->count) {
		d->max = ns;
		d->max_g = g;
		d->max_from = from;
		d->max_trace = trace;
	}
	d->count++;
	d->sum = dist_add_up(d->sum, ns);
	dist_count(d, dist_bucket_of(ns), 1);
}

void dist_add_sum(struct dist *d, int64_t ns, uint64_t n)
{
	d->count += n;
	d->sum = dist_add_up(d->sum, ns);
}

void dist_add(struct dist *d, int64_t ns)
{
	dist_add_of(d, ns, 0, 0, 0);
}

void dist_merge(struct dist *d, const struct dist *from)
{
	uint32_t octave, i;

	if (!from->count)
		return;
	if (from->max > d->max || !d->count) {
		d->max = from->max;
		d->max_g = from->max_g;
		d->max_from = from->max_from;
		d->max_trace = from->max_trace;
	}
	d->count += from->count;
	d->sum = dist_add_up(d->sum, from->sum);
	for (octave = 0; octave < from->octaves; octave++)
		for (i = 0; from->counts[octave] && i < DIST_STEPS; i++)
			if (from->counts[octave][i])
				dist_count(d, (from->low + octave) * DIST_STEPS + i,
					   from->counts[octave][i]);
}

/* --- reading --- */

static int64_t dist_middle(uint32_t bucket)
{
	uint64_t from = dist_bucket_from(bucket);

	return (int64_t)(from + (dist_bucket_to(bucket) - 1 - from) / 2);
}

int64_t dist_quantile(const struct dist *d, double q)
{
	uint64_t rank = (uint64_t)ceil(q * (double)d->sampled), seen = 0;
	uint32_t i, end = (d->low + d->octaves) * DIST_STEPS;
	int64_t ns;

	if (rank >= d->sampled)
		return d->max;
	for (i = d->low * DIST_STEPS; i < end; i++) {
		seen += dist_bucket(d, i);
		if (seen && seen >= rank)
			break;
	}
	ns = dist_middle(i);
	return ns < d->max ? ns : d->max;
}

void dist_free(struct dist *d)
{
	uint32_t i;

	for (i = 0; i < d->octaves; i++) {
		octaves_made -= d->counts[i] != NULL;
		free(d->counts[i]);
	}
	free(d->counts);
	*d = (struct dist){0};
}
