/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget: the limit of the CPU time that probes take from the traced program, and the
 * level of detail that stays below it. Counters in, a decision out; no clock, no kernel.
 *
 * A hit of a probe has a price, and so has a record and a frame of a stack
 * (budget_price); how many there are is counted (budget_meter). The ceiling is
 * in CPU time per time: 1e9 ns per second is one whole CPU. It holds on average
 * over about a second: the rest of a second's worth may be spent later.
 *
 * When it is exceeded, the first of these levels that is cheap enough by the counts
 * holds from then on: stacks of 8 frames, none, no probes of the groups that only
 * measure memory, and then slices of time without any probe. Each leaves out all that the
 * levels before it do. The way back is one level at a time, when the one above would have
 * cost 70 % of the ceiling at most for two seconds.
 */
#ifndef GOTAP_CAPTURE_BUDGET_H
#define GOTAP_CAPTURE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

/* CPU ns of the traced program for each. */
struct budget_prices {
	double hit;		/* the trap, and a program that finds nothing to record */
	double record, stack, frame;	/* on top of that */
	bool measured;		/* else assumed */
	/*
	 * The whole price of a record, a stack, a frame by code in the target (--attach inline),
	 * which takes no trap.
	 */
	double inline_record, inline_stack, inline_frame;
};

/* Records by the work that they take. */
struct budget_work {
	uint64_t records;
	uint64_t extras;	/* records of the groups that REC_LEVEL_NO_EXTRAS leaves out */
	uint64_t stacks;	/* records of kinds that have a stack */
	uint64_t walked;	/* stacks of known length, */
	uint64_t frames;	/* and the sum of their lengths */
};

/* The differences since the last tick. */
struct budget_load {
	uint64_t ns;		/* how long that was */
	uint64_t hits;
	struct budget_work probes, in_target;
};

struct budget {
	struct budget_prices prices;
	double ceiling;		/* ns per second, or BUDGET_NONE */
	enum rec_level level;
	bool off;		/* in a slice without probes */
	double cost;		/* at the last tick with probes, ns per second */
	double spent;		/* by the probes, ns since the start */
	double debt;		/* ns spent beyond the ceiling; negative: saved */
	double metered;		/* ns since the start */
	double length;		/* of a whole stack, frames; */
	double inline_length;	/* of one that code in the target took */
	double extras;		/* of all records, before they were left out */
	uint64_t calm, on;	/* ns that there was room for more; of this slice */
	/* the others leave out nothing more than those before them */
	bool has_level[REC_LEVELS];
};

/*
 * Ceilings that are no cost. BUDGET_DEFAULT: the caller of capture_start() has yet to choose one.
 */
#define BUDGET_NONE 0.0
#define BUDGET_DEFAULT (-1.0)

static inline bool budget_limits(double ceiling)
{
	return ceiling > BUDGET_NONE;
}

/*
 * @stack_depth: frames of a whole stack. @extras: there are probes that only measure
 * memory. At the begin the probes may spend less beyond the ceiling than later: a program
 * that exceeds it from its start on must be noticed before it has paid much.
 */
void budget_init(struct budget *b, const struct budget_prices *prices, double ceiling,
		 unsigned int stack_depth, bool extras);
/* The cost of @load per second at @level. */
double budget_cost(const struct budget *b, const struct budget_load *load, enum rec_level level);
/* Takes @load, of the time since the last call, and decides level and off. */
void budget_tick(struct budget *b, const struct budget_load *load);
/*
 * Takes @load of a time in which there was nothing to decide: probes were away for another reason,
 * or it is over.
 */
void budget_count(struct budget *b, const struct budget_load *load);
/* There must be probes: the last level before slices of time. */
void budget_refuse_slices(struct budget *b);
/* The average cost of the probes, ns per second. */
double budget_mean_cost(const struct budget *b);
/* The shortest time of which the cost so far is within the ceiling, in seconds. */
double budget_seconds_needed(const struct budget *b);

#endif
