// SPDX-License-Identifier: Apache-2.0
/* budget: see budget.h. */
#include "capture/budget.h"

#define SECOND 1e9
/* the shortest slice with probes; to attach and detach them takes 50 ms */
#define SLICE_NS 250000000.0
#define CALM_NS 2000000000ULL
/* of the ceiling: detail comes back below this, so that it does not go again at once */
#define ROOM 0.7

#define BEGIN_S 0.05		/* seconds of the ceiling that may be spent at the begin */

void budget_init(struct budget *b, const struct budget_prices *prices, double ceiling,
		 unsigned int stack_depth, bool extras)
{
	*b = (struct budget){
		.prices = *prices, .ceiling = ceiling, .debt = -BEGIN_S * ceiling,
		.has_level = {
			[REC_LEVEL_WHOLE] = true,
			[REC_LEVEL_SHORT_STACKS] = stack_depth > SHORT_STACK,
			[REC_LEVEL_NO_STACKS] = stack_depth > 0,
			[REC_LEVEL_NO_EXTRAS] = extras,
			[REC_LEVEL_SLICES] = true,
		},
	};
}

static enum rec_level level_below(const struct budget *b, enum rec_level level)
{
	do
		level++;
	while (!b->has_level[level]);
	return level;
}

static enum rec_level level_above(const struct budget *b, enum rec_level level)
{
	do
		level--;
	while (!b->has_level[level]);
	return level;
}

/* Returns how many frames @level leaves of a stack of @whole frames. */
static double length_at(double whole, enum rec_level level)
{
	if (level >= REC_LEVEL_NO_STACKS)
		return 0;
	return level == REC_LEVEL_SHORT_STACKS && whole > SHORT_STACK ? SHORT_STACK : whole;
}

/*
 * Returns how many records the groups that only measure memory make at @level: counted if their
 * probes are there, estimated if not.
 */
static double extras_at(const struct budget *b, const struct budget_work *w, enum rec_level level)
{
	if (level >= REC_LEVEL_NO_EXTRAS)
		return 0;
	if (b->level < REC_LEVEL_NO_EXTRAS)
		return (double)w->extras;
	return (double)w->records * b->extras / (1 - b->extras);
}

static double stacks_cost(const struct budget *b, const struct budget_work *w, enum rec_level level)
{
	double length = length_at(b->length, level);

	return length > 0 ? (double)w->stacks * (b->prices.stack + length * b->prices.frame) : 0;
}

/*
 * Returns the cost of code in the target. It is there at every level, and in slices without probes.
 */
static double inline_cost(const struct budget *b, const struct budget_work *w, enum rec_level level)
{
	double length = length_at(b->inline_length, level);
	double ns = (double)w->records * b->prices.inline_record;

	if (length > 0)
		ns += (double)w->stacks *
		      (b->prices.inline_stack + length * b->prices.inline_frame);
	return ns;
}

double budget_cost(const struct budget *b, const struct budget_load *l, enum rec_level level)
{
	const struct budget_prices *p = &b->prices;
	double seen = b->level < REC_LEVEL_NO_EXTRAS ? (double)l->probes.extras : 0;
	double more = extras_at(b, &l->probes, level) - seen;
	double ns = ((double)l->hits + more) * p->hit + (double)l->steps * (p->step - p->hit) +
		    ((double)l->probes.records + more) * p->record +
		    stacks_cost(b, &l->probes, level) + inline_cost(b, &l->in_target, level);

	return l->ns ? ns * SECOND / (double)l->ns : 0;
}

/* Measures the lengths of stacks and the share of extras, at levels that leave none of them out. */
static void budget_learn(struct budget *b, const struct budget_load *l)
{
	const struct budget_work *w = &l->probes;

	if (b->level == REC_LEVEL_WHOLE && w->walked)
		b->length = (double)w->frames / (double)w->walked;
	if (b->level == REC_LEVEL_WHOLE && l->in_target.walked)
		b->inline_length = (double)l->in_target.frames / (double)l->in_target.walked;
	if (b->level < REC_LEVEL_NO_EXTRAS && w->records > w->extras)
		b->extras = (double)w->extras / (double)w->records;
}

/*
 * Adds the cost to the debt. The probes can save at most the allowance of a second, or the cost of
 * a slice if that is more.
 */
static void budget_pay(struct budget *b, const struct budget_load *l, double cost)
{
	double slice = b->off ? (b->cost - b->ceiling) * SLICE_NS / SECOND : 0;
	double least = slice > b->ceiling ? -slice : -b->ceiling;
	double spent = (cost - b->ceiling) * (double)l->ns / SECOND;

	if (spent > 0)
		b->debt += spent;
	else if (b->debt > least)
		b->debt = b->debt + spent > least ? b->debt + spent : least;
}

static void budget_shed(struct budget *b, const struct budget_load *l)
{
	enum rec_level level = b->level;

	while (level < REC_LEVEL_SLICES && budget_cost(b, l, level) > b->ceiling)
		level = level_below(b, level);
	b->level = level;
	b->off = level == REC_LEVEL_SLICES;
	b->calm = 0;
	b->on = 0;
}

static void budget_come_back(struct budget *b, const struct budget_load *l)
{
	enum rec_level above;

	if (b->level == REC_LEVEL_WHOLE)
		return;
	above = level_above(b, b->level);
	b->calm = budget_cost(b, l, above) <= ROOM * b->ceiling ? b->calm + l->ns : 0;
	if (b->calm < CALM_NS)
		return;
	b->level = above;
	b->calm = 0;
}

/* A slice lasts as long as it can pay; when all could be paid, slices are over. */
static void tick_slice(struct budget *b, const struct budget_load *l)
{
	if (b->off) {
		b->off = b->debt > -(b->cost - b->ceiling) * SLICE_NS / SECOND;
		b->on = 0;
		return;
	}
	b->on += l->ns;
	if (b->on < (uint64_t)SLICE_NS)
		return;
	if (b->debt > 0)
		b->off = true;
	else if (b->cost <= ROOM * b->ceiling)
		b->level = level_above(b, REC_LEVEL_SLICES);
}

void budget_refuse_slices(struct budget *b)
{
	if (b->level == REC_LEVEL_SLICES)
		b->level = level_above(b, REC_LEVEL_SLICES);
	b->off = false;
}

void budget_count(struct budget *b, const struct budget_load *l)
{
	double cost = budget_cost(b, l, b->level);

	b->spent += cost * (double)l->ns / SECOND;
	b->metered += (double)l->ns;
	budget_pay(b, l, cost);
}

double budget_mean_cost(const struct budget *b)
{
	return b->metered > 0 ? b->spent * SECOND / b->metered : 0;
}

double budget_seconds_needed(const struct budget *b)
{
	return budget_limits(b->ceiling) ? b->spent / b->ceiling : 0;
}

void budget_tick(struct budget *b, const struct budget_load *l)
{
	if (!budget_limits(b->ceiling) || !l->ns)
		return;
	if (!b->off) {
		budget_learn(b, l);
		b->cost = budget_cost(b, l, b->level);
	}
	budget_count(b, l);
	if (b->level == REC_LEVEL_SLICES)
		tick_slice(b, l);
	else if (b->debt > 0 && b->cost > b->ceiling)
		budget_shed(b, l);
	else
		budget_come_back(b, l);
}
