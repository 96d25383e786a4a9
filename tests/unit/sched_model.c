// SPDX-License-Identifier: Apache-2.0
/*
 * model: records in, events out. Each case is a short story (sched_story.h).
 */
#define _GNU_SOURCE
#include "sched_story.h"

#include <time.h>

static void what_did_not_move_has_the_state_of_the_snapshot(void)
{
	begin(27, 25);
	snapshot();
	check_story("-1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, -1:ProcStatus 1 2, "
		    "7:GoStatus 1 7 2, 7:ProcStatus 0 1", "7:ProcsChange 2", 0);
}

static void what_moved_has_the_state_of_its_records(void)
{
	begin(27, 25);
	go(REC_GO_PARK, 7, 1);
	proc(REC_P_STOP, 7, 0);
	go(REC_GO_READY, 8, 2);
	go(REC_GO_DEAD, 9, 3);
	snapshot();
	check_story("-1:GoStatus 1 -1 4, -1:GoStatus 2 -1 1, -1:ProcStatus 0 2, "
		    "-1:ProcStatus 1 2", "0:ProcStart 0 1, 0:GoCreate 0, 0:GoStart 0 1, 0:ProcsChange 2, "
		    "0:GoDestroy, 0:ProcStop", 0);
}

/* dropm leaves the P in a syscall that nobody is in; up to Go 1.21 all of it still fits. */
static void a_c_thread_left_its_p_before_the_attach(void)
{
	begin(21, 25);
	put(REC_SNAP_G, 2, 7, 1, 0x9001, 0, 0);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_P, 1, 9, 1, P1, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	go(REC_SYS_ENTER, 7, 1);
	put(REC_SYS_EXIT, 0, 7, 1, 0x9001, 0, P1);
	check_story("-1:ProcStatus 1 2, 7:GoStatus 1 7 2, 7:ProcStatus 0 1",
		    "7:ProcsChange 2, 7:GoSyscallBegin 1, 7:ProcSteal 0 2 7, 7:ProcStart 1 1, "
		    "7:GoSyscallEndBlocked, 7:GoStart 1 1", 0);
}

/* Its goroutine runs: the record of the end of the syscall was lost, or the P was read a moment earlier. */
static void a_p_in_a_syscall_whose_goroutine_runs(void)
{
	begin(27, 25);
	put(REC_SNAP_G, 2, 7, 1, 0x9001, 0, 0);
	put(REC_SNAP_P, 1, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	go(REC_GO_PARK, 7, 1);
	check_story("7:GoStatus 1 7 2, 7:ProcStatus 0 1", "7:ProcsChange 1, 7:GoBlock", 0);
}

/* Go 1.26+: it was read in a syscall, regained a P, and nothing has named it since. */
static void a_syscall_ends_while_states_are_read(void)
{
	begin(27, 25);
	put(REC_P_START, REC_PSTART_EXITSYSCALL, 7, 1, P1, 0, 0);
	put(REC_SNAP_G, 3, 7, 1, 0x9001, 0, 0);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	go(REC_GO_PARK, 7, 1);
	check_story("-1:ProcStatus 0 2, 7:GoStatus 1 7 2, 7:ProcStatus 1 1", "7:ProcsChange 2, 7:GoBlock", 0);
}

static void a_goroutines_day(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GO_CREATE, 7, 4);
	go(REC_GO_READY, 7, 2);
	go(REC_GO_PARK, 7, 1);
	go(REC_GO_START, 7, 4);
	go(REC_GO_STOP, 7, 4);
	go(REC_GO_START, 7, 2);
	go(REC_GO_DEAD, 7, 2);
	proc(REC_P_STOP, 7, 0);
	proc(REC_P_START, 8, 1);
	go(REC_GO_START, 8, 4);
	check_story(NULL, "7:ProcsChange 2, 7:GoCreate 4, 7:GoUnblock 2 1, 7:GoBlock, 7:GoStart 4 1, "
		    "7:GoStop, 7:GoStart 2 2, 7:GoDestroy, 7:ProcStop, 8:ProcStart 1 1, "
		    "8:GoStart 4 2", 0);
}

