// SPDX-License-Identifier: Apache-2.0
/*
 * v2_frontier: the heap of v2_stream.h. Input: streams. Output: the stream with the earliest event.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/v2_stream.h"

enum { SMALL = 12 };	/* slices.SortFunc uses an insertion sort up to this length */

static void frontier_swap(struct v2_frontier *f, size_t a, size_t b)
{
	struct v2_front front = f->heap[a];

	f->heap[a] = f->heap[b];
	f->heap[b] = front;
}

static int64_t time_at(const struct v2_frontier *f, size_t i)
{
	return f->heap[i].time;
}

static size_t sift_up(struct v2_frontier *f, size_t i)
{
	while (i > 0 && time_at(f, (i - 1) / 2) > time_at(f, i)) {
		frontier_swap(f, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
	return i;
}

/* The earliest of @i and its children. An item with time INT64_MAX is never the earliest. */
static size_t frontier_earliest(const struct v2_frontier *f, size_t i)
{
	int64_t min = i < f->len ? time_at(f, i) : INT64_MAX;
	size_t child = 2 * i + 1, best = i;

	for (; child <= 2 * i + 2 && child < f->len; child++) {
		if (time_at(f, child) < min) {
			min = time_at(f, child);
			best = child;
		}
	}
	return best;
}

static void sift_down(struct v2_frontier *f, size_t i)
{
	for (;;) {
		size_t first = frontier_earliest(f, i);

		if (first == i)
			return;
		frontier_swap(f, i, first);
		i = first;
	}
}

void frontier_add(struct v2_frontier *f, const struct v2_front *front)
{
	if (f->len == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 16;
		f->heap = xrealloc(f->heap, f->cap, sizeof(*f->heap));
	}
	f->heap[f->len++] = *front;
	sift_up(f, f->len - 1);
}

void frontier_move(struct v2_frontier *f, size_t i)
{
	if (sift_up(f, i) == i)
		sift_down(f, i);
}

void frontier_remove(struct v2_frontier *f, size_t i)
{
	for (; i > 0; i = (i - 1) / 2)
		frontier_swap(f, i, (i - 1) / 2);
	frontier_swap(f, 0, --f->len);
	sift_down(f, 0);
}

static void sort_small(struct v2_front *a, size_t n)
{
	size_t i, j;

	for (i = 1; i < n; i++) {
		struct v2_front front = a[i];

		for (j = i; j > 0 && a[j - 1].time > front.time; j--)
			a[j] = a[j - 1];
		a[j] = front;
	}
}

/* Merge sort: stable, and fast on the nearly sorted heaps that are usual. */
static void sort_range(struct v2_front *a, size_t n, struct v2_front *spare)
{
	size_t half = n / 2, i = 0, j = half, k;

	if (n <= SMALL) {
		sort_small(a, n);
		return;
	}
	sort_range(a, half, spare);
	sort_range(a + half, n - half, spare);
	if (a[half - 1].time <= a[half].time)
		return;
	memcpy(spare, a, half * sizeof(*a));
	for (k = 0; i < half; k++) {
		if (j < n && a[j].time < spare[i].time)
			a[k] = a[j++];
		else
			a[k] = spare[i++];
	}
}

void frontier_sort(struct v2_frontier *f)
{
	struct v2_front *spare = NULL;

	if (f->len > SMALL)
		spare = xcalloc(f->len, sizeof(*f->heap));
	sort_range(f->heap, f->len, spare);
	free(spare);
}
