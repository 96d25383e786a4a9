// SPDX-License-Identifier: Apache-2.0
/*
 * How long a trace is, and how many generations it has: it lasts until the end of the
 * recording, and what it states at the begin of a generation stays in proportion to
 * what happens in it.
 */
#define _GNU_SOURCE
#include "sched_story.h"

static const char stated[] = "-1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, -1:ProcStatus 1 2, "
			     "7:GoStatus 1 7 2, 7:ProcStatus 0 1";

/* @text twice, as two generations have it. */
static const char *twice(const char *text)
{
	static char both[512];

	snprintf(both, sizeof(both), "%s, / %s", text, text);
	return both;
}

static void a_silent_program_is_stated_again_at_the_end(void)
{
	begin(27, 25);
	snapshot();
	now += 500;
	put(REC_CAPTURE_END, 0, 0, 0, 0, 0, 0);
	CHECK_EQ(model_counts(model)->begin, 100070);
	check_story(twice(stated), "7:ProcsChange 2, / 7:ProcsChange 2", 0);
}

/* The file was cut: until then all records are known. */
static void without_a_last_record_the_trace_lasts_as_long_as_it_is_known(void)
{
	struct error err;

	begin(27, 25);
	snapshot();
	CHECK_EQ(model_finish(model, now + 5000, &err), 0);
	CHECK_EQ(model_counts(model)->end, now + 5000);
	check_text(fd, true, twice(stated));
	end_story();
}

/* It has ended by its last record; the end of the recording was found to be before that. */
static void the_last_record_may_be_later(void)
{
	begin(27, 25);
	snapshot();
	put(REC_CAPTURE_END, 0, 0, 0, 0, 0, 0);
	go(REC_GO_PARK, 7, 1);
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock", 0);
}

static void the_recording_ends_in_a_gap(void)
{
	struct rec gap = { .kind = REC_GAP, .sub = REC_GAP_BUDGET };
	struct error err;

	begin(27, 25);
	snapshot();
	gap.time = now;
	CHECK_EQ(model_record(model, &gap, &err), 0);
	now += 5000;
	put(REC_CAPTURE_END, 0, 0, 0, 0, 0, 0);
	check_story("-1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, -1:ProcStatus 1 2, 7:GoStatus 1 7 2, "
		    "7:ProcStatus 0 1, / -1:GoStatus 1 -1 4, -1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, "
		    "-1:ProcStatus 0 2, -1:ProcStatus 1 2",
		    "7:ProcsChange 2, 7:GoBlock, 7:ProcStop", 0);
}

/* Nobody runs: the page of mutator utilization needs GOMAXPROCS all the same. */
static void a_stand_in_says_what_gomaxprocs_is(void)
{
	begin(27, 25);
	put(REC_SNAP_G, 4, 0, 2, 0x9002, 0, 0);
	put(REC_SNAP_P, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_P, 0, 0, 1, P1, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	now += 5000;
	put(REC_CAPTURE_END, 0, 0, 0, 0, 0, 0);
	CHECK_EQ(model_counts(model)->goroutines, 1);
	CHECK_EQ(model_counts(model)->max_live, 1);
	CHECK_EQ(model_counts(model)->stand_ins, 0);
	check_story(twice("-1:GoStatus 2 -1 4, -1:ProcStatus 0 2, -1:ProcStatus 1 2"),
		    "0:ProcStart 0 1, 0:GoCreate 0, 0:GoStart 0 1, 0:ProcsChange 2, 0:GoDestroy, "
		    "0:ProcStop", 0);
}

/* The only P belongs to a thread that looks for work. */
static void a_stand_in_takes_a_thread_without_a_goroutine(void)
{
	begin(27, 25);
	put(REC_SNAP_G, 4, 0, 2, 0x9002, 0, 0);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	now += 5000;
	put(REC_CAPTURE_END, 0, 0, 0, 0, 0, 0);
	CHECK_EQ(model_counts(model)->goroutines, 1);
	check_story(twice("-1:GoStatus 2 -1 4, 7:ProcStatus 0 1"),
		    "7:GoCreate 0, 7:GoStart 0 1, 7:ProcsChange 1, 7:GoDestroy", 0);
}

static void a_thread_in_a_syscall_can_say_it(void)
{
	begin(27, 25);
	put(REC_SNAP_G, 3, 7, 1, 0x9001, 0, 0);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	check_story(NULL, "7:ProcsChange 1", 0);
}

/* What is in the trace is what lives when it begins, and what comes later. */
static void the_dead_before_the_begin_do_not_count(void)
{
	begin(27, 25);
	go(REC_GO_CREATE, 7, 50);
	go(REC_GO_DEAD, 8, 50);
	snapshot();
	CHECK_EQ(model_counts(model)->goroutines, 3);
	go(REC_GO_CREATE, 7, 51);
	CHECK_EQ(model_counts(model)->goroutines, 4);
	CHECK_EQ(model_counts(model)->max_live, 4);
	check_story(NULL, "7:ProcsChange 2, 7:GoCreate 51", 0);
}

/* Their statuses are larger than a generation may otherwise get. */
static void many_goroutines_do_not_make_each_event_a_generation(void)
{
	enum { MANY = 200000, WAKES = 1000 };
	uint64_t i, one;
	struct error err;

	begin(27, 25);
	for (i = 100; i < 100 + MANY; i++)
		put(REC_SNAP_G, 4, 0, i, 0x100000 + i * 8, 0, 0);
	snapshot();
	for (i = 0; i < WAKES; i++)
		go(REC_GO_READY, 7, 100 + i);
	now += 3 * GEN_NS;	/* below 4 of them, as 200,000 have it */
	go(REC_GO_READY, 7, 100 + i);
	CHECK_EQ(v2_sink_counts(trace)->generations, 3);
	CHECK_EQ(model_finish(model, 0, &err), 0);
	one = v2_sink_counts(trace)->bytes / v2_sink_counts(trace)->generations;
	CHECK(one / MANY <= 40);
	end_story();
}

/* One generation each; the clock goes back by an hour, then by what reading it may take. */
static void a_wall_clock_that_is_set_back_is_a_repair(void)
{
	const uint64_t wall = 1700000000ULL * 1000000000;

	begin(27, 25);
	model_clock(model, now, wall);
	snapshot();
	now += GEN_NS;
	go(REC_GO_READY, 7, 2);
	CHECK_EQ(repairs(), 0);
	model_clock(model, now, wall - 300000000);
	now += GEN_NS;
	go(REC_GO_CREATE, 7, 4);
	CHECK_EQ(repairs(), 0);
	model_clock(model, now, wall - 3600ULL * 1000000000);
	now += GEN_NS;
	go(REC_GO_PARK, 7, 1);
	CHECK_EQ(model_counts(model)->repairs[REPAIR_CLOCK], 1);
	model_clock(model, now, wall + 3600ULL * 1000000000);
	check_story(NULL, "7:ProcsChange 2, / 7:GoUnblock 2 1, 7:ProcsChange 2, / 7:GoCreate 4, "
		    "7:ProcsChange 2, / 7:GoBlock", 1);
}

static bool says(const char *text)
{
	static char bytes[4096];
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);

	return n > 0 && memmem(bytes, (size_t)n, text, strlen(text));
}