static void a_syscall_that_keeps_its_p(void)
{
	begin(27, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	put(REC_SYS_EXIT, 1, 7, 1, 0x9001, 0, P0);
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, 7:GoSyscallEnd", 0);
}

/* By a probe, and by the code that takes over from it, while the program traces itself. */
static void a_syscall_that_ends_in_two_records(void)
{
	begin(27, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	put(REC_SYS_EXIT, REC_EXIT_SAME_P, 7, 1, 0x9001, 0, P0);
	put(REC_SYS_EXIT, REC_EXIT_SAME_P | REC_EXIT_HOOK, 7, 1, 0x9001, 0, P0);
	go(REC_SYS_ENTER, 7, 1);
	put(REC_SYS_EXIT, REC_EXIT_SAME_P | REC_EXIT_HOOK, 7, 1, 0x9001, 0, P0);
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, 7:GoSyscallEnd, 7:GoSyscallBegin 2, "
		    "7:GoSyscallEnd", 0);
}

/* A sample of the thread comes between the two. Samples have batches of their own, without a thread. */
static void a_syscall_that_ends_in_two_records_with_a_sample_between(void)
{
	begin(27, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	put(REC_SYS_EXIT, REC_EXIT_SAME_P, 7, 1, 0x9001, 0, P0);
	put(REC_CPU_SAMPLE, 0, 7, 1, P0, 0x55, 0);
	put(REC_SYS_EXIT, REC_EXIT_SAME_P | REC_EXIT_HOOK, 7, 1, 0x9001, 0, P0);
	CHECK_EQ(repairs(), 0);
	end_story();
}

/* Two ends, @first and @second: the begin between them is missing. */
static void a_begin_is_missing(unsigned int first, unsigned int second)
{
	begin(27, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	put(REC_SYS_EXIT, (uint8_t)(REC_EXIT_SAME_P | first), 7, 1, 0x9001, 0, P0);
	put(REC_SYS_EXIT, (uint8_t)(REC_EXIT_SAME_P | second), 7, 1, 0x9001, 0, P0);
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, 7:GoSyscallEnd, 7:GoSyscallBegin 2, "
		    "7:GoSyscallEnd", 1);
}

/* A uprobe never makes the second record of one end, and code never makes both. */
static void a_syscall_whose_begin_is_missing(void)
{
	a_begin_is_missing(0, 0);
	a_begin_is_missing(REC_EXIT_HOOK, REC_EXIT_HOOK);
	a_begin_is_missing(REC_EXIT_HOOK, 0);
}

/* The goroutine had another record between the two: they are of two syscalls. */
static void a_syscall_whose_begin_is_missing_after_a_stop(void)
{
	begin(27, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	put(REC_SYS_EXIT, REC_EXIT_SAME_P, 7, 1, 0x9001, 0, P0);
	go(REC_GO_STOP, 7, 1);
	go(REC_GO_START, 7, 1);
	put(REC_SYS_EXIT, REC_EXIT_SAME_P | REC_EXIT_HOOK, 7, 1, 0x9001, 0, P0);
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, 7:GoSyscallEnd, 7:GoStop, "
		    "7:GoStart 1 1, 7:GoSyscallBegin 2, 7:GoSyscallEnd", 1);
}

static void a_syscall_whose_p_is_stolen(void)
{
	begin(27, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	proc(REC_P_STEAL, 8, 0);
	go(REC_SYS_EXIT_NOP, 7, 1);
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, 8:ProcSteal 0 2 7, "
		    "7:GoSyscallEndBlocked", 0);
}

/* Its own P came back: that is not the same as never lost. */
static void a_syscall_whose_p_was_away(void)
{
	begin(25, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	put(REC_SYS_EXIT, 0, 7, 1, 0x9001, 0, P0);
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, 7:ProcSteal 0 2 7, 7:ProcStart 0 3, "
		    "7:GoSyscallEndBlocked, 7:GoStart 1 1", 0);
}

static void coroutines(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GO_CREATE_BLOCKED, 7, 4);
	put(REC_GO_SWITCH, 0, 7, 1, 0x9001, 4, 0x9004);
	put(REC_GO_SWITCH_DEAD, 0, 7, 4, 0x9004, 1, 0x9001);
	go(REC_GO_DEAD, 7, 4);		/* gdestroy, of what has been said */
	check_story(NULL, "7:ProcsChange 2, 7:GoCreateBlocked 4, 7:GoSwitch 4 1, "
		    "7:GoSwitchDestroy 1 1", 0);
}

static void coroutines_as_go_1_22_says_it(void)
{
	begin(27, 22);
	snapshot();
	go(REC_GO_CREATE_BLOCKED, 7, 4);
	put(REC_GO_SWITCH, 0, 7, 1, 0x9001, 4, 0x9004);
	put(REC_GO_SWITCH_DEAD, 0, 7, 4, 0x9004, 1, 0x9001);
	go(REC_GO_DEAD, 7, 4);
	check_story(NULL, "7:ProcsChange 2, 7:GoCreate 4, 7:GoBlock, 7:GoStart 4 1, 7:GoUnblock 1 1, "
		    "7:GoDestroy, 7:GoStart 1 2", 0);
}

static void each_generation_states_all_and_numbers_anew(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GO_PARK, 7, 1);
	go(REC_GO_READY, 7, 1);
	now += GEN_NS;
	go(REC_GO_START, 7, 1);
	check_story("-1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, -1:ProcStatus 1 2, "
		    "7:GoStatus 1 7 2, 7:ProcStatus 0 1, "
		    "/ -1:GoStatus 1 -1 1, -1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, "
		    "-1:ProcStatus 1 2, 7:ProcStatus 0 1",
		    "7:ProcsChange 2, 7:GoBlock, 7:GoUnblock 1 1, / 7:GoStart 1 1, "
		    "7:ProcsChange 2", 0);
}

