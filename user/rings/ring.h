/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring: the consuming side of the rings (record.h, struct ring_state; the
 * other side is bpf/ring.h). Each CPU has one; all lie in one array of chunks,
 * which a BPF map and we share, and their states in another.
 */
#ifndef GOTAP_RINGS_RING_H
#define GOTAP_RINGS_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "rings.h"

struct ring_memory {
	size_t chunks;
	uint8_t *data;
	struct ring_state *states;
	size_t n_states;
};

/* How many records of each kind were taken, since the start. The drain thread counts. */
struct ring_tally {
	uint64_t of_kind[REC_BUSY];
};

struct ring {
	/* index of its state, and the CPU that its records are of */
	uint32_t cpu;
	uint32_t segment;		/* the number of its records' segments in chunks */
	/*
	 * It lies in memory that the target writes (rings/inline_rings): its records are checked,
	 * and their times are not ns yet.
	 */
	bool foreign;
	/* records of probe_threads.bpf.c: losses here do not concern the Go trace */
	bool of_threads;
	size_t size;			/* bytes, a power of two of chunks */
	size_t first_chunk;
	uint8_t *data;
	struct ring_state *state;
	bool rewinds;
	bool blocked;			/* in the last drain a record was in the way */
	/*
	 * With @skipped, a thread may still write into a record that was given up: its chunk is
	 * never used again. Records come into @run_len chunks from @run_at on, round the end of the
	 * ring; @read is where the oldest one begins that was not read, and ring_state.position
	 * has, in its place, how far they may come (ring_skip()).
	 */
	bool skipped;
	uint32_t read, run_at, run_len;
	uint64_t given_up;		/* records that were whole never, or damaged; estimated */
	struct ring_tally *taken;	/* counts those of ring_drain(); may be NULL */
};

/* A ring of @size bytes, for which @m grows by that much. */
struct ring ring_plan(struct ring_memory *m, uint32_t cpu, size_t size);

/*
 * Makes the map that holds all chunks of @m; returns its descriptor, which is
 * the caller's, or -errno. -EPERM leaves @err empty: why is not known here.
 */
int ring_memory_make(const struct ring_memory *m, struct error *err);

/* Maps both maps; ring_memory_free() accepts one that is half mapped, or zeroed. */
int ring_memory_map(struct ring_memory *m, int chunks_fd, int states_fd, size_t n_states,
		    struct error *err);
void ring_memory_free(struct ring_memory *m);

/*
 * Tells the programs where the ring is: from now on they may write into it.
 * @rewinds: they take room by compare-and-swap, so that an empty ring can begin
 * at its first chunk again.
 */
void ring_open(struct ring *r, const struct ring_memory *m, bool rewinds);

/*
 * Appends the records that are there to @out (NULL: throws them away). Returns
 * true when all that had room at the time of the call was read, false when a
 * record that is not whole yet was in the way.
 */
bool ring_drain(struct ring *r, struct buf *out);

/*
 * Gives up the record in the way of ring_drain(), with all behind it in its chunk: a thread did not
 * finish it in time. r->given_up counts them, by their bytes. The thread may go on later, so that
 * no other record ever comes into this room.
 */
void ring_skip(struct ring *r);
/*
 * For a program that has ended: drops the record in the way, which a thread was making when it
 * died, and nothing else; or several, if all of their threads died before they wrote a kind. False:
 * the length cannot be seen.
 */
bool ring_drop_unfinished(struct ring *r);
/*
 * The record in the way: where it is, and the thread that makes it, as far as it says: any number
 * in a foreign ring, or 0.
 */
struct ring_block {
	uint32_t head, tid;
};
struct ring_block ring_block(const struct ring *r);
/* Counts @bytes of records as given up. */
void ring_give_up(struct ring *r, size_t bytes);
/* Records that found no room, or were given up, since the start. From any thread. */
uint64_t ring_lost(const struct ring *r);

/* Bytes waiting; of a foreign ring, at most its size. */
size_t ring_fill(const struct ring *r);

#endif
