/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rings: the memory in which records go from probes to user space, as both sides compile it.
 * bpf/ring.h writes to it, user/rings/ring.c reads it.
 */
#ifndef GOTAP_RINGS_H
#define GOTAP_RINGS_H

#include "record.h"

/*
 * Records go through a ring per CPU, in memory that both sides share. The size of a ring is a power
 * of two of chunks. Each record lies in one chunk: a record that does not fit into the rest of a
 * chunk is put at the begin of the next chunk, and REC_SKIP fills the rest, if it fits. Free memory
 * is zero. The kind has REC_BUSY until the record is complete.
 */
enum { RING_CHUNK = 4096, RING_UNIT = 8 };	/* bytes */
/*
 * Indices of ring states. Below RING_CPUS: the ring of that CPU. RING_CPUS: all CPUs with higher
 * numbers, which have no ring. RING_CALIBRATION: the ring of probe_calibrate.bpf.c. From
 * RING_THREADS on: again by CPU, for the records of threads (probe_threads.bpf.c).
 */
enum {
	RING_CPUS = 1024,
	RING_CALIBRATION = RING_CPUS + 1,
	RING_THREADS,
	RING_STATES = RING_THREADS + RING_CPUS + 1
};

/* The words that a CPU and user space share, in one cache line. */
struct ring_state {
	/*
	 * The position of the next record << 32 | the position of the oldest unread record. The
	 * unit is RING_UNIT bytes; positions do not wrap at the end of the ring. Both are in one
	 * word, so that user space can set both to 0 at once when it has read all records: new
	 * records then go to memory that is in the caches.
	 */
	__rec_u64 position;
	__rec_u32 first_chunk;
	__rec_u32 chunks;	/* 0: no ring; all records are lost, and counted */
	__rec_u64 hits;		/* runs of probes, with or without a record */
	__rec_u64 lost;		/* records that found no room, since the start */
	/*
	 * Times of the first and the last loss that no REC_LOST reports yet. User space
	 * sets lost_first to 0 before it reads lost.
	 */
	__rec_u64 lost_first, lost_last;
	/* failed reads of the target's memory by probes, since the start */
	__rec_u64 unreadable;
	/* address of the last frame that a probe could not read; user space sets it to 0 */
	__rec_u64 unreadable_frame;
};

_Static_assert(sizeof(struct ring_state) == 64, "ring ABI");

#endif