static void the_world_stops_and_no_generation_begins(void)
{
	begin(27, 25);
	snapshot();
	put(REC_STW_BEGIN, 1, 7, 0, 0, 0, 0);
	now += GEN_NS;
	go(REC_GO_READY, 7, 2);
	put(REC_STW_END, 0, 7, 0, 0, 0, 0);
	check_story(NULL, "7:ProcsChange 2, 7:STWBegin, 7:GoUnblock 2 1, 7:STWEnd", 0);
}

/* procresize moves the goroutine that calls it to another P. */
static void gomaxprocs_changes_under_a_goroutine(void)
{
	begin(27, 25);
	snapshot();
	put(REC_PROCS, 0, 7, 1, 0, 0, 0);
	put(REC_P_START, REC_PSTART_PROCRESIZE, 7, 1, P1, 0, 0);
	check_story(NULL, "7:ProcsChange 2, 7:ProcsChange 1, 7:GoStop, 7:ProcStop, 7:ProcStart 1 1, "
		    "7:GoStart 1 1", 0);
}

static void a_c_thread_comes_and_goes(void)
{
	begin(27, 25);
	snapshot();
	go(REC_EXTRA_ENTER, 9, 17);
	put(REC_P_START, REC_PSTART_EXITSYSCALL, 9, 1, P1, 0, 0);
	go(REC_SYS_ENTER, 9, 17);
	go(REC_EXTRA_LEAVE, 9, 17);
	go(REC_EXTRA_ENTER, 9, 17);
	CHECK_EQ(model_counts(model)->goroutines, 4);	/* the same one, twice */
	check_story(NULL, "7:ProcsChange 2, 9:GoCreateSyscall 17, 9:ProcStart 1 1, "
		    "9:GoSyscallEndBlocked, 9:GoStart 17 1, 9:GoSyscallBegin 2, "
		    "9:ProcSteal 1 3 9, 9:GoDestroySyscall, 9:GoCreateSyscall 17", 0);
}

/* --- what was lost --- */

static void a_start_without_its_wake_up(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GO_PARK, 7, 1);
	go(REC_GO_START, 7, 2);
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:GoUnblock 2 1, 7:GoStart 2 2", 1);
}

static void a_start_where_another_still_runs(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GO_START, 7, 3);
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:GoStart 3 1", 1);
}