/* Times in notes count from the begin of the trace, which is not known yet. */
static void what_was_lost_before_the_begin_has_no_time(void)
{
	struct error err;

	begin_with_notes(27, 25);
	put(REC_LOST, 0, 0, 1, now, now + 5, 12);
	snapshot();
	CHECK_EQ(model_finish(model, 0, &err), 0);
	CHECK(says("lost 12 records on CPU 1 before the trace begins"));
	end_story();
}

/* A program that sleeps: goroutine 2 has @g_status, on thread @tid if it has one, and there is one P. */
static void lose_while_nobody_runs(uint32_t tid, uint8_t g_status)
{
	begin_with_notes(27, 25);
	put(REC_SNAP_G, g_status, tid, 2, 0x9002, 0, 0);
	put(REC_SNAP_P, 0, tid, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	put(REC_LOST, 0, 0, 1, now, now + 5, 12);
	CHECK_EQ(model_counts(model)->notes, 1);
}

#define SAYS_WHO_AND_WHAT "0:UserLog 0, 0:UserLog 0"

/* One stand-in at the begin of the generation, for GOMAXPROCS, and one at its end. */
static void a_stand_in_writes_the_notes_of_an_idle_program(void)
{
	lose_while_nobody_runs(0, 4);
	CHECK_EQ(model_counts(model)->goroutines, 1);
	check_story(NULL, "0:ProcStart 0 1, 0:GoCreate 0, 0:GoStart 0 1, 0:ProcsChange 1, 0:UserLog 0, "
		    "0:GoDestroy, 0:ProcStop, 0:ProcStart 0 2, 0:GoCreate 0, 0:GoStart 0 1, "
		    SAYS_WHO_AND_WHAT ", 0:GoDestroy, 0:ProcStop", 0);
}

static void a_goroutine_in_a_syscall_has_the_notes(void)
{
	lose_while_nobody_runs(7, 3);
	check_story(NULL, "7:ProcsChange 1, 7:UserLog 0", 0);
}

/* Goroutine 1 ran before the gap and has the note of it; nobody runs in it. */
static void a_stand_in_writes_the_notes_of_a_gap_that_stays_open(void)
{
	begin_with_notes(27, 25);
	snapshot();
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	put(REC_LOST, 0, 0, 1, now, now + 5, 12);
	check_story(NULL, "7:ProcsChange 2, 7:UserLog 0, 7:GoBlock, 7:ProcStop, / "
		    "0:ProcStart 0 1, 0:GoCreate 0, 0:GoStart 0 1, " SAYS_WHO_AND_WHAT
		    ", 0:GoDestroy, 0:ProcStop", 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_silent_program_is_stated_again_at_the_end),
		UNIT(without_a_last_record_the_trace_lasts_as_long_as_it_is_known),
		UNIT(the_last_record_may_be_later),
		UNIT(the_recording_ends_in_a_gap),
		UNIT(a_stand_in_says_what_gomaxprocs_is),
		UNIT(a_stand_in_takes_a_thread_without_a_goroutine),
		UNIT(a_thread_in_a_syscall_can_say_it),
		UNIT(the_dead_before_the_begin_do_not_count),
		UNIT(many_goroutines_do_not_make_each_event_a_generation),
		UNIT(a_wall_clock_that_is_set_back_is_a_repair),
		UNIT(what_was_lost_before_the_begin_has_no_time),
		UNIT(a_stand_in_writes_the_notes_of_an_idle_program),
		UNIT(a_goroutine_in_a_syscall_has_the_notes),
		UNIT(a_stand_in_writes_the_notes_of_a_gap_that_stays_open),
		{0} });
}
