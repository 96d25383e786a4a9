// SPDX-License-Identifier: Apache-2.0
/* drain: see drain.h. */
#include "capture/drain.h"

#include <assert.h>

#include "base/arch.h"
#include "base/clock.h"
#include "capture/pace.h"

enum {
	LOOK_NS = 1000 * 1000,		/* between two looks for room in the queue */
	/*
	 * time in which a thread that was in a probe when the link was closed has submitted its
	 * record
	 */
	LAST_WAIT_NS = 10 * 1000 * 1000,
	REST_ROUNDS = 1000,
	BUSY_BYTES = 128 << 10,
	/*
	 * Bytes of records that may wait behind a record that is not submitted; in the merge they
	 * take half as much memory again.
	 */
	HELD_MAX = 32 << 20,
	/* Rounds of LAST_WAIT_NS for a thread of the target that was preempted within a record. */
	LAST_ROUNDS = 20,
};

/*
 * The most time that the end of a recording takes to catch up with the program. After it gotap
 * drops and counts what is left in the program's memory, and what came from there and waits, since
 * a program can make more of it at any time.
 */
#define REST_NS 3000000000ULL

static void add_user_records(struct drain *d, struct chunk *c, uint64_t now)
{
	size_t end = c->data.len, at = chunk_segment_begin(c, CHUNK_USER_CPU);

	user_records_take(d->user, &c->data);
	losses_report(&d->losses, now, states_were_found(d->states), &c->data);
	unreadable_report(&d->unreadable, d->rings, d->watch->proc, now, &c->data);
	texts_fill(&d->texts, c, end, now);
	if (d->meter)
		budget_meter_count(d->meter, d->rings, c, end);
	if (d->goids)
		goids_add(d->goids, d->rings, c, end);
	chunk_segment_end(c, at);
}

/*
 * A small ring of code in the target needs the next round early with less: such a program makes ten
 * times the records of probes, and fills 4 MiB in 11 ms.
 */
static void drain_note_fill(struct drain *d, const struct ring *r)
{
	size_t bytes = ring_fill(r), fill = r->size ? bytes * PACE_WHOLE / r->size : 0;

	if (r->foreign && !d->rare && bytes > BUSY_BYTES && fill <= PACE_CALM)
		fill = PACE_CALM + 1;
	if (fill > d->fill)
		d->fill = (unsigned int)fill;
}

/*
 * While the queue has no room the rings fill: the next round must come as soon as a full ring needs
 * it, not after the time of an empty one.
 */
static void drain_note_fills(struct drain *d)
{
	size_t i;

	d->fill = 0;
	for (i = 0; i < d->rings->rings.len; i++)
		drain_note_fill(d, vec_at(&d->rings->rings, struct ring, i));
}

/*
 * Takes the records of @ring into a segment of @c. Returns false if a record in it is not submitted
 * yet.
 */
static bool drain_ring(struct drain *d, struct ring *ring, struct chunk *c)
{
	size_t at;
	bool clean;

	if (ring->foreign)
		return inline_rings_take(d->in_target, ring, c, d->watermark);
	at = chunk_segment_begin(c, ring->segment);
	clean = ring_drain(ring, &c->data);
	chunk_segment_end(c, at);
	return clean;
}

/* The watermark never goes back: rings of the target that open later have one that is lower. */
static void drain_raise(struct drain *d, uint64_t watermark)
{
	if (watermark > d->watermark)
		d->watermark = watermark;
}

/*
 * Takes the watermark's time before it reads the rings (chunk.h), and the records of user space
 * after that: one that is added later is younger than the watermark (user_records.h).
 */