static void a_wake_up_of_one_that_runs(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GO_READY, 8, 1);
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 8:GoUnblock 1 1", 1);
}

static void a_p_given_up_by_one_that_runs(void)
{
	begin(27, 25);
	snapshot();
	proc(REC_P_STOP, 7, 0);
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:ProcStop", 1);
}

static void a_goroutine_nobody_announced(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GO_READY, 7, 50);
	check_story(NULL, "7:ProcsChange 2, 7:GoUnblock 50 1", 1);
}

/* A reader takes no status of a new goroutine after the first generation. */
static void or_after_the_first_generation(void)
{
	begin(27, 25);
	snapshot();
	now += GEN_NS;
	go(REC_GO_READY, 7, 50);
	check_story(NULL, "7:ProcsChange 2, / 7:GoCreateBlocked 50, 7:GoUnblock 50 1, 7:ProcsChange 2", 1);
}

static void nor_can_a_thread_in_a_syscall_create_it(void)
{
	begin(27, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	now += GEN_NS;
	go(REC_GO_READY, 7, 50);
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, / 7:GoSyscallEnd, "
		    "7:GoCreateBlocked 50, 7:GoUnblock 50 1, 7:ProcsChange 2", 2);
}

static void a_start_without_a_p(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GO_START, 8, 3);
	check_story(NULL, "7:ProcsChange 2, 8:ProcStart 1 1, 8:GoStart 3 1", 1);
}

static void with_all_ps_busy_it_gets_that_of_a_thread_that_runs_nothing(void)
{
	begin(27, 25);
	snapshot();
	proc(REC_P_START, 9, 1);
	go(REC_GO_START, 8, 3);
	check_story("-1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, -1:ProcStatus 1 2, 7:GoStatus 1 7 2, "
		    "7:ProcStatus 0 1",
		    "7:ProcsChange 2, 9:ProcStart 1 1, 9:ProcStop, 8:ProcStart 1 2, 8:GoStart 3 1", 2);
}

static void who_stopped_the_world_parks(void)
{
	begin(27, 25);
	snapshot();
	put(REC_STW_BEGIN, 1, 7, 0, 0, 0, 0);
	go(REC_GO_PARK, 7, 1);
	check_story(NULL, "7:ProcsChange 2, 7:STWBegin, 7:STWEnd, 7:GoBlock", 1);
}

static void the_world_stops_twice(void)
{
	begin(27, 25);
	snapshot();
	put(REC_STW_BEGIN, 1, 7, 0, 0, 0, 0);
	put(REC_STW_BEGIN, 2, 7, 0, 0, 0, 0);
	put(REC_STW_END, 0, 7, 0, 0, 0, 0);
	check_story(NULL, "7:ProcsChange 2, 7:STWBegin, 7:STWEnd, 7:STWBegin, 7:STWEnd", 1);
}

/* The program is stopped, or a debugger holds the thread that stopped the world: nothing is missing. */
static void the_world_stands_still_for_long(void)
{
	begin(27, 25);
	snapshot();
	put(REC_STW_BEGIN, 1, 7, 0, 0, 0, 0);
	now += 10 * GEN_NS;
	go(REC_GO_READY, 7, 2);
	put(REC_STW_END, 0, 7, 0, 0, 0, 0);
	go(REC_GO_PARK, 7, 1);
	check_story(NULL, "7:ProcsChange 2, 7:STWBegin, 7:GoUnblock 2 1, 7:STWEnd, / 7:GoBlock", 0);
}

static void the_world_stands_still_too_long_after_a_loss(void)
{
	begin(27, 25);
	snapshot();
	put(REC_STW_BEGIN, 1, 7, 0, 0, 0, 0);
	put(REC_LOST, 0, 0, 1, now, now, 1);
	now += 10 * GEN_NS;
	go(REC_GO_READY, 8, 2);
	check_story(NULL, "7:ProcsChange 2, 7:STWBegin, 7:STWEnd, / 7:ProcsChange 2, 8:GoUnblock 2 1", 1);
}

static void a_switch_to_one_that_can_run(void)
{
	begin(27, 25);
	snapshot();
	put(REC_GO_SWITCH, 0, 7, 1, 0x9001, 3, 0x9003);
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:GoStart 3 1", 1);
}

