// SPDX-License-Identifier: Apache-2.0
/* budget_control: see budget_control.h. */
#include "capture/budget_control.h"

#include "base/clock.h"

#define TICK_NS (100 * 1000 * 1000)
/*
 * In the first second the ticks are shorter: if the probes cost a whole CPU and the budget is a
 * tenth of one, a first tick of 20 ms spends the budget of 200 ms.
 */
#define FIRST_TICK_NS (20 * 1000 * 1000)
#define FIRST_TICKS_NS 1000000000ULL

static struct budget_load control_read(const struct budget_control *c)
{
	struct budget_load sum = budget_meter_read(c->meter, bpf_rings(c->probes->bpf));

	sum.steps = region_budget_steps(&c->regions);
	return sum;
}

void budget_control_begin(struct budget_control *c)
{
	c->begin = c->metered = now_ns();
	c->sum = control_read(c);
}

/*
 * Returns the growth of a count, 0 if it fell. The number of records is an estimate. A thread that
 * is preempted between its read and its write of a CPU's hits writes an old number back.
 */
static uint64_t budget_more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static struct budget_work work_since(const struct budget_work *now,
				     const struct budget_work *before)
{
	return (struct budget_work){
		.records = budget_more(now->records, before->records),
		.extras = now->extras - before->extras,
		.stacks = now->stacks - before->stacks,
		.walked = now->walked - before->walked,
		.frames = now->frames - before->frames,
	};
}

/* Keeps the higher one of two estimates, so that no record counts twice. */
static void keep_most(struct budget_work *now, const struct budget_work *before)
{
	if (now->records < before->records)
		now->records = before->records;
}

/* Returns what the counters counted since the last call. */
static struct budget_load take_load(struct budget_control *c)
{
	struct budget_load sum = control_read(c);
	uint64_t now = now_ns();
	struct budget_load d = {
		.ns = now - c->metered,
		.hits = budget_more(sum.hits, c->sum.hits),
		.steps = budget_more(sum.steps, c->sum.steps),
		.probes = work_since(&sum.probes, &c->sum.probes),
		.in_target = work_since(&sum.in_target, &c->sum.in_target),
	};

	c->metered = now;
	keep_most(&sum.probes, &c->sum.probes);
	keep_most(&sum.in_target, &c->sum.in_target);
	c->sum = sum;
	return d;
}

static void say_level(struct budget_control *c)
{
	const struct budget *b = &c->budget;
	struct rec_long l = {
		.r = { .kind = REC_BUDGET, .sub = (uint8_t)b->level, .id = (uint64_t)b->cost },
		.arg = (uint64_t)b->ceiling,
	};

	user_records_add(c->records, &l, sizeof(l));
}

static unsigned int parts_at(enum rec_level level)
{
	return level >= REC_LEVEL_NO_EXTRAS ? BPF_CORE : BPF_ALL;
}

unsigned int budget_control_parts(const struct budget_control *c)
{
	return parts_at(c->budget.level);
}

static void set_level(struct budget_control *c, enum rec_level from, bool away)
{
	enum rec_level level = c->budget.level;
	struct error err;

	bpf_set_stacks(c->probes->bpf, level >= REC_LEVEL_NO_STACKS    ? STACKS_NONE :
				       level == REC_LEVEL_SHORT_STACKS ? STACKS_SHORT :
									 STACKS_WHOLE);
	if (away)
		return;
	if (parts_at(from) == BPF_ALL && parts_at(level) == BPF_CORE)
		probes_detach(c->probes, BPF_EXTRAS);
	else if (parts_at(from) == BPF_CORE && parts_at(level) == BPF_ALL)
		/* on a failure the trace lacks the extras */
		probes_attach(c->probes, BPF_EXTRAS, &err);
}

static bool is_time(const struct budget_control *c)
{
	uint64_t now = now_ns();

	return now - c->metered >= (now - c->begin < FIRST_TICKS_NS ? FIRST_TICK_NS : TICK_NS);
}

void budget_control_tick(struct budget_control *c, bool away, bool may_go)
{
	enum rec_level level = c->budget.level;
	struct budget_load load;

	if (may_go && region_budget_tick(&c->regions))
		budget_control_begin_anew(c);
	if (!budget_limits(c->budget.ceiling) || !is_time(c))
		return;
	load = take_load(c);
	if (away && !c->budget.off)
		budget_count(&c->budget, &load);
	else
		budget_tick(&c->budget, &load);
	if (c->budget.off && !may_go)
		budget_refuse_slices(&c->budget);
	if (c->budget.level == level)
		return;
	say_level(c);
	/* not if all probes go next: each removal waits for the kernel */
	set_level(c, level, away || c->budget.off);
}

void budget_control_begin_anew(struct budget_control *c)
{
	budget_control_end(c);
	if (c->budget.debt > 0)
		c->budget.debt = 0;
}

void budget_control_end(struct budget_control *c)
{
	struct budget_load load;

	if (!budget_limits(c->budget.ceiling) || !c->begin)
		return;
	load = take_load(c);
	budget_count(&c->budget, &load);
}
