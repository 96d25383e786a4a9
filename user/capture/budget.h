/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget: what the probes may cost the traced program, and what to leave out
 * when they would cost more. Counters in, a decision out; no clock, no kernel.
 *
 * A hit of a probe has a price, and so has a record and a frame of a stack
 * (budget_price); how many there are is counted (budget_meter). The ceiling is
 * in CPU time per time: 1e9 ns per second is one whole CPU. It holds on average
 * over about a second: less than that may be saved up and spent.
 *
 * When it is exceeded, the first of these that is cheap enough by the counts is
 * chosen, and those on the way are passed through: stacks of 8 frames, none,
 * no probes of the groups that only measure memory, and then slices of time
 * without any probe. Back it goes one by one, when what comes next would have
 * cost 70 % of the ceiling at most for two seconds.
 */
#ifndef GOTAP_CAPTURE_BUDGET_H
#define GOTAP_CAPTURE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

/* CPU ns of the traced program for each. */
struct budget_prices {
	double hit;		/* the trap, and a program that finds nothing to tell */
	double record, stack, frame;	/* on top of that */
	bool measured;		/* else assumed */
};

/* What happened since the last tick. */
struct budget_load {
	uint64_t ns;		/* how long that was */
	uint64_t hits;
	uint64_t records;
	uint64_t extras;	/* records of the groups that REC_LEVEL_NO_EXTRAS leaves out */
	uint64_t stacks;	/* records of kinds that have a stack */
	uint64_t walked;	/* stacks of those whose length is known, */
	uint64_t frames;	/* and the sum of these */
};

struct budget {
	struct budget_prices prices;
	double ceiling;		/* ns per second; 0: none */
	enum rec_level level;
	bool off;		/* in a slice without probes */
	double cost;		/* at the last tick with probes, ns per second */
	double spent;		/* by the probes, ns since the start */
	double debt;		/* ns spent beyond the ceiling; negative: saved */
	double length;		/* of a whole stack, frames */
	double extras;		/* of all records, before they were left out */
	uint64_t calm, on;	/* ns that there was room for more; of this slice */
};

void budget_init(struct budget *b, const struct budget_prices *prices, double ceiling);
/* What @load costs per second if @level holds. */
double budget_cost(const struct budget *b, const struct budget_load *load, enum rec_level level);
/* Takes @load, of the time since the last call, and decides level and off. */
void budget_tick(struct budget *b, const struct budget_load *load);

#endif
