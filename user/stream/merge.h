/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge: takes chunks, gives out one totally ordered stream of records, by (time, CPU, position).
 * The order respects causality: a probe runs before its transition becomes visible to other
 * threads, or after its thread has won the transition. The caller pulls the records:
 *
 *	merge_add(m, chunk, err);
 *	while ((r = merge_next(m)))
 *		...
 */
#ifndef GOTAP_STREAM_MERGE_H
#define GOTAP_STREAM_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "record.h"
#include "stream/chunk.h"

struct merge_queue;

/* The first four members are those of merge_next(), which runs for each record. */
struct merge {
	/* the rest of a run: sorted records of one CPU, with later ones after them */
	const uint8_t *at, *end;
	uint64_t until;		/* records of the run up to this time come before all others */
	uint64_t taken;
	struct merge_queue *run;	/* has the run; NULL: the heap must be built */
	bool in_chunk;		/* some records lie in the last chunk, which is the caller's */
	uint64_t watermark;	/* of the last chunk, in ns */
	struct vec queues;	/* struct merge_queue, sorted by cpu */
	struct vec heap;	/* struct merge_queue *: the one with the earliest record first */
	size_t heap_len;	/* queues in the heap */
	/* to sort a queue (merge.c): an index, storage, and its recent maximum (vec_lately()) */
	struct vec entries;
	struct buf spare;
	size_t most;
};

struct merge *merge_new(void);
/*
 * Adds a chunk: merge_next() then gives out the records up to its watermark. They lie in the chunk:
 * it must not change before merge_next() has returned NULL, or merge_keep() was called. -EBADMSG if
 * the chunk is damaged (possible in spool files only): its complete records are added.
 */
int merge_add(struct merge *m, const struct chunk *c, struct error *err);
/* Copies the records that merge_next() has not given out from the last chunk. */
void merge_keep(struct merge *m);
/* The part of merge_next() at the end of a run: begins the next run. */
const struct rec *merge_turn(struct merge *m);

/*
 * The next record in order, valid until the next call; NULL: the next one is younger than the
 * watermark, and another chunk is needed.
 */
static inline const struct rec *merge_next(struct merge *m)
{
	const struct rec *r = (const struct rec *)m->at;

	if (m->at == m->end || r->time > m->until) {
		r = merge_turn(m);
		if (!r)
			return NULL;
	}
	m->at += record_size(r, SIZE_MAX);
	m->taken++;
	return r;
}

/* To be called when the recording has ended: merge_next() then gives out all records. */
void merge_finish(struct merge *m);
/* The number of records that merge_next() has given out. */
uint64_t merge_taken(const struct merge *m);
/* The bytes of records that wait for a later watermark, once merge_next() has returned NULL. */
size_t merge_pending(const struct merge *m);
/* Accepts NULL. */
void merge_free(struct merge *m);

#endif
