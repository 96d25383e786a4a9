// SPDX-License-Identifier: Apache-2.0
/* timeline: see timeline.h. Widths are powers of two, so that a shift finds the bucket. */
#include "report/timeline.h"

#include <string.h>

enum { FIRST_SHIFT = 10, SHIFT_MAX = 63 };

void timeline_init(struct timeline *t, int64_t origin)
{
	memset(t, 0, sizeof(*t));
	t->origin = origin;
	t->shift = FIRST_SHIFT;
}

static void merge_values(struct timeline_value *a, const struct timeline_value *b)
{
	if (!b->count)
		return;
	if (!a->count || b->min < a->min)
		a->min = b->min;
	if (!a->count || b->max > a->max)
		a->max = b->max;
	a->last = b->last;
	a->count += b->count;
}

/* Merges pairs of buckets, which doubles the width. */
static void timeline_halve(struct timeline *t)
{
	static const struct timeline_value none;
	uint32_t row, i;

	for (i = 0; i < TIMELINE_BUCKETS; i++) {
		for (row = 0; row < TIMELINE_ROWS; row++) {
			uint64_t *ns = t->ns[row];
			uint64_t both = i < TIMELINE_BUCKETS / 2 ? ns[2 * i] + ns[2 * i + 1] : 0;

			ns[i] = both;
		}
		for (row = 0; row < TIMELINE_METRICS; row++) {
			struct timeline_value *v = t->values[row], both = none;

			if (i < TIMELINE_BUCKETS / 2) {
				both = v[2 * i];
				merge_values(&both, &v[2 * i + 1]);
			}
			v[i] = both;
		}
	}
	t->shift++;
	t->used = (t->used + 1) / 2;
}

/*
 * Returns the bucket of the time @since ns after the origin, and widens the buckets if necessary.
 */
static uint32_t timeline_bucket(struct timeline *t, uint64_t since)
{
	uint32_t i;

	while (since >> t->shift >= TIMELINE_BUCKETS && t->shift < SHIFT_MAX)
		timeline_halve(t);
	i = (uint32_t)(since >> t->shift) % TIMELINE_BUCKETS;
	if (i >= t->used)
		t->used = i + 1;
	return i;
}

static uint64_t since_origin(const struct timeline *t, int64_t time)
{
	return time > t->origin ? (uint64_t)time - (uint64_t)t->origin : 0;
}

void timeline_add(struct timeline *t, enum timeline_row row, int64_t from, int64_t to)
{
	uint64_t a = since_origin(t, from), b = since_origin(t, to), *ns = t->ns[row];
	uint32_t first, last;

	if (a >= b)
		return;
	/* the later time first: both times then have the same scale */
	last = timeline_bucket(t, b - 1);
	first = (uint32_t)(a >> t->shift);
	if (first == last) {
		ns[first] += b - a;
		return;
	}
	ns[first] += ((uint64_t)(first + 1) << t->shift) - a;
	while (++first < last)
		ns[first] += 1ULL << t->shift;
	ns[last] += b - ((uint64_t)last << t->shift);
}

void timeline_value(struct timeline *t, enum timeline_metric metric, int64_t time, uint64_t value)
{
	uint32_t i = timeline_bucket(t, since_origin(t, time));
	struct timeline_value v = { value, value, value, 1 };

	merge_values(&t->values[metric][i], &v);
}

int64_t timeline_width(const struct timeline *t, uint32_t i, int64_t end)
{
	uint64_t from = (uint64_t)i << t->shift, length = since_origin(t, end);

	if (from >= length)
		return 0;
	return (int64_t)(length - from < 1ULL << t->shift ? length - from : 1ULL << t->shift);
}
