// SPDX-License-Identifier: Apache-2.0
/*
 * budget: counters in, a decision out. A made-up program makes so many records
 * a second as long as its probes are there; each case is a story of ticks of
 * 100 ms. Prices are round: a hit 700 ns, a record 300, a stack 400 and 100 a
 * frame, so that a record with a stack of 20 frames costs 3.4 us, with one of 8
 * 2.2, with none 1.
 */
#include "unit.h"

#include "base/percent.h"
#include "capture/budget.h"

enum { TICK = 100 * 1000 * 1000 };

static const struct budget_prices prices = { .hit = 700, .record = 300, .stack = 400, .frame = 100 };

struct program {
	double records, extras;		/* per second; each extra is a record, too */
	double frames;			/* every other record has a stack of so many */
};

static struct budget b;
static uint64_t spent, ticks;

static void begin(double percent)
{
	budget_init(&b, &prices, percent_to_ns(percent), 127, true);
	spent = ticks = 0;
}

/* What the counters say of one tick, in the state that the budget has decided. */
static struct budget_load load_of(const struct program *p)
{
	bool extras = b.level < REC_LEVEL_NO_EXTRAS;
	uint64_t plain = b.off ? 0 : (uint64_t)((p->records - p->extras) / 10);
	uint64_t more = b.off || !extras ? 0 : (uint64_t)(p->extras / 10);
	double frames = b.level >= REC_LEVEL_NO_STACKS ? 0 :
			b.level == REC_LEVEL_SHORT_STACKS && p->frames > 8 ? 8 : p->frames;
	struct budget_load l = {
		.ns = TICK, .hits = plain + more,
		.probes = { .records = plain + more, .extras = more, .stacks = plain,
			    .walked = frames > 0 ? plain / 8 : 0 },
	};

	l.probes.frames = (uint64_t)(frames * (double)l.probes.walked);
	return l;
}

static void tick(const struct program *p, int n)
{
	while (n--) {
		struct budget_load l = load_of(p);

		if (!b.off)
			spent += (uint64_t)(budget_cost(&b, &l, b.level) / 10);
		ticks++;
		budget_tick(&b, &l);
	}
}

/* Percent of a CPU that the probes have cost so far. */
static double cost(void)
{
	return 100.0 * (double)spent / (double)(ticks * TICK);
}

static void what_is_cheap_stays_whole(void)
{
	struct program p = { .records = 10000, .extras = 1000, .frames = 20 };

	begin(10);
	tick(&p, 600);
	CHECK_EQ(b.level, REC_LEVEL_WHOLE);
	CHECK(!b.off);
}

static void without_a_ceiling_nothing_is_left_out(void)
{
	struct program p = { .records = 1e6, .frames = 20 };

	begin(0);
	tick(&p, 100);
	CHECK_EQ(b.level, REC_LEVEL_WHOLE);
}

/* 50,000 records with a stack a second: 17 % as they are, 11 % with short stacks. */
static void stacks_get_short_first(void)
{
	struct program p = { .records = 50000, .frames = 20 };

	begin(12);
	tick(&p, 100);
	CHECK_EQ(b.level, REC_LEVEL_SHORT_STACKS);
	CHECK(cost() < 13);
}

static void then_there_are_none(void)
{
	struct program p = { .records = 50000, .frames = 20 };

	begin(6);
	tick(&p, 100);
	CHECK_EQ(b.level, REC_LEVEL_NO_STACKS);
	CHECK(!b.off);
}

static void then_measures_of_memory_go(void)
{
	struct program p = { .records = 50000, .extras = 30000, .frames = 20 };

	begin(3);
	tick(&p, 100);
	CHECK_EQ(b.level, REC_LEVEL_NO_EXTRAS);
	CHECK(!b.off);
}

/* Half a million records a second: 50 % of a CPU without anything more to leave out. */
static void then_slices_of_time(void)
{
	struct program p = { .records = 500000, .frames = 20 };

	begin(10);
	tick(&p, 3000);
	CHECK_EQ(b.level, REC_LEVEL_SLICES);
	CHECK(cost() > 8.5);
	CHECK(cost() < 11);
}

static void a_tiny_budget_is_kept_as_well(void)
{
	struct program p = { .records = 500000, .frames = 20 };

	begin(0.5);
	tick(&p, 60000);
	CHECK(cost() < 0.6);
}

static void each_slice_is_long_enough_to_see_something(void)
{
	struct program p = { .records = 500000, .frames = 20 };
	int i, on = 0, slices = 0;

	begin(5);
	tick(&p, 100);
	for (i = 0; i < 2000; i++) {
		bool was_on = !b.off;

		tick(&p, 1);
		on += was_on;
		if (!was_on || !b.off)
			continue;
		if (slices++)	/* the first one may have begun before */
			CHECK(on >= 3);
		on = 0;
	}
	CHECK(slices > 10);
}

static void a_burst_is_paid_from_what_was_saved(void)
{
	struct program calm = { .records = 5000, .frames = 20 };
	struct program burst = { .records = 60000, .frames = 20 };

	begin(10);
	tick(&calm, 100);
	tick(&burst, 4);	/* 20 % for 400 ms */
	tick(&calm, 10);
	CHECK_EQ(b.level, REC_LEVEL_WHOLE);
}

