/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goid: gives records the goroutine's id that they could not know, or did not
 * read. It pulls the records of a merge; the caller pulls the same ones, with ids.
 *
 * From Go 1.24 on most records of a g leave out the id, because an earlier record has
 * it: the id is the g's until it dies (record.h), or until REC_RESUME, after which each
 * g is named once more. Where no record has the id, it stays 0: the model leaves such a
 * record out and counts it.
 *
 * Up to Go 1.23 one creation in 16 is recorded before the runtime has assigned
 * the id (newproc1 refills p.goidcache after the status change). The filter holds
 * the stream back at such a record until a later record of the same g has the id: its
 * next transition, or the REC_GOID that the capture read from the process's memory.
 * REC_STACK and the records of Linux's scheduler name no goroutine: they overtake.
 */
#ifndef GOTAP_STREAM_GOID_H
#define GOTAP_STREAM_GOID_H

#include <stdbool.h>
#include <stddef.h>

#include "record.h"
#include "stream/merge.h"

struct goid_filter;

/* @from is the caller's, and must outlive the filter. */
struct goid_filter *goid_filter_new(struct merge *from);
/*
 * The next record, valid until the next call; NULL: those that the merge has are given, or wait for
 * a goid.
 */
const struct rec *goid_filter_next(struct goid_filter *f);
/* The time of the first record that waits; UINT64_MAX: none does. */
uint64_t goid_filter_holds(const struct goid_filter *f);
/*
 * No more goids will come: goid_filter_next() gives all that wait, and leaves out the creations
 * without an id.
 */
void goid_filter_finish(struct goid_filter *f);
/*
 * Creations that were left out: no record named the goroutine before its g was used again, the
 * capture ended, or as many records waited behind it as fit in 16 MB.
 */
size_t goid_filter_unnamed(const struct goid_filter *f);
/* Accepts NULL. */
void goid_filter_free(struct goid_filter *f);

#endif
