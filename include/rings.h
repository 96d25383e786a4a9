/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rings: the memory in which records travel from probes to user space, as both sides compile it.
 * bpf/ring.h writes to it, user/capture/ring.c reads it.
 */
#ifndef GOTAP_RINGS_H
#define GOTAP_RINGS_H

#include "record.h"

/*
 * Records travel in a ring per CPU, in memory that both sides share. A ring is
 * a power of two of chunks. No record lies in two: one that does not fit into
 * the rest of a chunk begins the next, behind REC_SKIP if that fits. Room that
 * is free is zero, and the kind has REC_BUSY until the record is whole.
 */
enum { RING_CHUNK = 4096, RING_UNIT = 8 };	/* bytes */
/*
 * States of rings by CPU: one for each number below RING_CPUS, one for all CPUs
 * beyond, which have no ring, and one for probe_calibrate.bpf.c. Then the same by CPU
 * once more for records of threads (probe_threads.bpf.c).
 */
enum {
	RING_CPUS = 1024,
	RING_CALIBRATION = RING_CPUS + 1,
	RING_THREADS,
	RING_STATES = RING_THREADS + RING_CPUS + 1
};

/* The words that a CPU and user space share; a cache line each. */
struct ring_state {
	/*
	 * The place of the next record, << 32 | that of the oldest record that was not read: in
	 * units, which count on through the laps of the ring. Both are in one word, so that user
	 * space can set both to 0 when all is read: records then come into memory that is in the
	 * caches.
	 */
	__rec_u64 position;
	__rec_u32 first_chunk;
	__rec_u32 chunks;	/* 0: no ring; all records are lost, and counted */
	__rec_u64 hits;		/* of probes, whether a record came of them or not */
	__rec_u64 lost;		/* records that found no room, since the start */
	/*
	 * Times of the first and the last loss that no REC_LOST reports yet. User space
	 * sets lost_first to 0 before it reads lost.
	 */
	__rec_u64 lost_first, lost_last;
	/* reads of the target's memory by probes that failed, since the start */
	__rec_u64 unreadable;
	/* The last frame that could not be read; user space sets it to 0. */
	__rec_u64 unreadable_frame;
};

_Static_assert(sizeof(struct ring_state) == 64, "ring ABI");

#endif
