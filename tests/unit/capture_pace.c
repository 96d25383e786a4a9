// SPDX-License-Identifier: Apache-2.0
/*
 * pace: fills and lateness in, priorities and times out. The last case is a model of a ring, of a
 * drain that gets no CPU while its priority is low, and of a program that makes records in bursts.
 */
#include "unit.h"

#include "capture/pace.h"
#include "unit_random.h"

#define MS 1000000ULL

static struct pace p;
static uint64_t now, seed = 1;

static void begin(void)
{
	p = (struct pace){0};
	now = 1000 * MS;
}

/* Looks for @ms, each 10 ms, and finds @l each time. */
static void looks(struct pace_look l, uint64_t ms)
{
	uint64_t end = now + ms * MS;

	while (now < end) {
		now += 10 * MS;
		l.now = now;
		pace_step(&p, &l);
	}
}

static const struct pace_look QUIET = { .ring = 20, .queue = 10 };

static void both_are_low_when_it_was_quiet_for_a_tenth_of_a_second(void)
{
	begin();
	looks(QUIET, 100);
	CHECK(!p.drain.low && !p.caller.low);
	looks(QUIET, 20);
	CHECK(p.drain.low && p.caller.low);
	looks(QUIET, 10000);
	CHECK(p.drain.low && p.caller.low);
}

static void is_low(void)
{
	begin();
	looks(QUIET, 1000);
	CHECK(p.drain.low && p.caller.low);
}

static void a_ring_that_is_a_quarter_full_raises_both_at_once(void)
{
	begin();
	looks((struct pace_look){ .ring = 120 }, 1000);
	CHECK(p.drain.low && p.caller.low);
	looks((struct pace_look){ .ring = 180 }, 10);
	CHECK(p.drain.low && p.caller.low);
	looks((struct pace_look){ .ring = 250 }, 10);
	CHECK(!p.drain.low && !p.caller.low);
}

static void a_ring_that_would_be_at_the_next_look_does_so_too(void)
{
	is_low();
	looks((struct pace_look){ .ring = 130 }, 10);
	CHECK(p.drain.low);
	looks((struct pace_look){ .ring = 200 }, 10);
	CHECK(!p.drain.low && !p.caller.low);
}

static void a_late_drain_is_raised_with_an_empty_ring(void)
{
	is_low();
	looks((struct pace_look){ .drain_late = 49 * MS }, 100);
	CHECK(p.drain.low);
	looks((struct pace_look){ .drain_late = 50 * MS }, 10);
	CHECK(!p.drain.low && !p.caller.low);
}

static void a_queue_that_is_half_full_raises_the_caller_alone(void)
{
	is_low();
	looks((struct pace_look){ .queue = 499 }, 100);
	CHECK(p.caller.low);
	looks((struct pace_look){ .queue = 500 }, 10);
	CHECK(p.drain.low && !p.caller.low);
	is_low();
	looks((struct pace_look){ .caller_late = 50 * MS }, 10);
	CHECK(p.drain.low && !p.caller.low);
}

static void a_ring_that_fills_fast_is_not_calm(void)
{
	CHECK_EQ(pace_rate(100, 10 * MS), 100);
	CHECK_EQ(pace_rate(100, 20 * MS), 50);
	CHECK_EQ(pace_rate(500, MS), PACE_WHOLE);
	CHECK_EQ(pace_rate(500, 0), 0);
	begin();
	looks((struct pace_look){ .ring = 30, .rate = 125 }, 5000);
	CHECK(!p.drain.low && !p.caller.low);
	looks((struct pace_look){ .ring = 30, .rate = 124 }, 1000);
	CHECK(p.drain.low && p.caller.low);
}

/* Between the two limits all remains as it is. */
static void there_is_hysteresis(void)
{
	begin();
	looks((struct pace_look){ .ring = 200 }, 5000);
	CHECK(!p.drain.low);
	looks(QUIET, 90);
	looks((struct pace_look){ .ring = 200 }, 10);
	looks(QUIET, 90);
	CHECK(!p.drain.low);
	looks(QUIET, 50);
	CHECK(p.drain.low);
	looks((struct pace_look){ .ring = 100 }, 10);
	looks((struct pace_look){ .ring = 170 }, 5000);
	CHECK(p.drain.low);
}

/* A thread that needs a high priority again and again has it for longer and longer. */
static void times_with_a_high_priority_get_longer(void)
{
	int raised = 0, i;

	begin();
	for (i = 0; i < 6000; i++) {
		bool low = p.drain.low;

		looks(low ? (struct pace_look){ .ring = 300 } : QUIET, 10);
		raised += low;
	}
	CHECK(raised >= 10);
	CHECK(raised <= 20);	/* in a minute; without that there were 116 */
	looks(QUIET, 10000);
	CHECK(p.drain.low);
	looks((struct pace_look){ .ring = 300 }, 10);
	looks(QUIET, 520);
	CHECK(p.drain.low);
}