static void a_switch_to_itself_or_to_nobody(void)
{
	begin(27, 25);
	snapshot();
	put(REC_GO_SWITCH, 0, 7, 1, 0x9001, 1, 0x9001);
	put(REC_GO_SWITCH, 0, 7, 1, 0x9001, 0, 0);
	check_story(NULL, "7:ProcsChange 2", 2);
}

/* The next one leaves its syscall with the only P, which the one that switches had. */
static void a_switch_to_one_that_takes_the_p(void)
{
	begin(25, 22);
	put(REC_SNAP_G, 3, 9, 3, 0x9003, 0, 0);
	put(REC_SNAP_G, 2, 7, 1, 0x9001, 0, 0);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	put(REC_GO_SWITCH, 0, 7, 1, 0x9001, 3, 0x9003);
	CHECK(repairs() > 0);
	check_story(NULL, "7:ProcsChange 1, 9:GoSyscallEndBlocked, 7:GoBlock, 7:ProcStop, 9:ProcStart 0 1, "
		    "9:GoStart 3 1, 9:GoBlock, 7:GoUnblock 1 1, 9:ProcStop, 7:ProcStart 0 2, "
		    "7:GoStart 1 2, 7:GoUnblock 3 2, 7:GoBlock, 7:GoStart 3 3", repairs());
}

static void a_coroutine_dies_inside_an_assist(void)
{
	begin(27, 25);
	snapshot();
	put(REC_ASSIST_BEGIN, 0, 7, 1, 100, 0, 0);
	put(REC_GO_SWITCH_DEAD, 0, 7, 1, 0x9001, 2, 0x9002);
	check_story(NULL, "7:ProcsChange 2, 7:GCMarkAssistBegin, 7:GCMarkAssistEnd, "
		    "7:GoSwitchDestroy 2 1", 0);
}

static void a_goroutine_without_an_id_is_left_out(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GO_PARK, 7, 0);
	check_story(NULL, "7:ProcsChange 2", 1);
}

/*
 * A reader refuses the P of the stand-in where thread 0 has another one. A thread that exits gives
 * its P away without an id of its own.
 */
