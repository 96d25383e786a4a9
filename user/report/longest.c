// SPDX-License-Identifier: Apache-2.0
/*
 * longest: keeps the longest moments, in a heap with the shortest of them on top. Part of tables.c.
 */
#include "report/internal.h"

static int64_t longest_length(const struct longest *l, size_t i)
{
	const struct moment *m = vec_at(&l->moments, struct moment, i);

	return m->to - m->from;
}

static void longest_swap(struct longest *l, size_t a, size_t b)
{
	struct moment *m = l->moments.data, kept = m[a];

	m[a] = m[b];
	m[b] = kept;
}

static void longest_sink(struct longest *l, size_t i)
{
	size_t n = l->moments.len, least;

	for (;; i = least) {
		least = i;
		if (2 * i + 1 < n && longest_length(l, 2 * i + 1) < longest_length(l, least))
			least = 2 * i + 1;
		if (2 * i + 2 < n && longest_length(l, 2 * i + 2) < longest_length(l, least))
			least = 2 * i + 2;
		if (least == i)
			return;
		longest_swap(l, i, least);
	}
}

static void longest_rise(struct longest *l, size_t i)
{
	for (; i && longest_length(l, i) < longest_length(l, (i - 1) / 2); i = (i - 1) / 2)
		longest_swap(l, i, (i - 1) / 2);
}

void longest_add(struct longest *l, size_t top, const struct moment *m)
{
	if (l->moments.len < top) {
		*(struct moment *)vec_push(&l->moments, sizeof(*m)) = *m;
		longest_rise(l, l->moments.len - 1);
		return;
	}
	if (!top || m->to - m->from <= longest_length(l, 0))
		return;
	*vec_at(&l->moments, struct moment, 0) = *m;
	longest_sink(l, 0);
}

static int longer_first(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	int64_t nx = x->to - x->from, ny = y->to - y->from;

	if (nx != ny)
		return nx > ny ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

void tables_longest(const struct longest *l, struct vec *sorted)
{
	size_t i;

	for (i = 0; i < l->moments.len; i++)
		*(struct moment *)vec_push(sorted, sizeof(struct moment)) =
			*vec_at(&l->moments, struct moment, i);
	vec_sort(sorted, sizeof(struct moment), longer_first);
}
