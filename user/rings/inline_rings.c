// SPDX-License-Identifier: Apache-2.0
/* inline_rings: see inline_rings.h. */
#define _GNU_SOURCE
#include "rings/inline_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/clock.h"

enum { PAGE = 4096 };
_Static_assert(sizeof(struct inline_shared) <= PAGE, "include/inline.h");

static uint64_t inline_rings_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static struct ring *inline_rings_at(const struct inline_rings *ir, size_t i)
{
	return vec_at(&ir->set->rings, struct ring, ir->first + i);
}

void inline_rings_plan(struct inline_rings *ir, struct ring_set *set, const struct process *proc,
		       bool early_goid)
{
	struct ring_memory memory = {0};
	uint32_t cpus = 0;
	size_t i;

	*ir = (struct inline_rings){ .set = set, .first = set->rings.len,
				     .closed = xcalloc(1, sizeof(*ir->closed)) };
	ir->stuck = xcalloc(set->cpus, sizeof(*ir->stuck));
	foreign_init(&ir->door, proc, early_goid);
	for (i = 0; i < set->cpus; i++) {
		uint32_t cpu = vec_at(&set->rings, struct ring, i)->cpu;
		struct ring r = ring_plan(&memory, cpu, vec_at(&set->rings, struct ring, i)->size);

		r.segment = INLINE_SEGMENTS + cpu;
		r.foreign = true;
		r.state = ir->closed;
		*(struct ring *)vec_push(&set->rings, sizeof(r)) = r;
		if (cpu >= cpus)
			cpus = cpu + 1;
	}
	ir->plan =
		(struct inline_shared){ .magic = INLINE_MAGIC, .n_states = cpus, .states = PAGE };
	ir->plan.seen = ir->plan.states + inline_rings_pages(cpus * sizeof(struct ring_state));
	ir->plan.hints = ir->plan.seen + INLINE_SEEN * sizeof(uint64_t);
	ir->plan.chunks = ir->plan.hints + INLINE_HINTS * sizeof(struct inline_hints) +
			  INLINE_MS * sizeof(struct inline_m);
	ir->plan.size = ir->plan.chunks + memory.chunks * RING_CHUNK;
	tsc_sample(&ir->clock);
}

/* In a word that is not the target's to change: offsets are those that gotap planned. */
static void open_rings(struct inline_rings *ir)
{
	uint8_t *base = (uint8_t *)ir->shared;
	struct ring_memory memory = {
		.data = base + ir->plan.chunks,
		.states = (struct ring_state *)(base + ir->plan.states),
		.n_states = ir->plan.n_states,
	};
	size_t i;

	for (i = 0; i < ir->set->cpus; i++)
		ring_open(inline_rings_at(ir, i), &memory, true);
}

int inline_rings_open(struct inline_rings *ir, int fd, struct error *err)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) || (uint64_t)st.st_size < ir->plan.size)
		return error_set(err, -EINVAL,
				 "the memory that is shared with the program is too small");
	p = mmap(NULL, ir->plan.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return error_set(err, -errno,
				 "cannot map the memory that is shared with the program: %s",
				 strerror(errno));
	/* the processes that gotap forks get none of it */
	madvise(p, ir->plan.size, MADV_DONTFORK);
	__atomic_store_n(&ir->shared, p, __ATOMIC_RELEASE);
	open_rings(ir);
	inline_rings_set_stacks(ir, ir->plan.stacks);
	return 0;
}

bool inline_rings_are_open(const struct inline_rings *ir)
{
	return __atomic_load_n(&ir->shared, __ATOMIC_ACQUIRE);
}

void inline_rings_switch(struct inline_rings *ir, bool on)
{
	if (inline_rings_are_open(ir))
		__atomic_store_n(&ir->shared->on, on, __ATOMIC_SEQ_CST);
}

void inline_rings_set_stacks(struct inline_rings *ir, unsigned int stacks)
{
	ir->plan.stacks = stacks;
	if (inline_rings_are_open(ir))
		__atomic_store_n(&ir->shared->stacks, stacks, __ATOMIC_SEQ_CST);
}

uint64_t inline_rings_round(struct inline_rings *ir)
{
	uint64_t now = now_ns(), line;

	/*
	 * from the begin on: the first records meet a rate of longer than the 10 ms of the first
	 * sample
	 */
	if (ir->set)
		tsc_sample(&ir->clock);
	if (!inline_rings_are_open(ir))
		return now;
	foreign_round(&ir->door, now);
	/*
	 * the line of the counter is some ns beside the clock: the earlier one holds for both kinds
	 * of records
	 */
	line = tsc_to_ns(&ir->clock, tsc_now());
	return line < now ? line : now;
}

/*
 * Code in the target may take the time of a record before its reservation is visible, within one
 * run of the processor's pipeline without an interrupt (bpf/inline/order.h). Such a run takes less
 * than 1 us, and tens of us where the core changes its frequency meanwhile.
 */
enum { AHEAD_NS = 1000000 };

uint64_t inline_rings_watermark(const struct inline_rings *ir, uint64_t round)
{
	return inline_rings_are_open(ir) && round > AHEAD_NS ? round - AHEAD_NS : round;
}

uint64_t inline_rings_ns(const struct inline_rings *ir, uint64_t tsc)
{
	return tsc && ir->clock.n ? tsc_to_ns(&ir->clock, tsc) : tsc;
}