static void it_all_comes_back_one_by_one(void)
{
	struct program busy = { .records = 500000, .extras = 1000, .frames = 20 };
	struct program calm = { .records = 5000, .extras = 1000, .frames = 20 };
	enum rec_level last;
	int i;

	begin(10);
	tick(&busy, 100);
	CHECK_EQ(b.level, REC_LEVEL_SLICES);
	last = b.level;
	for (i = 0; i < 300; i++) {
		tick(&calm, 1);
		CHECK(b.level <= last);
		CHECK(last - b.level <= 1);
		last = b.level;
	}
	CHECK_EQ(b.level, REC_LEVEL_WHOLE);
	CHECK(!b.off);
}

/* What would be too much again does not come back: no to and fro. */
static void what_does_not_fit_stays_away(void)
{
	struct program p = { .records = 50000, .frames = 20 };
	int i, changes = 0;

	begin(12);
	tick(&p, 10);
	for (i = 0; i < 1000; i++) {
		enum rec_level level = b.level;

		tick(&p, 1);
		changes += b.level != level;
	}
	CHECK_EQ(b.level, REC_LEVEL_SHORT_STACKS);
	CHECK(changes <= 1);
}

/* All of a CPU from the first moment on, and looks at the counters every 20 ms: the first 300 ms. */
static void a_short_run_keeps_it_too(void)
{
	struct budget_load l = { .ns = TICK / 5, .hits = 20000, .probes.records = 20000 };	/* 1 us each */
	const struct budget_load nothing = { .ns = TICK / 5 };
	double cost_ns = 0;
	int i;

	begin(20);
	for (i = 0; i < 15; i++) {
		cost_ns += b.off ? 0 : 20e6;
		budget_tick(&b, b.off ? &nothing : &l);
	}
	CHECK_EQ(b.level, REC_LEVEL_SLICES);
	CHECK(cost_ns <= 0.20 * 300e6);
	CHECK(budget_mean_cost(&b) <= percent_to_ns(20));
	CHECK(budget_seconds_needed(&b) <= 0.3);
}

/* What leaves out nothing more is no level. */
static void levels_without_an_effect_are_skipped(void)
{
	struct program p = { .records = 50000, .frames = 8 };
	int i, levels[REC_LEVELS] = { 0 };

	budget_init(&b, &prices, percent_to_ns(6), 8, false);
	for (i = 0; i < 100; i++) {
		tick(&p, 1);
		levels[b.level]++;
	}
	CHECK_EQ(b.level, REC_LEVEL_NO_STACKS);
	CHECK_EQ(levels[REC_LEVEL_SHORT_STACKS], 0);
	budget_init(&b, &prices, percent_to_ns(3), 0, false);
	for (i = 0; i < 200; i++) {
		tick(&p, 1);
		CHECK(b.level == REC_LEVEL_WHOLE || b.level == REC_LEVEL_SLICES);
	}
	CHECK_EQ(b.level, REC_LEVEL_SLICES);
	budget_refuse_slices(&b);
	CHECK_EQ(b.level, REC_LEVEL_WHOLE);
}

static void hits_that_give_no_record_cost_too(void)
{
	struct budget_load l = { .ns = TICK, .hits = 20000 };

	begin(10);
	CHECK_EQ(budget_cost(&b, &l, REC_LEVEL_WHOLE), 140000000);
}

/* A tenth of the price: where probes must leave out stacks, code in the target need not. */
static void code_in_the_target_has_its_own_price(void)
{
	struct budget_load l = { .ns = TICK,
				 .in_target = { .records = 20000, .stacks = 10000, .walked = 1000, .frames = 20000 } };

	begin(10);
	b.prices.inline_record = 30;
	b.prices.inline_stack = 10;
	b.prices.inline_frame = 1;
	budget_tick(&b, &l);
	CHECK_EQ(b.inline_length, 20);
	CHECK_EQ(budget_cost(&b, &l, REC_LEVEL_WHOLE), 10 * (20000 * 30 + 10000 * 30));
	CHECK_EQ(budget_cost(&b, &l, REC_LEVEL_SHORT_STACKS), 10 * (20000 * 30 + 10000 * 18));
	CHECK_EQ(budget_cost(&b, &l, REC_LEVEL_NO_STACKS), 10 * 20000 * 30);
	CHECK_EQ(b.level, REC_LEVEL_WHOLE);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(code_in_the_target_has_its_own_price),
		UNIT(what_is_cheap_stays_whole),
		UNIT(without_a_ceiling_nothing_is_left_out),
		UNIT(stacks_get_short_first),
		UNIT(then_there_are_none),
		UNIT(then_measures_of_memory_go),
		UNIT(then_slices_of_time),
		UNIT(a_tiny_budget_is_kept_as_well),
		UNIT(each_slice_is_long_enough_to_see_something),
		UNIT(a_burst_is_paid_from_what_was_saved),
		UNIT(it_all_comes_back_one_by_one),
		UNIT(what_does_not_fit_stays_away),
		UNIT(a_short_run_keeps_it_too),
		UNIT(levels_without_an_effect_are_skipped),
		UNIT(hits_that_give_no_record_cost_too),
		{0},
	});
}
