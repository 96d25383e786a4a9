// SPDX-License-Identifier: Apache-2.0
/* losses: see losses.h. */
#include "capture/losses.h"

#include <stdlib.h>

#include "base/clock.h"

/*
 * The model mostly concludes the transitions in a shorter loss from the records around it
 * (repairs). A drain thread that is late for a moment loses records of some milliseconds, one that
 * was stopped as many as it was stopped for.
 */
#define LONG_NS (100 * 1000 * 1000)

void losses_init(struct losses *l, const struct ring_set *rings,
		 const struct inline_rings *in_target)
{
	l->rings = rings;
	l->in_target = in_target;
	l->last = now_ns();
	l->reported = xcalloc(rings->rings.len, sizeof(*l->reported));
}

/*
 * Takes the new losses of a ring. It clears lost_first before it reads the count. A record that is
 * lost in between counts here and leaves a time for the next call, which is then too early; in the
 * other order a loss could come without a time.
 */
static struct rec_long losses_take(const struct ring *ring, uint64_t *reported)
{
	uint64_t first = __atomic_exchange_n(&ring->state->lost_first, 0, __ATOMIC_SEQ_CST);
	uint64_t n = ring_lost(ring);
	struct rec_long l = {
		.r = { .kind = ring->of_threads ? REC_THREADS_LOST : REC_LOST, .ptr = first,
		       .id = ring->of_threads ? ring->cpu - RING_THREADS : ring->cpu },
		.stack = __atomic_load_n(&ring->state->lost_last, __ATOMIC_SEQ_CST),
		.arg = n - *reported,
	};

	*reported = n;
	return l;
}

/*
 * Bounds the times of a foreign ring, which the target can write: no loss is before the last report
 * or in the future.
 */
static void losses_date(const struct losses *l, struct rec_long *r, uint64_t now)
{
	r->r.ptr = inline_rings_ns(l->in_target, r->r.ptr);
	r->stack = inline_rings_ns(l->in_target, r->stack);
	if (r->r.ptr < l->last || r->r.ptr > now)
		r->r.ptr = l->last;
	if (r->stack < r->r.ptr || r->stack > now)
		r->stack = now;
}

/*
 * Bounds the count of a foreign ring, which the program can write: no CPU loses more than one
 * record in a nanosecond.
 */
static void losses_bound(const struct losses *l, struct rec_long *r, uint64_t now)
{
	if (r->arg > now - l->last)
		r->arg = now - l->last;
}

/* Returns when the first long loss of @lost begins; UINT64_MAX: there is none. */
static uint64_t gap_begin(const struct vec *lost)
{
	uint64_t begin = UINT64_MAX;
	size_t i;

	for (i = 0; i < lost->len; i++) {
		const struct rec_long *l = vec_at(lost, struct rec_long, i);

		if (l->r.kind == REC_LOST && l->stack > l->r.ptr + LONG_NS && l->r.ptr < begin)
			begin = l->r.ptr;
	}
	return begin;
}

void losses_report(struct losses *l, uint64_t now, bool reread, struct buf *out)
{
	struct rec gap = { .kind = REC_GAP, .sub = REC_GAP_LOST };
	struct vec lost = {0};
	size_t i;

	for (i = 0; i < l->rings->rings.len; i++) {
		const struct ring *ring = vec_at(&l->rings->rings, struct ring, i);
		struct rec_long r = losses_take(ring, &l->reported[i]);

		if (ring->foreign && r.arg) {
			losses_date(l, &r, now);
			losses_bound(l, &r, now);
		}
		if (!r.r.ptr)
			r.r.ptr = now;
		if (r.arg)
			*(struct rec_long *)vec_push(&lost, sizeof(r)) = r;
	}
	gap.time = reread ? gap_begin(&lost) : UINT64_MAX;
	/*
	 * Reports losses that begin inside the gap at the gap's begin, since no record inside it
	 * counts.
	 */
	for (i = 0; i < lost.len; i++) {
		struct rec_long *r = vec_at(&lost, struct rec_long, i);

		r->r.time = r->r.ptr < gap.time ? r->r.ptr : gap.time;
		buf_add(out, r, sizeof(*r));
	}
	if (gap.time != UINT64_MAX)
		buf_add(out, &gap, sizeof(gap));
	l->last = now;
	vec_free(&lost);
}

void losses_free(struct losses *l)
{
	free(l->reported);
}
