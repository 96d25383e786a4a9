/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region_budget: what the probes of --region cost, and the end of those that cost too much. On
 * amd64 the kernel has to step a return, at ten times the price of another probe, and nobody
 * knows in advance how often a function is called. All regions together may take half of the
 * budget, on average over a second; when they take more, the one that costs most loses its
 * probes, and the stream says so. The thread of gaps.c calls it.
 */
#ifndef GOTAP_CAPTURE_REGION_BUDGET_H
#define GOTAP_CAPTURE_REGION_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/probes.h"
#include "capture/budget.h"
#include "capture/user_records.h"
#include "region.h"

struct region_budget {
	const struct plan *plan;
	struct probes *probes;
	struct user_records *records;
	struct budget_prices prices;
	double ceiling;			/* ns per second of all regions; 0: none */
	double debt;			/* ns spent beyond it; negative: saved */
	uint64_t read;			/* ns: when the hits were read last; 0: never */
	struct region_hits hits[REGIONS_MOST];	/* as they were then */
	bool gone[REGIONS_MOST];	/* the probes were taken away */
};

/* @ceiling: that of the whole budget, or BUDGET_NONE. The pointers are set by the caller. */
void region_budget_init(struct region_budget *b, const struct budget_prices *prices,
			double ceiling);
/*
 * To be called when the trace has begun. Reads the hits, and takes one region away if that is due.
 * Returns whether it did.
 */
bool region_budget_tick(struct region_budget *b);
/* Returns how many hits of regions the kernel has stepped since the start. */
uint64_t region_budget_steps(const struct region_budget *b);
/* Returns the CPU time that one call of @r costs the program, in ns. */
double region_call_price(const struct budget_prices *prices, const struct plan_region *r);

/*
 * The part of the decision that needs no kernel: adds the hits since the last tick, @ns long, to
 * the debt. Returns the index of the region that has to go; -1: none has.
 */
int region_budget_decide(struct region_budget *b, const struct region_hits *now, uint64_t ns);

#endif
