// SPDX-License-Identifier: Apache-2.0
/*
 * tally_waits: the waits of the program's own goroutines by reason: how many wait, for how long
 * together, and how long those waits were that ended in the interval. See tally_internal.h.
 */
#include <string.h>

#include "top/tally_internal.h"

static struct tally_wait *tally_wait_of(struct tally *t, uint32_t reason)
{
	while (t->waits.len <= reason) {
		struct tally_wait *w = vec_push(&t->waits, sizeof(*w));

		*w = (struct tally_wait){ .at = t->now };
	}
	return vec_at(&t->waits, struct tally_wait, reason);
}

static void tally_wait_settle(struct tally_wait *w, uint64_t time)
{
	w->ns += w->now * (time - w->at);
	w->at = time;
}

void top_tally_wait_begins(struct tally *t, uint32_t reason)
{
	struct tally_wait *w = tally_wait_of(t, reason);

	tally_wait_settle(w, t->now);
	w->now++;
}

void top_tally_wait_ends(struct tally *t, uint32_t reason, uint64_t ns)
{
	struct tally_wait *w = tally_wait_of(t, reason);

	tally_wait_settle(w, t->now);
	w->now--;
	if (ns)
		dist_add(&w->ended, (int64_t)ns);
}

void top_tally_waits_settle(struct tally *t, uint64_t time)
{
	size_t i;

	for (i = 0; i < t->waits.len; i++)
		tally_wait_settle(vec_at(&t->waits, struct tally_wait, i), time);
}

void top_tally_waits_skip(struct tally *t, uint64_t time)
{
	size_t i;

	for (i = 0; i < t->waits.len; i++)
		vec_at(&t->waits, struct tally_wait, i)->at = time;
}

void top_tally_waits_turn(struct tally *t)
{
	size_t i;

	for (i = 0; i < t->waits.len; i++) {
		struct tally_wait *w = vec_at(&t->waits, struct tally_wait, i);

		w->ns = 0;
		dist_free(&w->ended);
	}
}

static int waits_by_ns(const void *a, const void *b)
{
	const struct top_wait *x = a, *y = b;

	return x->ns == y->ns ? strcmp(x->text, y->text) : x->ns < y->ns ? 1 : -1;
}

void top_tally_waits_sample(const struct tally *t, struct top_sample *s)
{
	size_t i;

	for (i = 0; i < t->waits.len; i++) {
		const struct tally_wait *w = vec_at(&t->waits, struct tally_wait, i);

		if (!w->now && !w->ns && !w->ended.count)
			continue;
		*(struct top_wait *)vec_push(&s->waits, sizeof(struct top_wait)) =
			(struct top_wait){ reasons_text(&t->reasons, (uint32_t)i), w->now, w->ns,
					   top_waits_of(&w->ended) };
	}
	vec_sort(&s->waits, sizeof(struct top_wait), waits_by_ns);
}

void top_tally_waits_free(struct tally *t)
{
	top_tally_waits_turn(t);
	vec_free(&t->waits);
}
