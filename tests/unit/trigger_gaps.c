// SPDX-License-Identifier: Apache-2.0
/* Triggers where records were lost: waits, lives of goroutines, and percentiles around a gap. */
#define _GNU_SOURCE
#include "trigger_story.h"

static void begin_gap(void)
{
	observers_gap(&observers, now);
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
}

/* The gap lasts @ns. After it the test puts in the new states and calls end_gap(). */
static void spend_gap(uint64_t ns)
{
	now += ns;
	seen();
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
}

static void end_gap(void)
{
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	seen();
}

/* Goroutine 1 runs on thread 7. */
static void snap_running(void)
{
	put(REC_SNAP_G, 2, 7, 1, 0x9001, 0, 0);
}

static void a_gap_is_no_wait(void)
{
	begin_rules("blocked>1ms:chan receive", "runnable>1ms");
	snapshot();
	block(reason_number("chan receive"), 0x44);
	pass(MS / 2);
	begin_gap();
	spend_gap(5 * MS);
	snap_waiting(1, "chan receive", 0x44, 0);
	end_gap();
	CHECK_EQ(n_facts, 0);
	pass(MS / 2);
	CHECK_EQ(n_facts, 0);
	pass(MS);
	CHECK_EQ(n_facts, 1);
	CHECK(strstr(facts[0].what, "goroutine 1 is blocked for at least 1"));
	end_rules();
}

static void behind_a_gap_a_wait_is_another_one(void)
{
	begin_rules("blocked>1ms:sync:main.lookup", "blocked>1ms:sleep", "blocked>1ms:chan*", "blocked>1ms::main.other");
	snapshot();
	block(reason_number("sync"), 0x55);
	begin_gap();
	spend_gap(5 * MS);
	snap_waiting(1, "sync", 0x44, 0);	/* the same reason at another place, so it is another wait */
	snap_waiting(2, "chan receive", 0, 0);
	end_gap();
	pass(2 * MS);
	CHECK_EQ(n_facts, 2);
	CHECK_STR(facts[0].trigger, "blocked>1ms:sync:main.lookup");
	CHECK_STR(facts[1].trigger, "blocked>1ms:chan*");
	CHECK_EQ(facts[1].g, 2);
	end_rules();
}

/*
 * A goroutine ran before the gap and waits after it: that is one wait, with its reason, and a new generation begins no
 * other one.
 */
static void a_wait_that_began_in_a_gap_is_one(void)
{
	struct trigger_counts counts;

	begin_rules("blocked>1ms");
	snapshot();
	begin_gap();
	spend_gap(5 * MS);
	snap_waiting(1, "sync", 0x44, 0);
	snap_waiting(4, "sync", 0x44, 0x401000);
	end_gap();
	pass(2 * MS);
	put(REC_GC_BEGIN, 0, 7, 5, 0, 0, 0);
	pass(2 * MS);
	put(REC_GC_BEGIN, 0, 7, 5, 0, 0, 0);
	pass(2 * MS);
	triggers_counts(triggers, 0, &counts);
	CHECK_EQ(counts.facts, 2);
	CHECK_STR(facts[0].what, "goroutine 1 is blocked for at least 2 ms: sync");
	CHECK_STR(facts[0].stack, "main.lookup /src/x.go:7");
	end_rules();
}

