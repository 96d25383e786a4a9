/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_meter: counts what drives the cost of probes: the records of chunks
 * by what they took to make, and the hits that the kernel side counted.
 */
#ifndef GOTAP_CAPTURE_BUDGET_METER_H
#define GOTAP_CAPTURE_BUDGET_METER_H

#include "base/map64.h"
#include "capture/bpf.h"
#include "capture/budget.h"
#include "stream/chunk.h"

struct budget_meter {
	struct budget_load sum;	/* since the start, but for ns and hits */
	struct map64 lengths;	/* key of a stack -> its frames */
};

/* Counts the records of @c up to @end bytes. */
void budget_meter_count(struct budget_meter *m, const struct chunk *c, size_t end);
/* Hits of all probes until now. */
uint64_t budget_hits(struct bpf_side *b);
/* Is it of a group that REC_LEVEL_NO_EXTRAS leaves out? */
bool budget_is_extra(enum group g);
void budget_meter_free(struct budget_meter *m);

#endif
