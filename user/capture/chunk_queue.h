/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_queue: chunks on their way from the drain thread, which fills them, to the caller of
 * capture_next(), which empties them. They go round between a free list and the queue, so that a
 * recording allocates little once it runs. Memory that was needed while the caller was late is
 * freed.
 *
 * The drain never waits here for the caller: when there is no room it leaves the records in the
 * rings. It puts chunks again when the caller has taken half of the queue. So for
 * chunk_queue_full_since() a caller that is too slow looks like one that has stopped, and not like
 * one that comes back now and then.
 */
#ifndef GOTAP_CAPTURE_CHUNK_QUEUE_H
#define GOTAP_CAPTURE_CHUNK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream/chunk.h"

enum {
	QUEUE_CHUNKS = 128,		/* in circulation */
	QUEUE_BYTES = 32 << 20,		/* bytes that wait for the caller, at most */
	/* free chunks that keep their memory; more are in use only while the caller is late */
	QUEUE_WARM = 4,
	/*
	 * ... at most so much each: a chunk of a usual round has less. A program that forges
	 * records can make 32 MiB in each round.
	 */
	QUEUE_WARM_BYTES = 2 << 20,
};

struct chunk_queue {
	pthread_mutex_t lock;		/* of all below */
	pthread_cond_t changed;
	struct chunk chunks[QUEUE_CHUNKS];
	struct chunk *free_list[QUEUE_CHUNKS], *queue[QUEUE_CHUNKS];
	size_t n_free, head, n_queued, bytes;
	size_t most;			/* bytes in a chunk, lately */
	struct chunk *taken;		/* by the caller */
	uint64_t full_since;		/* ns, 0: there is room */
	uint64_t since;			/* ns: the caller could have taken a chunk, 0: none waits */
	bool done;			/* the last one has been put */
};

void chunk_queue_init(struct chunk_queue *q);
void chunk_queue_free(struct chunk_queue *q);

/* Returns an empty chunk to fill; NULL: there is no room. Does not wait. */
struct chunk *chunk_queue_room(struct chunk_queue *q);
/*
 * Drops those segments of the queue's chunks for which @drops is true. Returns the bytes of their
 * records.
 */
size_t chunk_queue_thin(struct chunk_queue *q, bool (*drops)(uint32_t cpu));
void chunk_queue_put(struct chunk_queue *q, struct chunk *c, bool last);
/*
 * Returns the time since which chunk_queue_room() has found no room; 0: it found some at the last
 * call.
 */
uint64_t chunk_queue_full_since(struct chunk_queue *q);
/*
 * Returns the chunks that wait for the caller. Any thread may ask; the values need not be of one
 * moment.
 */
struct chunk_queue_load {
	size_t chunks, bytes;
	uint64_t since;		/* ns: when one could have been taken; 0: none waits */
};
struct chunk_queue_load chunk_queue_load(const struct chunk_queue *q);

/*
 * Takes the next chunk, and waits for it at most @timeout_ms. Returns 1 and *@c, valid until the
 * next call; 0 on a time-out; -ENODATA when the last chunk was taken before.
 */
int chunk_queue_next(struct chunk_queue *q, int timeout_ms, struct chunk **c);

#endif