static void drain_fill(struct drain *d, struct chunk *c)
{
	bool clean = true, clean_foreign = true;
	size_t i;

	d->fill = 0;
	c->mono_ns = inline_rings_round(d->in_target);
	c->wall_ns = wall_at(c->mono_ns);
	for (i = 0; i < d->rings->rings.len; i++) {
		struct ring *ring = vec_at(&d->rings->rings, struct ring, i);

		if (ring->foreign && d->late) {
			ring->blocked = false;
			continue;
		}
		drain_note_fill(d, ring);
		*(ring->foreign ? &clean_foreign : &clean) &= drain_ring(d, ring, c);
	}
	assert(c->mono_ns >= d->watermark);
	if (!clean_foreign && d->held + c->data.len > HELD_MAX) {
		inline_rings_pass(d->in_target, c, d->watermark);
		clean_foreign = true;
	}
	clean &= clean_foreign;
	if (clean)
		drain_raise(d, inline_rings_watermark(d->in_target, c->mono_ns) -
			       ARCH_TIME_SLACK_NS);
	d->held = clean ? 0 : d->held + c->data.len;
	inline_rings_unstick(d->in_target, false, false);
	add_user_records(d, c, c->mono_ns);
	c->watermark = d->watermark;
}

/*
 * Looks at the program after the chunk is filled. Records from after a change that the look finds
 * are in this chunk or in later ones, from which they are dropped.
 */
static void fill_with_truth(struct drain *d, struct chunk *c)
{
	drain_fill(d, c);
	watch_look(d->watch);
	if (d->watch->cut != UINT64_MAX)
		chunk_drop_after(c, d->watch->cut);
}

/*
 * Sets back the watermark of @c to the last time at which the program was seen alive. The program
 * may have ended since, while the chunk was filled: if so, the records behind that time follow in a
 * later chunk, once the time of the end is known.
 */
static void hold_back(struct drain *d, struct chunk *c)
{
	uint64_t until = watch_end_time(d->watch);

	if (until < d->passed_on)
		until = d->passed_on;
	if (until < c->watermark)
		c->watermark = until;
}

void drain_round(struct drain *d)
{
	struct chunk *c = chunk_queue_room(d->queue);

	if (!c) {
		drain_note_fills(d);
		watch_look(d->watch);
		return;
	}
	fill_with_truth(d, c);
	if (d->watch->end != CAPTURE_RUNNING)
		hold_back(d, c);
	d->passed_on = c->watermark;
	chunk_queue_put(d->queue, c, false);
}

/* Returns whether no thread goes on with the program: it has ended, or exec'ed another. */
static bool drain_has_ended(const struct drain *d)
{
	return d->watch->end == CAPTURE_EXITED || d->watch->end == CAPTURE_EXECED;
}

static bool drain_is_foreign(uint32_t segment)
{
	return segment >= INLINE_SEGMENTS && segment != CHUNK_USER_CPU;
}

/*
 * Drops what is left, at the end: the target still makes records, or the reader of the queue is
 * slow.
 */
static void drain_drop_rest(struct drain *d)
{
	struct ring *ring = NULL;
	size_t i;

	d->late = true;
	for (i = 0; i < d->rings->rings.len; i++) {
		if (!vec_at(&d->rings->rings, struct ring, i)->foreign)
			continue;
		ring = vec_at(&d->rings->rings, struct ring, i);
		ring_give_up(ring, ring_fill(ring));
	}
	if (ring)
		ring_give_up(ring, chunk_queue_thin(d->queue, drain_is_foreign));
}

static struct chunk *drain_rest_room(struct drain *d, uint64_t end)
{
	struct chunk *c;

	while (!(c = chunk_queue_room(d->queue))) {
		if (!d->late && now_ns() >= end)
			drain_drop_rest(d);
		sleep_ns(LOOK_NS);
	}
	if (!d->late && now_ns() >= end)
		drain_drop_rest(d);
	return c;
}

void drain_rest(struct drain *d)
{
	uint64_t end = now_ns() + REST_NS;
	struct chunk *c;
	int rounds = 0;

	do {
		c = drain_rest_room(d, end);
		fill_with_truth(d, c);
		chunk_queue_put(d->queue, c, false);
	} while (d->fill > PACE_CALM && ++rounds < REST_ROUNDS);
	for (rounds = 0;; rounds++) {
		sleep_ns(LAST_WAIT_NS);
		c = drain_rest_room(d, end);
		fill_with_truth(d, c);
		if (inline_rings_unstick(d->in_target, rounds >= LAST_ROUNDS, drain_has_ended(d)) ||
		    rounds >= 2 * LAST_ROUNDS)
			break;
		chunk_queue_put(d->queue, c, false);
	}
	c->watermark = UINT64_MAX;
	chunk_queue_put(d->queue, c, true);
}
