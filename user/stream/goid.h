/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goid: completes records with goids that the probe could not know, or left out. The filter pulls
 * records from a merge; the caller pulls the same records, with goids, from the filter.
 *
 * From Go 1.24 on most records leave out the goid, because an earlier record of the same g has it:
 * the goid is that of the g until the goroutine dies (record.h), or until REC_RESUME, after which
 * one record of each g has the goid again. If no record has the goid, it is 0: the model drops such
 * a record and counts it.
 *
 * Up to Go 1.23 one creation in 16 is recorded before the runtime has assigned the goid (newproc1
 * refills p.goidcache after the status change). The filter holds back that record, and all later
 * ones, until a record of the same g has the goid: the next transition, or the REC_GOID that the
 * capture read from the process's memory. REC_STACK and the records of Linux's scheduler name no
 * goroutine: the filter does not hold them back.
 */
#ifndef GOTAP_STREAM_GOID_H
#define GOTAP_STREAM_GOID_H

#include <stdbool.h>
#include <stddef.h>

#include "record.h"
#include "stream/merge.h"

struct goid_filter;

/*
 * The caller owns @from, which must outlive the filter. @names: records may leave out the goid.
 * Records of code in the program never do (bpf/inline/state.h): without @names the filter keeps no
 * table of goids, which a program that forges records could make large.
 */
struct goid_filter *goid_filter_new(struct merge *from, bool names);
/*
 * The next record, valid until the next call. NULL: the merge has no more, or a record waits for a
 * goid.
 */
const struct rec *goid_filter_next(struct goid_filter *f);
/* The time of the first held record; UINT64_MAX: no record is held. */
uint64_t goid_filter_holds(const struct goid_filter *f);
/*
 * To be called when no more goids will come: goid_filter_next() then gives out all held records,
 * without the creations of an unknown goid.
 */
void goid_filter_finish(struct goid_filter *f);
/*
 * The number of creations that were left out: no record named the goroutine before its g was used
 * again, before the recording ended, or before 16 MB of records were held.
 */
size_t goid_filter_unnamed(const struct goid_filter *f);
/* Accepts NULL. */
void goid_filter_free(struct goid_filter *f);

#endif
