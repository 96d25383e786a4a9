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

/* Prices, in ns of CPU time of the traced program. */
struct budget_prices {
	double hit;		/* the trap, and a BPF program that makes no record */
	double step;		/* the same where the kernel has to step the instruction */
	double record, stack, frame;	/* on top of a hit */
	bool measured;		/* else assumed */
	/*
	 * The whole price of a record, a stack, a frame by code in the target (--attach inline),
	 * which takes no trap.
	 */
	double inline_record, inline_stack, inline_frame;
};

/* Counts of records, by the work that a record takes. */
struct budget_work {
	uint64_t records;
	uint64_t extras;	/* records of the groups that REC_LEVEL_NO_EXTRAS leaves out */
	uint64_t stacks;	/* records of kinds that have a stack */
	uint64_t walked;	/* stacks of which the length is known */
	uint64_t frames;	/* the sum of these lengths */
};

/* Counts since the last tick. */
struct budget_load {
	uint64_t ns;		/* how long that was */
	uint64_t hits;
	uint64_t steps;		/* of these, those of which the kernel stepped the instruction */
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
	double length;		/* average frames of a whole stack */
	double inline_length;	/* the same for code in the target */
	/* share of extras in all records, from when they were last recorded */
	double extras;
	uint64_t calm, on;	/* ns below the ceiling without a break; ns of this slice */
	/* false: the level leaves out no more than the one before it */
	bool has_level[REC_LEVELS];
};

/*
 * Values of a ceiling that are no cost per second. BUDGET_DEFAULT: the caller of capture_start()
 * chooses the ceiling later.
 */
#define BUDGET_NONE 0.0
#define BUDGET_DEFAULT (-1.0)

static inline bool budget_limits(double ceiling)
{
	return ceiling > BUDGET_NONE;
}

/*
 * @stack_depth: the most frames that a stack has. @extras: there are probes that only measure
 * memory. At the begin the probes may spend less beyond the ceiling than later, so that gotap
 * reacts early to a program that exceeds it from its start on.
 */
void budget_init(struct budget *b, const struct budget_prices *prices, double ceiling,
		 unsigned int stack_depth, bool extras);
/* Returns what @load would cost at @level, in ns per second. */
double budget_cost(const struct budget *b, const struct budget_load *load, enum rec_level level);
/* Takes the @load since the last call and decides level and off. */
void budget_tick(struct budget *b, const struct budget_load *load);
/*
 * Counts a @load without a decision: probes were away for another reason than the budget, or the
 * recording is over.
 */
void budget_count(struct budget *b, const struct budget_load *load);
/* Forbids slices without probes: the budget then keeps the last level before them. */
void budget_refuse_slices(struct budget *b);
/* Returns the average cost of the probes since the start, in ns per second. */
double budget_mean_cost(const struct budget *b);
/* Returns the shortest recording, in seconds, that keeps the ceiling with the cost so far. */
double budget_seconds_needed(const struct budget *b);

#endif
