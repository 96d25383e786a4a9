// SPDX-License-Identifier: Apache-2.0
/*
 * sort: stable sorting and permuting of events through 32-bit indexes; an
 * event is moved once, in place, however long the way to its position was.
 */
#include <stdlib.h>

#include "v1/internal.h"
#include "v1/order.h"

struct keyed {
	int64_t key;
	uint32_t position;	/* before sorting: makes the sort stable */
	uint32_t index;
};

static int keyed_compare(const void *pa, const void *pb)
{
	const struct keyed *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->position < b->position ? -1 : 1;
}

static void sort_keyed(struct keyed *keyed, uint32_t *index, size_t n)
{
	size_t i;

	qsort(keyed, n, sizeof(*keyed), keyed_compare);
	for (i = 0; i < n; i++)
		index[i] = keyed[i].index;
	free(keyed);
}

void v1_sort_by_key(const int64_t *keys, uint32_t *index, size_t n)
{
	struct keyed *k = xcalloc(n, sizeof(*k));
	size_t i;

	for (i = 0; i < n; i++)
		k[i] = (struct keyed){ keys[index[i]], (uint32_t)i, index[i] };
	sort_keyed(k, index, n);
}

void v1_sort_by_time(const struct v1_trace *t, uint32_t *index, size_t n)
{
	struct keyed *k = xcalloc(n, sizeof(*k));
	size_t i;

	for (i = 0; i < n; i++)
		k[i] = (struct keyed){ v1_ev(t, index[i])->time, (uint32_t)i, index[i] };
	sort_keyed(k, index, n);
}

void v1_permute(struct v1_trace *t, uint32_t *index)
{
	uint32_t start, to, from;
	struct v1_event saved;

	/* Cycle by cycle; an entry that has been served points at itself. */
	for (start = 0; start < t->events.len; start++) {
		if (index[start] == start)
			continue;
		saved = *v1_ev(t, start);
		for (to = start; (from = index[to]) != start; to = from) {
			*v1_ev(t, to) = *v1_ev(t, from);
			index[to] = to;
		}
		*v1_ev(t, to) = saved;
		index[to] = to;
	}
}