static void a_thread_without_an_id_takes_nothing(void)
{
	begin(27, 25);
	put(REC_SNAP_P_NAME, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_P_NAME, 0, 0, 1, P1, 0, 0);
	put(REC_SNAP_P, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_P, 0, 0, 1, P1, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	proc(REC_P_START, 0, 0);
	go(REC_GO_START, 0, 3);
	proc(REC_P_START, 7, 1);
	proc(REC_P_STOP, 0, 1);
	check_story(NULL, "0:ProcStart 0 1, 0:GoCreate 0, 0:GoStart 0 1, 0:ProcsChange 2, "
		    "0:GoDestroy, 0:ProcStop, 7:ProcStart 1 1, 7:ProcStop", 4);
}

static void before_the_trace_begins_nothing_is_a_repair(void)
{
	begin(27, 25);
	go(REC_GO_START, 7, 1);
	go(REC_GO_START, 7, 2);		/* 1 has left, unseen */
	proc(REC_P_START, 7, 0);
	proc(REC_P_START, 7, 1);
	snapshot();
	check_story("-1:GoStatus 1 -1 4, -1:GoStatus 3 -1 1, -1:ProcStatus 0 2, "
		    "7:GoStatus 2 7 2, 7:ProcStatus 1 1", "7:ProcsChange 2", 0);
}

static void without_a_snapshot_there_is_no_trace(void)
{
	begin(27, 25);
	go(REC_GO_PARK, 7, 1);
	CHECK(!model_started(model));
	check_story("", "", 0);
}

/* --- memory --- */

#define HEAP 0xc000000000ULL
enum { PAGE = 8192, STACK_UNIT = 2048 };

static void memory(uint8_t kind, uint64_t addr, uint64_t size, uint16_t class)
{
	struct rec r = { .time = now, .tid = 9, .kind = kind, .flags = class, .id = addr,
			 .ptr = size };
	struct error err = {0};

	now += 10;
	CHECK_EQ(model_record(model, &r, &err), 0);
}

/* A record since the attach knows better than what was found, whichever came first. */
static void memory_that_is_there_comes_and_goes(void)
{
	begin(27, 25);
	memory(REC_SPAN_ALLOC, HEAP + 4 * PAGE, 2, 10);
	memory(REC_SPAN_ALLOC, HEAP + 8 * PAGE, 1, 1);
	memory(REC_SPAN_FREE, HEAP + 8 * PAGE, 0, 0);
	memory(REC_GSTACK_FREE, HEAP + 7 * STACK_UNIT, 0, 0);
	memory(REC_SNAP_MEMORY, HEAP, 0, 0);
	memory(REC_SNAP_SPAN, HEAP + 4 * PAGE, 1, 44);
	memory(REC_SNAP_SPAN, HEAP + 8 * PAGE, 3, 6);
	memory(REC_SNAP_GSTACK, HEAP + 3 * STACK_UNIT, 4096, 0);
	memory(REC_SNAP_GSTACK, HEAP + 7 * STACK_UNIT, 8192, 0);
	snapshot();
	memory(REC_SPAN_FREE, HEAP + 4 * PAGE, 0, 0);
	memory(REC_SPAN_ALLOC, HEAP + 4 * PAGE, 1, 136);
	memory(REC_GSTACK_ALLOC, HEAP + 7 * STACK_UNIT, 32768, 0);
	memory(REC_GSTACK_FREE, HEAP + 3 * STACK_UNIT, 0, 0);
	check_story(NULL, "7:ProcsChange 2, 9:Span 4 2 10, 9:GoroutineStack 3 13, 9:SpanFree 4, "
		    "9:SpanAlloc 4 1 136, 9:GoroutineStackAlloc 7 16, 9:GoroutineStackFree 3", 0);
}

/*
 * Records of a failed attempt to read all states say nothing about the present memory: the probes were
 * away meanwhile.
 */
static void memory_of_an_attempt_that_failed_is_forgotten(void)
{
	begin(27, 25);
	memory(REC_SNAP_MEMORY, HEAP, 0, 0);
	snapshot();
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	memory(REC_SPAN_ALLOC, HEAP + 4 * PAGE, 1, 10);
	memory(REC_SPAN_FREE, HEAP + 8 * PAGE, 0, 0);
	memory(REC_GSTACK_ALLOC, HEAP + 7 * STACK_UNIT, 4096, 0);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	memory(REC_SNAP_MEMORY, HEAP, 0, 0);
	memory(REC_SNAP_SPAN, HEAP + 8 * PAGE, 1, 10);
	snapshot();
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:ProcStop, / 7:ProcStart 0 1, 7:ProcStop, 7:ProcStart 0 2, "
		    "7:GoUnblock 1 1, 7:GoStart 1 2, 7:ProcsChange 2, 9:Span 8 1 10", 0);
}

/* A launched program has no snapshot: ids count from the arena of the first address. */
static void memory_of_a_program_from_its_start(void)
{
	begin(27, 25);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	memory(REC_SPAN_ALLOC, HEAP + 5 * PAGE, 1, 1);
	memory(REC_SPAN_ALLOC, HEAP - 2 * PAGE, 1, 1);
	check_story(NULL, "9:SpanAlloc 5 1 1, 9:SpanAlloc 2251799813685246 1 1", 0);
}

static void memory_is_unknown_to_readers_of_go_1_22(void)
{
	begin(27, 22);
	memory(REC_SNAP_MEMORY, HEAP, 0, 0);
	memory(REC_SNAP_SPAN, HEAP, 1, 44);
	snapshot();
	memory(REC_SPAN_FREE, HEAP, 0, 0);
	check_story(NULL, "7:ProcsChange 2", 0);
}

