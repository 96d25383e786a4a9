/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goid: gives records the goroutine's id that they could not know, or did not
 * read. In: records in order. Out: the same, with ids.
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
 */
#ifndef GOTAP_SCHED_GOID_H
#define GOTAP_SCHED_GOID_H

#include <stdbool.h>
#include <stddef.h>

#include "record.h"

typedef int goid_fn(void *ctx, const struct rec *r);

struct goid_filter;

struct goid_filter *goid_filter_new(goid_fn *fn, void *ctx);
/* Passes @r on, or holds it back; returns the result of @fn. */
int goid_filter_record(struct goid_filter *f, const struct rec *r);
/* The time of the first record that is held back; UINT64_MAX: none is. */
uint64_t goid_filter_holds(const struct goid_filter *f);
/* Passes all on; creations that stay without an id are left out. */
int goid_filter_finish(struct goid_filter *f);
/*
 * Creations that were left out: no record named the goroutine before its g was used again, the
 * capture ended, or as many records waited behind it as fit in 16 MB.
 */
size_t goid_filter_unnamed(const struct goid_filter *f);
/* Accepts NULL. */
void goid_filter_free(struct goid_filter *f);

#endif
