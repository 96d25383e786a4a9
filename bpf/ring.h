/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring: reserves room for a record in the ring of this CPU (struct ring_state in record.h). The
 * kernel's own BPF ring buffer takes a spin lock for each record, and a record costs 40 ns more
 * there.
 *
 * Programs can be preempted by another program on their CPU, so that they take room by
 * compare-and-swap. BPF has compare-and-swap since Linux 5.12. On older kernels (OLD_KERNEL)
 * programs cannot be preempted: up to 5.19 the kernel runs uprobe programs with preemption off, and
 * a sample does not interrupt them (bpf_prog_active). The only other writer is user space, which
 * only adds to the lower half of the word.
 */
#ifndef GOTAP_BPF_RING_H
#define GOTAP_BPF_RING_H

#include "common.h"

enum { CHUNK_UNITS = RING_CHUNK / RING_UNIT };
enum { SKIP_UNITS = sizeof(struct rec) / RING_UNIT };	/* no record is shorter */

#ifdef GO_INLINE
static __always_inline struct ring_state *ring_of_cpu(void) { return ring_of_hit; }
#else
static __always_inline struct ring_state *ring_of_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	if (cpu > RING_CPUS)
		cpu = RING_CPUS;
	return ring_state_at(cpu);
}
#endif

static __always_inline void count_lost_record(struct ring_state *s)
{
	s->lost_last = bpf_ktime_get_ns();
	if (!s->lost_first)
		s->lost_first = s->lost_last;
	__sync_fetch_and_add(&s->lost, 1);
}

/*
 * Counts a lost record. It counts in names_lost, too: the record may have been the one with the
 * goid of its g, and later records must then repeat the goid.
 */
static __always_inline void count_lost(struct ring_state *s)
{
	__sync_fetch_and_add(&names_lost, 1);
	count_lost_record(s);
}

/*
 * The chunk of the ring that holds the unit at @tail. User space sets both fields before it sets
 * `active` and attaches the first probe, so that no order of these loads is needed.
 */
static __always_inline void *ring_chunk(const struct ring_state *s, __u32 tail)
{
	__u32 chunk = s->first_chunk + (tail / CHUNK_UNITS & (s->chunks - 1));

	return ring_chunk_at(chunk);
}

/* Sets the kind. User space may read the record from then on if REC_BUSY is not set. */
static __always_inline void rec_set_kind(struct rec *r, __u8 kind)
{
	*(volatile __u8 *)&r->kind = kind;
}

/*
 * The comparison that follows bounds the value that is used. The compiler may have it on the stack
 * and load it once for the comparison and once for the use; the verifier of Linux 6.1 does not know
 * the second one to be the same.
 */
#define HELD_IN_REGISTER(value) asm volatile("" : "+r"(value))

/* Marks the rest of a chunk in which the record does not fit. */
static __always_inline void mark_skipped(const struct ring_state *s, __u32 tail)
{
	__u32 at = tail & (CHUNK_UNITS - 1);
	__u8 *chunk = ring_chunk(s, tail);

	if (!chunk)
		return;
	HELD_IN_REGISTER(at);
	if (at <= CHUNK_UNITS - SKIP_UNITS)
		rec_set_kind((void *)(chunk + at * RING_UNIT), REC_SKIP);
}

/* Moves @position on by @more units; false if it was not @old any more. */
static __always_inline bool advance(__u64 *position, __u64 old, __u32 more)
{
#ifdef OLD_KERNEL
	__sync_fetch_and_add(position, (__u64)more << 32);
	return true;
#else
	return __sync_val_compare_and_swap(position, old, old + ((__u64)more << 32)) == old;
#endif
}

/*
 * Takes room for a record of @size bytes, a constant; NULL if the ring is full. The
 * compare-and-swap fails if another program interrupted this one and took the room. Each failure
 * means one whole program run in between, so that RESERVE_TRIES failures in a row mean a storm of
 * interrupts; the caller then counts the record as lost.
 */
static __always_inline void *ring_take(struct ring_state *s, const __u32 size)
{
	const __u32 units = size / RING_UNIT;
	__u32 tail, at, rest, tries;
	__u64 old;
	__u8 *chunk;

	for (tries = 0; tries < RESERVE_TRIES; tries++) {
		old = *(volatile __u64 *)&s->position;
		tail = old >> 32;
		at = tail & (CHUNK_UNITS - 1);
		rest = at > CHUNK_UNITS - units ? CHUNK_UNITS - at : 0;
		if (tail + rest + units - (__u32)old > s->chunks * CHUNK_UNITS)
			break;
		if (!advance(&s->position, old, rest + units))
			continue;
		if (rest) {
			mark_skipped(s, tail);
			at = 0;
		}
		chunk = ring_chunk(s, tail + rest);
		if (!chunk)
			return 0;
		HELD_IN_REGISTER(at);
		if (at > CHUNK_UNITS - units)
			return 0;	/* never true; the verifier does not know that */
		return chunk + at * RING_UNIT;
	}
	return 0;
}

/* As ring_take(), and counts a record that finds no room as lost. */
static __always_inline void *ring_reserve(struct ring_state *s, const __u32 size)
{
	void *room;

	if (!s)
		return 0;
	room = ring_take(s, size);
	if (!room)
		count_lost(s);
	return room;
}

#endif
