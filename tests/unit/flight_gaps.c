// SPDX-License-Identifier: Apache-2.0
/* Snapshots for a time in which gotap recorded nothing (a gap), or in which the program did nothing. */
#define _GNU_SOURCE
#include "flight_story.h"

/* gotap recorded nothing at the time of the fact, to keep its budget: the snapshot ends before it. */
static void in_a_gap(void)
{
	begin();
	start();
	add(1);
	flight_gap(flight, true, 0);
	trigger_at(3, true);
	turned(4);
	end();
	check_file(1, 1, 1);
	CHECK(strstr(field(1, "window.short"), "nothing was recorded at that time") != NULL);
	clean();
}

/* Adds generation @n, which begins after a gap of a second. */
static void add_behind_gap(unsigned int n)
{
	char data[100];

	memset(data, (int)n, sizeof(data));
	flight_add(flight, &(struct tracefile_generation){ .parts = { { data, 100 } }, .number = n,
		   .from = t0 + n * S, .to = t0 + n * S + S - 1 }, &(struct history_losses){ .unrecorded = S });
}

/*
 * The gap has ended when the snapshot is taken, but the generation after it has no event of the time of the fact
 * either.
 */
static void in_a_gap_that_is_over(void)
{
	begin();
	opts.before = S;
	start();
	add(1);
	flight_gap(flight, false, S);
	trigger_at(2.5, true);
	turned(3);
	end();
	check_file(1, 1, 1);
	CHECK(strstr(field(1, "window.short"), "nothing was recorded at that time") != NULL);
	clean();
}

static void between_what_was_recorded(void)
{
	begin();
	opts.before = S;
	opts.after = S;
	start();
	add(1);
	trigger_at(2.5, true);
	trigger_at(3.1, true);
	add_behind_gap(3);
	flight_gap(flight, false, S);
	turned(4);
	wait_for_dones(1);
	add_behind_gap(4);
	turned(5);
	end();
	CHECK_STR(field(1, "bytes"), "206");
	CHECK(strstr(field(1, "window.short"), "nothing was recorded at that time") != NULL);
	CHECK_STR(field(2, "window.short"), "none");
	clean();
}

/* A program that does nothing has no event after the fact: that is no gap. */
static void no_gap_where_nothing_happens(void)
{
	begin();
	opts.before = S;
	start();
	add(1);
	trigger_at(2.5, true);
	turned(3);
	end();
	CHECK_STR(field(1, "window.short"), "none");
	clean();
}

/*
 * A generation ended between the fact and the moment in which gotap found it: the snapshot has the next generation as
 * well, which shows that nothing happened until it began.
 */
static void a_generation_ends_before_the_fact_is_found(void)
{
	begin();
	opts.before = S;
	start();
	add(1);
	trigger_at(2.5, true);
	add(3);
	turned(4);
	add(4);
	end();
	CHECK_STR(field(1, "bytes"), "206");
	CHECK_STR(field(1, "window.short"), "none");
	CHECK_STR(field(1, "trigger.at_s"), "1.500000000");
	CHECK_STR(field(1, "window.duration_s"), "2.999999999");
	clean();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(in_a_gap),
		UNIT(in_a_gap_that_is_over),
		UNIT(between_what_was_recorded),
		UNIT(no_gap_where_nothing_happens),
		UNIT(a_generation_ends_before_the_fact_is_found),
		{0},
	});
}