static void sleeps(void)
{
	enum { IDLE = 20 * 1000 * 1000 };

	CHECK_EQ(pace_sleep(0, 20 * MS, IDLE), IDLE);
	CHECK_EQ(pace_sleep(1, 20 * MS, IDLE), IDLE);
	CHECK_EQ(pace_sleep(30, 20 * MS, IDLE), IDLE);
	CHECK_EQ(pace_sleep(124, 20 * MS, IDLE), 20 * MS / 124 * 62);
	CHECK_EQ(pace_sleep(126, 20 * MS, IDLE), MS);
	CHECK_EQ(pace_sleep(1000, 20 * MS, IDLE), MS);
	CHECK_EQ(pace_sleep(100, 0, IDLE), MS);
	CHECK_EQ(pace_sleep(62, 1000000 * MS, IDLE), IDLE);
}

/* --- a drain that gets no CPU --- */

enum { STEP = 100 * 1000, STEPS = 30 * 10000 };

/* A ring, and the drain that empties it. */
struct model {
	double size, fill, most;	/* bytes */
	uint64_t due, before;		/* ns: the drain's next round, and the last one */
	unsigned int rate;
	long idle;
};

static void model_round(struct model *m, uint64_t t, bool paced)
{
	unsigned int fill = (unsigned int)(m->fill / m->size * PACE_WHOLE);
	long sleep = fill > PACE_CALM ? (long)MS : m->idle;

	m->due = t + (uint64_t)(paced ? pace_sleep(fill, t - m->before, m->idle) : sleep);
	m->rate = pace_rate(fill, t - m->before);
	m->before = t;
	m->fill = 0;
}

static void model_makes(struct model *m, double bytes)
{
	m->fill += bytes;
	m->most = m->fill > m->most ? m->fill : m->most;
	m->fill = m->fill > m->size ? m->size : m->fill;
}

/*
 * 30 s of a program that makes up to @rate bytes per second: @always has a high priority all the
 * time; @paced gets no CPU at all while its priority is low, and the guard looks each @every ns.
 */
static void starve(double rate, struct model *always, struct model *paced, uint64_t every)
{
	double now_rate = 0;
	uint64_t i;

	p = (struct pace){0};
	for (i = 0; i < STEPS; i++) {
		uint64_t t = (i + 10000) * STEP;

		if (unit_random(&seed) % 500 == 0)
			now_rate = unit_random(&seed) % 3 ?
				rate * (double)(unit_random(&seed) % 1001) / 1000 : 0;
		model_makes(always, now_rate * STEP / 1e9);
		model_makes(paced, now_rate * STEP / 1e9);
		if (t % every == 0)
			pace_step(&p, &(struct pace_look){
				.now = t, .ring = (unsigned int)(paced->fill * PACE_WHOLE / paced->size),
				.rate = paced->rate, .drain_late = t - paced->before });
		if (t >= always->due)
			model_round(always, t, false);
		if (t >= paced->due && !p.drain.low)
			model_round(paced, t, true);
	}
}

static void what_a_high_priority_keeps_is_kept(void)
{
	static const struct {
		double size, rate;
		long idle;
		uint64_t every;
	} rows[] = {
		{ 16 << 20, 440e6, 20 * MS, 10 * MS },	/* the most that two threads made */
		{ 8 << 20, 440e6, 10 * MS, 10 * MS },
		{ 4 << 20, 380e6, 10 * MS, 5 * MS },
		{ 1 << 20, 95e6, 10 * MS, 5 * MS },	/* full in 11 ms: the most that an old round takes */
		{ 1 << 20, 30e6, 10 * MS, 5 * MS },
		{ 64 << 10, 6e6, 10 * MS, 5 * MS },
		{ 64 << 10, 1e6, 10 * MS, 5 * MS },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct model always = { .size = rows[i].size, .idle = 10 * MS };
		struct model paced = { .size = rows[i].size, .idle = rows[i].idle };

		starve(rows[i].rate, &always, &paced, rows[i].every);
		CHECK(always.most <= always.size);
		CHECK(paced.most <= paced.size);
	}
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(both_are_low_when_it_was_quiet_for_a_tenth_of_a_second),
		UNIT(a_ring_that_is_a_quarter_full_raises_both_at_once),
		UNIT(a_ring_that_would_be_at_the_next_look_does_so_too),
		UNIT(a_late_drain_is_raised_with_an_empty_ring),
		UNIT(a_queue_that_is_half_full_raises_the_caller_alone),
		UNIT(a_ring_that_fills_fast_is_not_calm),
		UNIT(there_is_hysteresis), UNIT(times_with_a_high_priority_get_longer),
		UNIT(sleeps), UNIT(what_a_high_priority_keeps_is_kept), {0} });
}
