// SPDX-License-Identifier: Apache-2.0
/*
 * reread: when gotap reads the goroutines' states anew after losses. The clock and the number of lost records are
 * invented.
 */
#include "unit.h"

#include "capture/reread.h"

#define MS 1000000ULL
#define SECOND (1000 * MS)

static struct reread r;
static uint64_t now, lost;

static void begin(void)
{
	now = 100 * SECOND;
	lost = 0;
	reread_init(&r, now);
}

/* gotap asks each 20 ms whether to read. @more records were lost since it last asked. */
static bool look(uint64_t more)
{
	now += 20 * MS;
	lost += more;
	return reread_is_due(&r, lost, now);
}

/* Reads the states: that takes @took ns, and @cost ns of CPU time; meanwhile @more records are lost. */
static void read_all(uint64_t took, uint64_t cost, uint64_t more)
{
	reread_done(&r, lost);
	now += took;
	lost += more;
	reread_ended(&r, now, cost);
}

/* How many ns pass until a reading is due if each look finds @more new losses. */
static uint64_t wait_for_it(uint64_t more)
{
	uint64_t from = now;

	while (!look(more))
		if (now - from > 1000 * SECOND)
			break;
	return now - from;
}

static void nothing_lost_nothing_read(void)
{
	int i;

	begin();
	for (i = 0; i < 1000; i++)
		CHECK(!look(0));
	CHECK(look(5));		/* at once: the last reading was long ago */
	read_all(3 * MS, 2 * MS, 0);
	for (i = 0; i < 1000; i++)
		CHECK(!look(0));
}

static void at_the_end_of_the_losses(void)
{
	int i;

	begin();
	for (i = 0; i < 20; i++)
		CHECK(!look(7));
	CHECK(look(0));
}

static void once_a_second_where_they_go_on(void)
{
	begin();
	CHECK_EQ(wait_for_it(1), SECOND);
	read_all(5 * MS, 4 * MS, 3);
	CHECK_EQ(wait_for_it(1), SECOND);
	read_all(5 * MS, 4 * MS, 3);
	CHECK_EQ(wait_for_it(0), 40 * MS);
}

/* On a busy machine a reading takes longer, but no more CPU time. */
static void waiting_for_a_cpu_is_no_cost(void)
{
	begin();
	CHECK_EQ(wait_for_it(1), SECOND);
	read_all(10 * SECOND, 4 * MS, 3);
	CHECK_EQ(wait_for_it(1), SECOND);
	read_all(10 * SECOND, 4 * MS, 3);
	CHECK_EQ(wait_for_it(0), 40 * MS);
}

static void less_often_where_it_costs_much(void)
{
	begin();
	CHECK_EQ(wait_for_it(1), SECOND);
	read_all(400 * MS, 300 * MS, 3);
	CHECK_EQ(wait_for_it(1), 3 * SECOND);
	read_all(400 * MS, 300 * MS, 3);
	CHECK_EQ(wait_for_it(0), 3 * SECOND);
}

static void nobody_is_without_states_for_minutes(void)
{
	begin();
	CHECK_EQ(wait_for_it(1), SECOND);
	read_all(60 * SECOND, 60 * SECOND, 3);
	CHECK_EQ(wait_for_it(1), 5 * SECOND);
	read_all(60 * SECOND, 60 * SECOND, 3);
	CHECK_EQ(wait_for_it(0), 5 * SECOND);
}

/* A reading that failed (no reread_done()) is due again. */
static void a_failure_is_tried_again(void)
{
	begin();
	CHECK_EQ(wait_for_it(1), SECOND);
	reread_ended(&r, now, 10 * MS);
	CHECK_EQ(wait_for_it(0), 100 * MS);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(nothing_lost_nothing_read),
		UNIT(at_the_end_of_the_losses),
		UNIT(once_a_second_where_they_go_on),
		UNIT(waiting_for_a_cpu_is_no_cost),
		UNIT(less_often_where_it_costs_much),
		UNIT(nobody_is_without_states_for_minutes),
		UNIT(a_failure_is_tried_again),
		{0} });
}