/* Converts the TSC values in records of one ring to ns, and bounds the results. */
struct inline_times {
	struct tsc_piece piece;	/* the part of the clock's line that the last record had */
	uint64_t floor, now;	/* times are between these */
};

static inline uint64_t inline_rings_between(const struct inline_times *t, uint64_t time)
{
	return time < t->floor ? t->floor : time > t->now ? t->now : time;
}

/* As inline_rings_ns(). */
static uint64_t inline_rings_time(const struct inline_rings *ir, struct inline_times *t,
				  uint64_t tsc)
{
	if (!tsc_piece_has(&t->piece, tsc) && tsc && ir->clock.n)
		t->piece = tsc_piece_of(&ir->clock, tsc);
	return tsc_piece_has(&t->piece, tsc) ? tsc_piece_ns(&t->piece, tsc) :
					       inline_rings_ns(ir, tsc);
}

/*
 * Gives records from @at on their times while each passes the door as nearly all do, and its time
 * lies in the same part of the line. Returns where they end.
 */
static size_t inline_rings_check_usual(struct inline_rings *ir, const struct buf *out, size_t at,
				       const struct inline_times *times)
{
	struct inline_times t = *times;
	uint64_t *of_kind = ir->set->in_target.of_kind;
	const struct foreign_rule *rule;

	for (; out->len - at >= sizeof(struct rec_long); at += rule->size) {
		struct rec *r = (struct rec *)(out->data + at);

		rule = foreign_rule(&ir->door, r);
		if (!foreign_passes(&ir->door, rule, r) || !tsc_piece_has(&t.piece, r->time))
			break;
		of_kind[r->kind]++;
		r->time = inline_rings_between(&t, tsc_piece_ns(&t.piece, r->time));
	}
	return at;
}

/*
 * The records that were copied from @ring to @out, from @at on: drops those that the door refuses
 * (foreign.h), which count as lost, and gives each its time in ns, from @floor to now.
 */
static void inline_rings_check(struct inline_rings *ir, struct ring *ring, struct buf *out,
			       size_t at, uint64_t floor)
{
	struct inline_times times = { .floor = floor, .now = now_ns() };
	size_t to = at, n;
	bool sound;

	for (; at < out->len; at += n) {
		struct rec *r = (struct rec *)(out->data + at);

		n = foreign_take(&ir->door, r, out->len - at, &sound);
		if (!sound)
			ring_give_up(ring, n ? 0 : out->len - at);
		if (!n)
			break;
		if (!sound)
			continue;
		ir->set->in_target.of_kind[r->kind]++;
		r->time = inline_rings_between(&times, inline_rings_time(ir, &times, r->time));
		if (to != at)
			memmove(out->data + to, r, n);
		to += n;
		if (to == at + n) {	/* none was dropped so far */
			to = inline_rings_check_usual(ir, out, to, &times);
			n = to - at;
		}
	}
	out->len = to;
}

bool inline_rings_take(struct inline_rings *ir, struct ring *ring, struct chunk *c, uint64_t floor)
{
	size_t at = chunk_segment_begin(c, ring->segment);
	bool clean = ring_drain(ring, &c->data);

	inline_rings_check(ir, ring, &c->data, at, floor);
	chunk_segment_end(c, at);
	return clean;
}

/*
 * A program that writes @ring meanwhile does not prolong this: after as many bytes as the ring
 * holds, or as many chunks, all of the begin has been taken.
 */
static void inline_rings_pass_one(struct inline_rings *ir, struct ring *ring, struct chunk *c,
				  uint64_t floor)
{
	size_t begin = c->data.len, skips = ring->size / RING_CHUNK;

	while (ring->blocked && skips-- && c->data.len - begin < ring->size) {
		ring_skip(ring);
		inline_rings_take(ir, ring, c, floor);
	}
}

void inline_rings_pass(struct inline_rings *ir, struct chunk *c, uint64_t floor)
{
	size_t i;

	for (i = 0; i < ir->set->cpus; i++)
		inline_rings_pass_one(ir, inline_rings_at(ir, i), c, floor);
}

/* Gives up the record in the way of @ring, or waits on. */
static void inline_rings_unstick_one(struct inline_rings *ir, size_t i, bool last, bool ended,
				     uint64_t now)
{
	struct ring *ring = inline_rings_at(ir, i);
	bool may_end = stuck_may_end(&ir->stuck[i], ir->door.threads.proc, ring_block(ring), now);

	if (!last && !ended && may_end)
		return;
	if (!(ended && ring_drop_unfinished(ring)))
		ring_skip(ring);
	ir->stuck[i].waits = false;
}

bool inline_rings_unstick(struct inline_rings *ir, bool last, bool ended)
{
	uint64_t now = now_ns();
	bool blocked = false;
	size_t i;

	if (!inline_rings_are_open(ir))
		return true;
	for (i = 0; i < ir->set->cpus; i++) {
		if (inline_rings_at(ir, i)->blocked)
			inline_rings_unstick_one(ir, i, last, ended, now);
		else
			ir->stuck[i].waits = false;
		blocked |= inline_rings_at(ir, i)->blocked;
	}
	return !blocked;
}

void inline_rings_free(struct inline_rings *ir)
{
	if (ir->shared)
		munmap(ir->shared, ir->plan.size);
	foreign_free(&ir->door);
	free(ir->stuck);
	free(ir->closed);
	*ir = (struct inline_rings){0};
}