/* Sweeping frees spans: that is no other allocation. */
static void a_sweep_goes_on_when_a_span_is_freed(void)
{
	begin(27, 25);
	memory(REC_SNAP_MEMORY, HEAP, 0, 0);
	snapshot();
	put(REC_SWEEP_SPAN, REC_SWEEP_CACHE, 7, PAGE, 0, 0, 0);
	put(REC_SPAN_FREE, 0, 7, HEAP, 0, 0, 0);
	put(REC_SWEEP_SPAN, REC_SWEEP_CACHE, 7, PAGE, 0, 0, 0);
	go(REC_GO_PARK, 7, 1);
	check_story(NULL, "7:ProcsChange 2, 7:GCSweepBegin, 7:SpanFree 0, 7:GCSweepEnd 16384 0, "
		    "7:GoBlock", 0);
}

/* The records of the first thread that follow were lost. */
static void a_p_is_taken_from_a_thread_that_sweeps(void)
{
	begin(27, 25);
	snapshot();
	proc(REC_P_START, 9, 1);
	put(REC_SWEEP_SPAN, REC_SWEEP_CACHE, 9, PAGE, 0, 0, 0);
	proc(REC_P_START, 8, 1);
	put(REC_SWEEP_SPAN, REC_SWEEP_CACHE, 8, PAGE, 0, 0, 0);
	proc(REC_P_STOP, 8, 1);
	check_story(NULL, "7:ProcsChange 2, 9:ProcStart 1 1, 9:GCSweepBegin, 9:GCSweepEnd 8192 0, 9:ProcStop, "
		    "8:ProcStart 1 2, 8:GCSweepBegin, 8:GCSweepEnd 8192 0, 8:ProcStop", 1);
}

/* The record of the end of its syscall was lost. */
static void a_p_is_stolen_from_a_thread_that_sweeps(void)
{
	begin(27, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	put(REC_SWEEP_SPAN, REC_SWEEP_CACHE, 7, PAGE, 0, 0, 0);
	put(REC_P_STEAL, 0, 9, 0, P0, 0, 7);
	proc(REC_P_START, 9, 0);
	put(REC_SWEEP_SPAN, REC_SWEEP_CACHE, 9, PAGE, 0, 0, 0);
	proc(REC_P_STOP, 9, 0);
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, 7:GCSweepBegin, 7:GCSweepEnd 8192 0, 9:ProcSteal 0 2 7, "
		    "9:ProcStart 0 3, 9:GCSweepBegin, 9:GCSweepEnd 8192 0, 9:ProcStop", 0);
}

/* The record of a change to more was lost. */
static void who_sweeps_has_a_p_that_counts(void)
{
	begin(27, 25);
	snapshot();
	put(REC_PROCS, 0, 7, 1, 0, 0, 0);
	proc(REC_P_START, 9, 1);
	put(REC_SWEEP_SPAN, REC_SWEEP_CACHE, 9, PAGE, 0, 0, 0);
	proc(REC_P_STOP, 9, 1);
	check_story(NULL, "7:ProcsChange 2, 7:ProcsChange 1, 9:ProcStart 1 1, 7:ProcsChange 2, 9:GCSweepBegin, "
		    "9:GCSweepEnd 8192 0, 9:ProcStop", 1);
}

/* The record of its end was lost. */
static void a_sweep_ends_before_its_p_goes(void)
{
	begin(27, 25);
	snapshot();
	proc(REC_P_START, 9, 1);
	put(REC_SWEEP_SPAN, REC_SWEEP_CACHE, 9, PAGE, 0, 0, 0);
	put(REC_PROCS, 0, 7, 1, 0, 0, 0);
	check_story(NULL, "7:ProcsChange 2, 9:ProcStart 1 1, 9:GCSweepBegin, 9:GCSweepEnd 8192 0, 7:ProcsChange 1", 0);
}

static void a_sweep_nowhere_is_left_out(void)
{
	begin(27, 25);
	snapshot();
	put(REC_SWEEP_SPAN, 0, 7, PAGE, 0, 0, 0);
	put(REC_SWEEP_SPAN, 0, 7, PAGE, 0, 0, 0);
	check_story(NULL, "7:ProcsChange 2", 2);
}

