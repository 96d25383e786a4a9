/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge: chunks in, one totally ordered stream of records out, by (time, cpu,
 * position). The order respects causality: a probe runs before a transition
 * becomes visible to other threads, or after it was won.
 */
#ifndef GOTAP_STREAM_MERGE_H
#define GOTAP_STREAM_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record.h"
#include "stream/chunk.h"

struct merge;

/* Takes one record; it is the caller's only until the function returns. */
typedef void merge_fn(void *ctx, const struct rec *r);

struct merge *merge_new(merge_fn *fn, void *ctx);
/*
 * Adds a chunk and passes on everything up to its watermark. -EBADMSG when
 * the chunk is damaged (only a spool file can be): its whole records are passed on.
 */
int merge_add(struct merge *m, const struct chunk *c, struct error *err);
/* Passes on all that is left: the capture has ended. */
void merge_finish(struct merge *m);
/* Bytes that wait for their watermark. */
size_t merge_pending(const struct merge *m);
/* Accepts NULL. */
void merge_free(struct merge *m);

#endif
