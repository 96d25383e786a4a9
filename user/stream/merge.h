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

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record.h"
#include "stream/chunk.h"

struct merge;

struct merge *merge_new(void);
/*
 * Adds a chunk: merge_next() then gives out the records up to its watermark. Copies the chunk.
 * -EBADMSG if the chunk is damaged (possible in spool files only): its complete records are added.
 */
int merge_add(struct merge *m, const struct chunk *c, struct error *err);
/*
 * The next record in order, valid until the next call; NULL: the next one is younger than the
 * watermark, and another chunk is needed.
 */
const struct rec *merge_next(struct merge *m);
/* To be called when the recording has ended: merge_next() then gives out all records. */
void merge_finish(struct merge *m);
/* The number of records that merge_next() has given out. */
uint64_t merge_taken(const struct merge *m);
/* The bytes of records that are younger than the watermark. */
size_t merge_pending(const struct merge *m);
/* Accepts NULL. */
void merge_free(struct merge *m);

#endif