/* CPU time of records that change nothing, in a program of many threads of which none runs a goroutine. */
static uint64_t time_of_records(bool note_waits)
{
	enum { THREADS = 20000, RECORDS = 20000 };
	struct timespec from, to;
	uint32_t i;

	begin_with_notes(25, 25);
	snapshot();
	for (i = 0; i < THREADS; i++, now -= 10)
		put(REC_P_HANDOFF, 0, 1000 + i, 1, P1, 0, 0);
	go(REC_GO_PARK, 7, 1);
	if (note_waits)
		put(REC_LOST, 0, 0, 1, now, now, 12);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	for (i = 0; i < RECORDS; i++, now -= 10)
		put(REC_P_HANDOFF, 0, 1000, 1, P1, 0, 0);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	CHECK_EQ(model_counts(model)->notes, note_waits);
	end_story();
	return (uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec);
}

static void a_note_that_waits_makes_no_record_dear(void)
{
	uint64_t without = time_of_records(false), with = time_of_records(true);

	printf("# %llu ns with a note, %llu without\n", (unsigned long long)with, (unsigned long long)without);
	CHECK(with < 20 * without);	/* one look at all threads for each record is 1,000 times as much */
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(what_did_not_move_has_the_state_of_the_snapshot),
		UNIT(what_moved_has_the_state_of_its_records),
		UNIT(a_c_thread_left_its_p_before_the_attach),
		UNIT(a_p_in_a_syscall_whose_goroutine_runs),
		UNIT(a_syscall_ends_while_states_are_read),
		UNIT(a_goroutines_day),
		UNIT(a_syscall_that_keeps_its_p),
		UNIT(a_syscall_whose_p_is_stolen),
		UNIT(a_syscall_whose_p_was_away),
		UNIT(a_syscall_that_ends_in_two_records),
		UNIT(a_syscall_that_ends_in_two_records_with_a_sample_between),
		UNIT(a_syscall_whose_begin_is_missing),
		UNIT(a_syscall_whose_begin_is_missing_after_a_stop),
		UNIT(coroutines),
		UNIT(coroutines_as_go_1_22_says_it),
		UNIT(each_generation_states_all_and_numbers_anew),
		UNIT(the_world_stops_and_no_generation_begins),
		UNIT(gomaxprocs_changes_under_a_goroutine),
		UNIT(a_c_thread_comes_and_goes),
		UNIT(a_start_without_its_wake_up),
		UNIT(a_start_where_another_still_runs),
		UNIT(a_wake_up_of_one_that_runs),
		UNIT(a_p_given_up_by_one_that_runs),
		UNIT(a_goroutine_nobody_announced),
		UNIT(or_after_the_first_generation),
		UNIT(nor_can_a_thread_in_a_syscall_create_it),
		UNIT(a_start_without_a_p),
		UNIT(with_all_ps_busy_it_gets_that_of_a_thread_that_runs_nothing),
		UNIT(who_stopped_the_world_parks),
		UNIT(the_world_stops_twice),
		UNIT(the_world_stands_still_for_long),
		UNIT(the_world_stands_still_too_long_after_a_loss),
		UNIT(a_switch_to_one_that_can_run),
		UNIT(a_switch_to_itself_or_to_nobody),
		UNIT(a_switch_to_one_that_takes_the_p),
		UNIT(a_coroutine_dies_inside_an_assist),
		UNIT(a_goroutine_without_an_id_is_left_out),
		UNIT(a_thread_without_an_id_takes_nothing),
		UNIT(before_the_trace_begins_nothing_is_a_repair),
		UNIT(without_a_snapshot_there_is_no_trace),
		UNIT(memory_that_is_there_comes_and_goes),
		UNIT(memory_of_an_attempt_that_failed_is_forgotten),
		UNIT(memory_of_a_program_from_its_start),
		UNIT(memory_is_unknown_to_readers_of_go_1_22),
		UNIT(a_sweep_goes_on_when_a_span_is_freed),
		UNIT(a_p_is_taken_from_a_thread_that_sweeps),
		UNIT(a_p_is_stolen_from_a_thread_that_sweeps),
		UNIT(who_sweeps_has_a_p_that_counts),
		UNIT(a_sweep_ends_before_its_p_goes),
		UNIT(a_sweep_nowhere_is_left_out),
		UNIT(a_note_that_waits_makes_no_record_dear),
		{0} });
}
