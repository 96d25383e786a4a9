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
#include "capture/region_budget.h"
#include "capture/user_records.h"

struct budget_control {
	struct probes *probes;
	struct budget_meter *meter;
	struct user_records *records;
	struct region_budget regions;
	struct budget budget;
	uint64_t begin, metered;	/* ns; when counters were read first, and when last */
	struct budget_load sum;		/* and what they said */
};

/* Counts from now on. */
void budget_control_begin(struct budget_control *c);
/*
 * Reads the counters, if that is due. @away: for another reason than the budget there were no
 * probes since the last call. Afterwards c->budget.off says whether the probes must be away; it
 * is false if @may_go is.
 */
void budget_control_tick(struct budget_control *c, bool away, bool may_go);
/*
 * Forgives the debt: from now on the records have a much lower price, since code in the target
 * makes them, or the most expensive probes are gone. The cost before still counts in the average.
 */
void budget_control_begin_anew(struct budget_control *c);
/* Counts the load since the last tick, without a decision. */
void budget_control_end(struct budget_control *c);
/* Returns which probes the level allows, as bits of enum bpf_parts. */
unsigned int budget_control_parts(const struct budget_control *c);

#endif
