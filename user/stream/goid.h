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

#include "base/map64.h"
#include "base/vec.h"
#include "record.h"
#include "stream/merge.h"

enum { GOID_RECENT = 1 << 10 };

/* The goid of @g, as the table of all names has it. */
struct goid_name {
	uint64_t g, goid;
};

struct goid_filter {
	struct merge *from;
	/* held records may be given out, up to the first creation that waits */
	bool flows;
	/* held records, from @head on; the first one is a creation that waits for its goid */
	struct buf held;
	size_t head;
	bool is_plain[256];	/* records of the kind pass as they are, while none is held */
	uint8_t roles[256];	/* enum goid_role (goid.c), by kind */
	bool all_named;		/* no record leaves out its goid */
	struct rec_long named;	/* a copy of the last record, with its goid */
	uint64_t gone;		/* bytes that were removed before held.data */
	struct map64 open;	/* g -> offset of its creation that waits, + 1 */
	struct map64 names;	/* g -> goid, 0 when the goroutine is dead */
	struct goid_name recent[GOID_RECENT];	/* names used last, by goid_recent() */
	size_t unnamed;
};

/*
 * The caller owns @from, which must outlive the filter. @names: records may leave out the goid.
 * Records of code in the program never do (bpf/inline/state.h): without @names the filter keeps no
 * table of goids, which a program that forges records could make large.
 */
struct goid_filter *goid_filter_new(struct merge *from, bool names);
/* The parts of goid_filter_next() where records are held, and for @r, which may need a goid. */
const struct rec *goid_filter_flow(struct goid_filter *f);
const struct rec *goid_filter_pass(struct goid_filter *f, const struct rec *r);

/*
 * The next record, valid until the next call. NULL: the merge has no more, or a record waits for a
 * goid.
 */
static inline const struct rec *goid_filter_next(struct goid_filter *f)
{
	const struct rec *r;

	if (f->flows)
		return goid_filter_flow(f);
	r = merge_next(f->from);
	if (!r || (f->is_plain[r->kind] && !f->held.len))
		return r;
	return goid_filter_pass(f, r);
}

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
