/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge: chunks in, one totally ordered stream of records out, by (time, cpu,
 * position). The order respects causality: a probe runs before a transition
 * becomes visible to other threads, or after it was won. The caller pulls the records:
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
 * Takes in a chunk: merge_next() then gives the records up to its watermark. -EBADMSG when the
 * chunk is damaged (only a spool file can be): its whole records are taken in.
 */
int merge_add(struct merge *m, const struct chunk *c, struct error *err);
/*
 * The next record in order, valid until the next call; NULL: the next one is younger than the
 * watermark, and another chunk is needed.
 */
const struct rec *merge_next(struct merge *m);
/* The capture has ended: merge_next() gives all that is left. */
void merge_finish(struct merge *m);
/* Records that merge_next() has given. */
uint64_t merge_taken(const struct merge *m);
/* Bytes that wait for their watermark. */
size_t merge_pending(const struct merge *m);
/* Accepts NULL. */
void merge_free(struct merge *m);

#endif