static void who_computes_behind_a_gap_does_not_hang(void)
{
	begin_rules("hang>10ms");
	snapshot();
	begin_gap();
	spend_gap(50 * (uint64_t)MS);
	snap_running();
	put(REC_SNAP_G, 2, 8, 4, 0x9004, 0, 0);	/* made in the gap, it is not known by whom */
	put(REC_SNAP_P, 0, 8, 1, P1, 0, 0);
	end_gap();
	pass(20 * MS);
	CHECK_EQ(n_facts, 0);
	block(reason_number("sleep"), 0x44);
	pass(20 * MS);
	CHECK_EQ(n_facts, 0);
	put(REC_GO_PARK, reason_number("sleep"), 8, 4, 0x9004, 0, 0);
	pass(20 * MS);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

static void a_life_that_ended_in_a_gap_was_not_seen(void)
{
	uint64_t at;

	begin_rules("func:main.work*>10ms");
	snapshot();
	put(REC_GO_CREATE, 0, 7, 4, 0x9004, 0, START);
	put(REC_GO_CREATE, 0, 7, 5, 0x9005, 0, START);
	begin_gap();
	spend_gap(50 * (uint64_t)MS);
	snap_running();
	at = now;
	snap_waiting(5, "sync", 0, START);
	snap_waiting(6, "sync", 0, START);
	end_gap();
	CHECK_EQ(n_facts, 0);
	pass(9 * MS);
	CHECK_EQ(n_facts, 0);
	put(REC_GO_CREATE, 0, 7, 7, 0x9007, 0, START);
	pass(2 * MS);
	CHECK_EQ(n_facts, 1);
	CHECK_EQ(facts[0].g, 5);
	CHECK(facts[0].time - at - 10 * MS < 500);
	CHECK_STR(facts[0].what, "goroutine 5, which began with a function main.work*, lives for at least 11 ms");
	pass(60 * (uint64_t)MS);
	CHECK_EQ(n_facts, 1);	/* goroutine 7 is 9 ms later: too soon for another fact */
	end_rules();
}

static void a_gap_makes_nothing_untrue(void)
{
	uint64_t at;

	begin_rules("blocked>1ms:sync", "log:.");
	snapshot();
	at = now;
	late_key = 0x44;
	user(REC_USER_LOG, 0, "db", "1");
	CHECK_EQ(n_facts, 0);
	late_key = 0;
	block(reason_number("sync"), 0x44);
	now += 2 * MS;
	begin_gap();
	CHECK_EQ(n_facts, 2);
	check_fact(0, at + 10 + MS, 1, "goroutine 1 is blocked for 2 ms: sync");
	CHECK_STR(facts[1].trigger, "log:.");
	end_rules();
}

/* Losses within less than 100 ms make no gap. The record that ends a wait may be among them, which the fact says. */
static void a_wait_in_which_records_were_lost(void)
{
	begin_rules("blocked>1ms:chan*", "blocked>1ms:sync");
	triggers_losses(triggers, &model_counts(model)->lost);
	snapshot();
	put(REC_LOST, 0, 0, 1, now, now + 5, 12);
	seen();
	now += 10;
	block(reason_number("chan receive"), 0x44);
	pass(2 * MS);
	CHECK_EQ(n_facts, 1);
	CHECK_STR(facts[0].what, "goroutine 1 is blocked for 2 ms: chan receive");
	go(REC_GO_START, 7, 3);
	put(REC_GO_PARK, reason_number("sync"), 7, 3, 0x9003, 0x44, 0);
	pass(MS / 2);
	put(REC_LOST, 0, 0, 1, now, now + 5, 12);
	pass(MS);
	CHECK_EQ(n_facts, 2);
	CHECK_STR(facts[1].what, "goroutine 3 is blocked for 1.5 ms: sync; records were lost meanwhile, perhaps its end");
	end_rules();
}

/* Goroutines that are runnable after a gap: it is not known since when, so their waits are not counted. */
static void waits_behind_a_gap_count_for_no_percentile(void)
{
	uint64_t i;

	begin_rules("sched-p99>1ms");
	snapshot();
	begin_gap();
	spend_gap(5 * MS);
	for (i = 0; i < 200; i++)
		put(REC_SNAP_G, 1, 0, 10 + i, 0x9000 + 10 + i, 0, 0);
	end_gap();
	pass(5 * MS);
	for (i = 0; i < 200; i++) {
		go(REC_GO_START, 7, 10 + i);
		put(REC_GO_PARK, reason_number("sleep"), 7, 10 + i, 0x9000 + 10 + i, 0, 0);
	}
	pass(150 * (uint64_t)MS);
	CHECK_EQ(n_facts, 0);
	end_rules();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_gap_is_no_wait),
		UNIT(behind_a_gap_a_wait_is_another_one),
		UNIT(a_wait_that_began_in_a_gap_is_one),
		UNIT(who_computes_behind_a_gap_does_not_hang),
		UNIT(a_wait_in_which_records_were_lost),
		UNIT(waits_behind_a_gap_count_for_no_percentile),
		UNIT(a_life_that_ended_in_a_gap_was_not_seen),
		UNIT(a_gap_makes_nothing_untrue),
		{0},
	});
}
