// SPDX-License-Identifier: Apache-2.0
/* Triggers, each kind of rule: which facts it reports, and with which time. */
#define _GNU_SOURCE
#include "trigger_story.h"

static void a_wait_that_ends_is_found_at_its_end(void)
{
	uint64_t at;

	begin_rules("blocked>100us:chan receive");
	snapshot();
	at = block(reason_number("chan receive"), 0x44);
	go(REC_GO_START, 7, 3);
	now = at + 99 * US;
	go(REC_GO_READY, 7, 1);
	CHECK_EQ(n_facts, 0);
	go(REC_GO_STOP, 7, 3);
	go(REC_GO_START, 7, 1);
	at = block(reason_number("chan receive"), 0x44);
	go(REC_GO_START, 7, 3);
	now = at + 123 * US;
	go(REC_GO_READY, 7, 1);
	CHECK_EQ(n_facts, 1);
	check_fact(0, at + 100 * US, 1, "goroutine 1 is blocked for 123 us: chan receive");
	CHECK_STR(facts[0].trigger, "blocked>100us:chan receive");
	CHECK_STR(facts[0].stack, "main.lookup /src/x.go:7");
	end_rules();
}

static void a_wait_without_an_end_is_found_as_time_passes_and_once(void)
{
	uint64_t at;

	begin_rules("blocked>1ms:select");
	snapshot();
	at = block(reason_number("select"), 0x44);
	pass(MS - 10);
	CHECK_EQ(n_facts, 0);
	pass(100);
	CHECK_EQ(n_facts, 1);
	check_fact(0, at + MS, 1, "goroutine 1 is blocked for 1 ms: select");
	pass(500 * (uint64_t)MS);
	go(REC_GO_START, 7, 3);
	go(REC_GO_READY, 7, 1);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

static void a_wait_from_before_is_at_least_as_long(void)
{
	begin_rules("blocked>1ms:sync");
	put(REC_SNAP_P_NAME, 0, 0, 0, P0, 0, 0);
	snap_waiting(2, "sync", 0, 0);
	snap_waiting(3, "sleep", 0, 0);
	put(REC_SNAP_P, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	pass(2 * MS);
	CHECK_EQ(n_facts, 1);
	CHECK_EQ(facts[0].g, 2);
	CHECK_STR(facts[0].what, "goroutine 2 is blocked for at least 2 ms: sync");
	end_rules();
}

static void reasons_and_functions_choose(void)
{
	begin_rules("blocked>1ms:sync", "blocked>1ms:chan*:main.look*", "blocked>1ms::main.other", "blocked>1ms::main.lookup");
	snapshot();
	block(reason_number("chan receive"), 0x44);
	pass(2 * MS);
	CHECK_EQ(n_facts, 2);
	CHECK_STR(facts[0].trigger, "blocked>1ms:chan*:main.look*");
	CHECK_STR(facts[1].trigger, "blocked>1ms::main.lookup");
	end_rules();
}

static void of_facts_close_together_one_is_passed_on(void)
{
	struct trigger_counts counts;

	begin_rules("blocked>1ms:*");
	snapshot();
	block(reason_number("chan receive"), 0x44);
	pass(2 * MS);
	CHECK_EQ(n_facts, 1);
	triggers_counts(triggers, 0, &counts);
	CHECK_EQ(counts.facts, 2);
	CHECK_EQ(counts.fired, 1);
	end_rules();
}

static void waits_for_a_p_and_syscalls(void)
{
	uint64_t at;

	begin_rules("runnable>1ms", "syscall>2ms");
	snapshot();
	at = now;
	put(REC_SYS_ENTER, 0, 7, 1, 0x9001, 0x55, 0);
	pass(MS);
	CHECK_EQ(n_facts, 1);	/* goroutine 3, which was runnable in the snapshot */
	CHECK_EQ(facts[0].g, 3);
	pass(MS);
	CHECK_EQ(n_facts, 2);
	check_fact(1, at + 2 * MS, 1, "goroutine 1 is in a system call for 2 ms");
	CHECK_EQ(facts[1].m, 7);
	CHECK_STR(facts[1].stack, "main.other /src/x.go:7");
	end_rules();
}

static void the_stopped_world(void)
{
	uint64_t at;

	begin_rules("stw>1ms");
	snapshot();
	put(REC_STW_BEGIN, 1, 7, 1, 0, 0x55, 0);
	go(REC_STW_END, 7, 1);
	now += 2 * MS;
	seen();
	CHECK_EQ(n_facts, 0);
	at = now;
	put(REC_STW_BEGIN, 1, 7, 1, 0, 0x55, 0);
	pass(3 * MS / 2);
	CHECK_EQ(n_facts, 1);
	CHECK(facts[0].time - at - MS <= 1);	/* the model gives no two events the same time */
	go(REC_STW_END, 7, 1);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

static void levels_fire_when_they_are_passed(void)
{
	uint64_t at;

	begin_rules("goroutines>3", "heap>1M");
	snapshot();
	CHECK_EQ(n_facts, 0);
	at = now;
	put(REC_GO_CREATE, 0, 7, 4, 0x9004, 0, START);
	check_fact(0, at, 4, "there are 4 goroutines, more than 3");
	put(REC_GO_CREATE, 0, 7, 5, 0x9005, 0, START);
	CHECK_EQ(n_facts, 1);
	put(REC_HEAP_ALLOC, 0, 7, 0, 0, 0, 1 << 20);
	CHECK_EQ(n_facts, 1);
	at = now;
	put(REC_HEAP_ALLOC, 0, 7, 0, 0, 0, 3 << 20);
	CHECK_EQ(n_facts, 2);
	CHECK_STR(facts[1].what, "the heap has 3.1 MB");
	put(REC_HEAP_ALLOC, 0, 7, 0, 0, 0, 4 << 20);
	CHECK_EQ(n_facts, 2);
	end_rules();
}

static void a_life_is_from_the_first_to_the_last_moment(void)
{
	uint64_t at;

	begin_rules("func:main.work*>1ms", "func:main.none>1ms");
	snapshot();
	at = now;
	put(REC_GO_CREATE, 0, 7, 4, 0x9004, 0, START);
	pass(MS / 2);
	put(REC_GO_CREATE, 0, 7, 5, 0x9005, 0, 0x402000);
	pass(MS / 2 + 100);
	CHECK_EQ(n_facts, 1);
	check_fact(0, at + MS, 4, "goroutine 4, which began with a function main.work*, lives for 1 ms");
	pass(9 * MS);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

static void regions_and_tasks_by_name(void)
{
	uint64_t at;

	begin_rules("region:load>1ms", "task:order>3ms");
	snapshot();
	at = now;
	user(REC_USER_TASK_BEGIN, 5, "order", "");
	user(REC_USER_REGION_BEGIN, 5, "other", "");
	user(REC_USER_REGION_BEGIN, 5, "load", "");
	user(REC_USER_REGION_BEGIN, 5, "load", "");
	now += MS + 100;
	user(REC_USER_REGION_END, 5, "load", "");
	CHECK_EQ(n_facts, 1);
	check_fact(0, at + 30 + MS, 1, "region load lasts for 1 ms");
	CHECK_STR(facts[0].stack, "main.lookup /src/x.go:7");
	pass(60 * (uint64_t)MS);
	CHECK_EQ(n_facts, 2);	/* task; the outer region "load" is too close to the inner one for another fact */
	check_fact(1, at + 3 * MS, 1, "task order lasts for 61 ms");
	user(REC_USER_REGION_END, 5, "load", "");
	user(REC_USER_REGION_END, 5, "other", "");
	user(REC_USER_TASK_END, 5, "", "");
	user(REC_USER_TASK_BEGIN, 6, "order", "");
	user(REC_USER_TASK_END, 6, "", "");
	pass(60 * (uint64_t)MS);
	CHECK_EQ(n_facts, 2);
	end_rules();
}

/* The record of a new stack comes after that of the event. */
static void a_fact_waits_for_a_stack_that_is_new(void)
{
	begin_rules("log:.");
	snapshot();
	late_key = 0x44;
	user(REC_USER_LOG, 0, "db", "1");
	CHECK_EQ(n_facts, 0);
	late_key = 0;
	pass(MS);
	CHECK_EQ(n_facts, 1);
	CHECK_STR(facts[0].stack, "main.lookup /src/x.go:7");
	now += 60 * MS;
	late_key = 0x44;
	user(REC_USER_LOG, 0, "db", "1");
	triggers_finish(triggers);
	CHECK_EQ(n_facts, 2);
	late_key = 0;
	end_rules();
}

static void logs_by_their_text(void)
{
	uint64_t at;

	begin_rules("log:^db: .*time ?out$");
	snapshot();
	user(REC_USER_LOG, 0, "db", "all is well");
	user(REC_USER_LOG, 0, "web", "db: timeout");
	CHECK_EQ(n_facts, 0);
	at = now;
	user(REC_USER_LOG, 0, "db", "query time out");
	CHECK_EQ(n_facts, 1);
	check_fact(0, at, 1, "log db: query time out");
	end_rules();
}

/* Goroutine 2 becomes runnable, runs @after ns later on thread 7, for a moment, and sleeps. */
static void one_wait_for_a_p(uint64_t after)
{
	put(REC_GO_READY, 0, 7, 2, 0x9002, 0, 0);
	now += after;
	go(REC_GO_START, 7, 2);
	put(REC_GO_PARK, reason_number("sleep"), 7, 2, 0x9002, 0, 0);
}

static void waits_that_are_long_for_one_percent(void)
{
	int i;

	begin_rules("sched-p99>1ms");
	snapshot();
	go(REC_GO_STOP, 7, 1);
	pass(200 * (uint64_t)MS);	/* both waits are long, but 2 are too few for a percentile */
	CHECK_EQ(n_facts, 0);
	pass(2000 * (uint64_t)MS);
	for (i = 0; i < 200; i++)
		one_wait_for_a_p(100 * US);
	one_wait_for_a_p(2 * MS);
	pass(150 * (uint64_t)MS);	/* 1 of 201 waits is long: less than 1 % */
	CHECK_EQ(n_facts, 0);
	for (i = 0; i < 3; i++)
		one_wait_for_a_p(2 * MS);
	pass(150 * (uint64_t)MS);
	CHECK_EQ(n_facts, 1);
	CHECK_STR(facts[0].what, "in the last second 4 of 204 waits for a P took longer than 1 ms");
	pass(150 * (uint64_t)MS);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

static void nothing_but_timers(void)
{
	uint64_t at;

	begin_rules("hang>10ms");
	snapshot();
	seen();
	pass(15 * MS);		/* goroutine 1 runs */
	CHECK_EQ(n_facts, 0);
	at = now;
	block(reason_number("sleep"), 0x44);
	pass(5 * MS);
	go(REC_GO_READY, 7, 1);	/* woken by no goroutine, so by a timer */
	go(REC_GO_START, 7, 1);
	block(reason_number("sleep"), 0x44);
	pass(4 * MS);
	CHECK_EQ(n_facts, 0);
	pass(2 * MS);
	CHECK_EQ(n_facts, 1);
	CHECK(facts[0].time - at - 10 * MS <= 1);
	pass(50 * (uint64_t)MS);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

static void the_network_is_work(void)
{
	begin_rules("hang>10ms");
	snapshot();
	seen();
	block(reason_number("network"), 0x44);
	pass(8 * MS);
	go(REC_GO_READY, 7, 1);
	go(REC_GO_START, 7, 1);
	put(REC_GO_READY, 0, 7, 2, 0x9002, 0, 0);
	block(reason_number("network"), 0x44);
	go(REC_GO_START, 7, 2);
	put(REC_GO_PARK, reason_number("sync"), 7, 2, 0x9002, 0, 0);
	pass(9 * MS);
	CHECK_EQ(n_facts, 0);
	pass(2 * MS);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

/* The "system call" is a call of C code, as its stack shows: that is work. A true system call is none. */
static void c_code_is_work(void)
{
	begin_rules("hang>10ms");
	snapshot();
	seen();
	put(REC_SYS_ENTER, 0, 7, 1, 0x9001, 0x66, 0);
	pass(25 * (uint64_t)MS);
	CHECK_EQ(n_facts, 0);
	pass(9 * MS);
	put(REC_SYS_EXIT_NOP, 0, 7, 1, 0x9001, 0, 0);
	pass(9 * MS);
	CHECK_EQ(n_facts, 0);
	pass(2 * MS);
	CHECK_EQ(n_facts, 1);
	end_rules();
	begin_rules("hang>10ms");
	snapshot();
	seen();
	put(REC_SYS_ENTER, 0, 7, 1, 0x9001, 0x55, 0);
	pass(11 * MS);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

/*
 * Goroutines of the runtime may wait as long as the program lives: only a rule with their reason reports them.
 * Coroutines begin with a function of the runtime, too, but are the program's.
 */
static void those_of_the_runtime_are_not_meant(void)
{
	begin_rules("blocked>1ms");
	put(REC_SNAP_P_NAME, 0, 0, 0, P0, 0, 0);
	snap_waiting(2, "system goroutine wait", 0, 0x500000);
	put(REC_SNAP_P, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	pass(2 * MS);
	CHECK_EQ(n_facts, 0);
	end_rules();
	begin_rules("blocked>1ms", "blocked>1ms:system*");
	put(REC_SNAP_P_NAME, 0, 0, 0, P0, 0, 0);
	snap_waiting(2, "system goroutine wait", 0, 0x500000);
	snap_waiting(3, "sync", 0, 0x600000);
	put(REC_SNAP_P, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	pass(2 * MS);
	CHECK_EQ(n_facts, 2);
	CHECK_EQ(facts[0].g, 3);
	CHECK_STR(facts[1].trigger, "blocked>1ms:system*");
	end_rules();
}

/* Goroutine 1 waits @ns for @why, and then runs again. */
static void waits(const char *why, uint64_t stack, uint64_t ns)
{
	uint64_t at = block(reason_number(why), stack);

	go(REC_GO_START, 7, 3);
	seen();
	now = at + ns;
	go(REC_GO_READY, 7, 1);
	go(REC_GO_STOP, 7, 3);
	go(REC_GO_START, 7, 1);
}

/* @why: its wait of 2 ms, after twenty short ones, is a fact of a rule without REASON and FUNC or not. */
static void check_idle(const char *why, size_t expected)
{
	int i;

	begin_rules("blocked>1ms");
	snapshot();
	for (i = 0; i < 20; i++)
		waits(why, 0x44, 10 * US);
	waits(why, 0x44, 2 * MS);
	CHECK_EQ(n_facts, expected);
	end_rules();
}

static void what_is_idle_by_nature_is_not_meant(void)
{
	check_idle("sync", 1);
	check_idle("chan send", 1);
	check_idle("sleep", 0);
	check_idle("network", 0);
	/* a loop that waits for work; the first wait of a goroutine at a place is another matter */
	check_idle("chan receive", 0);
	check_idle("select", 0);
}

/* A request on goroutine 1: it comes back from the network, waits @ns in main.lookup, and waits for the next one. */
static uint64_t request(uint64_t ns)
{
	uint64_t from;

	waits("network", 0x55, 10 * US);
	from = now;
	waits("sync", 0x44, ns);
	block(reason_number("network"), 0x55);
	go(REC_GO_START, 7, 3);
	go(REC_GO_READY, 7, 1);
	go(REC_GO_STOP, 7, 3);
	go(REC_GO_START, 7, 1);
	seen();
	return from;
}

static void a_unit_is_what_lies_between_two_waits_elsewhere(void)
{
	begin_rules("unit:main.lookup>1ms", "unit:main.nothing>1us", "unit:main.lookup>1s");
	snapshot();
	request(100 * US);
	CHECK_EQ(n_facts, 0);
	request(2 * MS);
	CHECK_EQ(n_facts, 1);
	CHECK_EQ(facts[0].g, 1);
	CHECK_STR(facts[0].trigger, "unit:main.lookup>1ms");
	/* the time between two requests is none of them */
	waits("network", 0x55, 50 * MS);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

static void the_p99_of_units_needs_a_hundred(void)
{
	int i;

	begin_rules("unit-p99:main.lookup>1ms");
	snapshot();
	for (i = 0; i < 60; i++)
		request(3 * MS);
	CHECK_EQ(n_facts, 0);
	for (i = 0; i < 60; i++)
		request(3 * MS);
	pass(200 * (uint64_t)MS);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

static void some_facts_are_not_of_records(void)
{
	enum trigger_kind kind;

	for (kind = 0; kind < TRIGGER_KINDS; kind++)
		CHECK_EQ(trigger_is_of_records(kind), kind != TRIGGER_EXIT && kind != TRIGGER_CRASH &&
			 kind != TRIGGER_SIGNAL && kind != TRIGGER_SOCKET && kind != TRIGGER_OOM);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_wait_that_ends_is_found_at_its_end),
		UNIT(a_wait_without_an_end_is_found_as_time_passes_and_once),
		UNIT(a_wait_from_before_is_at_least_as_long),
		UNIT(reasons_and_functions_choose),
		UNIT(of_facts_close_together_one_is_passed_on),
		UNIT(waits_for_a_p_and_syscalls),
		UNIT(the_stopped_world),
		UNIT(levels_fire_when_they_are_passed),
		UNIT(a_life_is_from_the_first_to_the_last_moment),
		UNIT(regions_and_tasks_by_name),
		UNIT(logs_by_their_text),
		UNIT(a_fact_waits_for_a_stack_that_is_new),
		UNIT(waits_that_are_long_for_one_percent),
		UNIT(nothing_but_timers),
		UNIT(the_network_is_work),
		UNIT(c_code_is_work),
		UNIT(what_is_idle_by_nature_is_not_meant), UNIT(a_unit_is_what_lies_between_two_waits_elsewhere),
		UNIT(the_p99_of_units_needs_a_hundred), UNIT(those_of_the_runtime_are_not_meant),
		UNIT(some_facts_are_not_of_records),
		{0},
	});
}
