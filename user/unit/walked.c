// SPDX-License-Identifier: Apache-2.0
/* walked: see walked.h. */
#include "unit/walked.h"

#include <stdlib.h>
#include <string.h>

/* --- which instances --- */

/* The first one is the slowest of the unit (units.c). */
static int walked_by_time(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->from != y->from)
		return x->from < y->from ? 1 : -1;
	return x->g < y->g ? 1 : x->g > y->g ? -1 : 0;
}

size_t walked_choose(const struct instance *picked, size_t n, struct walked *list)
{
	static const double ranks[WALKED_MOST] = { 0, 0, 0, 0.1, 0.5, 0.9 };
	struct instance *sorted = xcalloc(n + 1, sizeof(*sorted));
	size_t i, at, next = 0, chosen = 0;

	memcpy(sorted, picked, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), walked_by_time);
	for (i = 0; i < WALKED_MOST; i++, next = at + 1) {
		at = (size_t)(ranks[i] * (double)n);
		at = at > next ? at : next;
		if (at >= n)
			break;
		list[chosen++] = (struct walked){ .in = sorted[at], .g = TRACEV2_NO_ID };
	}
	free(sorted);
	return chosen;
}

/* --- which steps --- */

static unsigned walked_bits(int64_t ns)
{
	return ns > 0 ? 64 - (unsigned)__builtin_clzll((uint64_t)ns) : 0;
}

static int64_t walked_length(const struct step *s)
{
	return s->to - s->from;
}

/* Which steps are long: those of @bits and more, and so many of those of one bit less. */
struct walked_limit {
	unsigned bits;
	uint32_t room;
};

static struct walked_limit walked_limit(struct path *path)
{
	struct walked_limit l = { 65, WALKED_STEPS };
	uint32_t lengths[65] = {0}, i;

	for (i = 0; i < path->count; i++)
		lengths[walked_bits(walked_length(store_at(path->steps, i)))]++;
	while (l.bits && lengths[l.bits - 1] <= l.room)
		l.room -= lengths[--l.bits];
	return l;
}

static bool walked_is_long(struct walked_limit *l, const struct step *s)
{
	unsigned bits = walked_bits(walked_length(s));

	if (bits >= l->bits)
		return true;
	if (bits + 1 < l->bits || !l->room)
		return false;
	l->room--;
	return true;
}

static void walked_add(struct walked *w, struct path *path, const struct step *s, bool is_long)
{
	struct walked_step *last =
		w->steps.len ? vec_at(&w->steps, struct walked_step, w->steps.len - 1) : NULL;

	if (is_long || !last || !last->steps) {
		last = vec_push(&w->steps, sizeof(*last));
		*last = (struct walked_step){ .from = s->from, .g = TRACEV2_NO_ID,
					      .via_g = TRACEV2_NO_ID };
	}
	last->to = s->to;
	if (!is_long) {
		last->steps++;
		return;
	}
	last->g = s->g;
	last->via_g = s->via == VIA_NONE ? TRACEV2_NO_ID : s->via_g;
	last->cause = path_cause(path, s);
}

static void walked_steps(struct walked *w, struct path *path)
{
	struct walked_limit limit = walked_limit(path);
	uint32_t i;

	for (i = path->count; i--; ) {
		struct step s = *(const struct step *)store_at(path->steps, i);

		walked_add(w, path, &s, walked_is_long(&limit, &s));
	}
}

static int walked_by_ns(const void *a, const void *b)
{
	const struct walked_part *x = a, *y = b;

	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : 0;
}

/* The parts of a path have one row for each cause that a cause explains. */
static void walked_parts(struct walked *w, const struct path *path)
{
	struct map64 numbers = {0};
	size_t i;

	for (i = 0; i < path->parts.len; i++) {
		const struct part *part = vec_at(&path->parts, struct part, i);
		uint64_t *number = map64_get(&numbers, part->leaf);

		if (!number) {
			number = map64_put(&numbers, part->leaf, NULL);
			*number = w->parts.len;
			*(struct walked_part *)vec_push(&w->parts, sizeof(struct walked_part)) =
				(struct walked_part){ .cause = part->leaf };
		}
		vec_at(&w->parts, struct walked_part, *number)->ns += part->ns;
	}
	map64_free(&numbers);
	vec_sort(&w->parts, sizeof(struct walked_part), walked_by_ns);
}

void walked_take(struct walked *w, struct path *path)
{
	w->count = path->count;
	w->steps.len = w->parts.len = 0;
	walked_steps(w, path);
	walked_parts(w, path);
}

void walked_free(struct walked *w)
{
	vec_free(&w->steps);
	vec_free(&w->parts);
}
