/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_control: keeps the budget while the recording runs: counters (budget_meter)
 * in, a decision (budget) made, and levels put into effect and into the stream.
 * It asks for slices of time without probes, and gaps.c makes them. The thread of
 * gaps.c calls it.
 */
#ifndef GOTAP_CAPTURE_BUDGET_CONTROL_H
#define GOTAP_CAPTURE_BUDGET_CONTROL_H

#include <stdbool.h>

#include "attach/probes.h"
#include "capture/budget.h"
#include "capture/budget_meter.h"
#include "capture/user_records.h"

struct budget_control {
	struct probes *probes;
	struct budget_meter *meter;
	struct user_records *records;
	struct budget budget;
	uint64_t begin, metered;	/* when counters were read first, and last; ns */
	struct budget_load sum;		/* and what they said */
};

/* Counts from now on. */
void budget_control_begin(struct budget_control *c);
/*
 * Looks at the counters, if it is time. @away: there were no probes since the last
 * call, for another reason. Afterwards c->budget.off says whether there may be
 * any; never with @may_go false.
 */
void budget_control_tick(struct budget_control *c, bool away, bool may_go);
/*
 * From now on probes cost much less: what they cost before counts, but is not to be saved any more.
 */
void budget_control_begin_anew(struct budget_control *c);
/* Counts what came since the last tick. */
void budget_control_end(struct budget_control *c);
/* Which probes the level allows: enum bpf_parts. */
unsigned int budget_control_parts(const struct budget_control *c);

#endif
