/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_meter: counts the work of probes: the records by the work that one takes (stacks, frames),
 * and the hits that the kernel side counted. The rings count the records by their kinds as they are
 * taken; the meter looks at a part of them only, for the lengths of stacks.
 */
#ifndef GOTAP_CAPTURE_BUDGET_METER_H
#define GOTAP_CAPTURE_BUDGET_METER_H

#include <pthread.h>

#include "rings/ring_set.h"
#include "capture/budget.h"
#include "stream/chunk.h"

struct budget_meter {
	pthread_mutex_t lock;	/* guards the counts; the drain thread adds to them */
	struct budget_work probes, in_target;	/* since the start */
	uint64_t bytes;		/* of all records */
	/* the following are of the drain thread only */
	/* those of the rings, as they were counted last */
	struct ring_tally probes_seen, in_target_seen;
	bool is_extra[REC_BUSY], has_walk[REC_BUSY];	/* by kind of record */
	uint64_t *lengths;	/* frames of the stacks that were met last */
};

void budget_meter_init(struct budget_meter *m);
/*
 * Counts the records that were taken from @rings since the last call: the first @end bytes of @c.
 */
void budget_meter_count(struct budget_meter *m, const struct ring_set *rings,
			const struct chunk *c, size_t end);
/*
 * Returns the load since the start; ns is 0. The hits are the kernel side's count. The records are
 * those that were counted here, those that were lost, and an estimate of those that are still in
 * the rings.
 */
struct budget_load budget_meter_read(struct budget_meter *m, const struct ring_set *rings);
void budget_meter_free(struct budget_meter *m);

#endif
