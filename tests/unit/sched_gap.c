// SPDX-License-Identifier: Apache-2.0
/*
 * gap: a time of which nothing is known. At its begin all that runs is put to
 * rest, at its end all are led to the states that were read, by steps that a
 * reader takes, and none of it is a repair.
 */
#define _GNU_SOURCE
#include "sched_story.h"

static void gap(void)
{
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
}

static void resume(void)
{
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
}

/* A goroutine as the snapshot has it: runtime's status, thread */
static void found(uint64_t goid, uint8_t status, uint32_t tid)
{
	put(REC_SNAP_G, status, tid, goid, 0x9000 + goid, 0, 0x400000);
}

static void found_p(uint64_t id, uint32_t tid)
{
	put(REC_SNAP_P, 0, tid, id, id ? P1 : P0, 0, 0);
}

enum { RUNNABLE = 1, RUNNING = 2, SYSCALL = 3, WAITING = 4 };

static void end_of_gap(void)
{
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
}

/* snapshot() without its names and its end: the same states again. */
static void found_all(void)
{
	found(1, RUNNING, 7);
	found(2, WAITING, 0);
	found(3, RUNNABLE, 0);
	found_p(0, 7);
	found_p(1, 0);
}

static void nothing_changed(void)
{
	begin(27, 25);
	snapshot();
	gap();
	resume();
	found_all();
	end_of_gap();
	check_story("-1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, -1:ProcStatus 1 2, 7:GoStatus 1 7 2, "
		    "7:ProcStatus 0 1, / -1:GoStatus 1 -1 4, -1:GoStatus 2 -1 4, "
		    "-1:GoStatus 3 -1 1, -1:ProcStatus 0 2, -1:ProcStatus 1 2",
		    "7:ProcsChange 2, 7:GoBlock, 7:ProcStop, / 7:ProcStart 0 1, 7:ProcStop, "
		    "7:ProcStart 0 2, 7:GoUnblock 1 1, 7:GoStart 1 2, 7:ProcsChange 2", 0);
}

/* A record that came twice: the generation that the first one began goes on. */
static void the_end_of_a_gap_twice(void)
{
	begin(27, 25);
	snapshot();
	gap();
	resume();
	found_all();
	end_of_gap();
	end_of_gap();
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:ProcStop, / 7:ProcStart 0 1, 7:ProcStop, "
		    "7:ProcStart 0 2, 7:GoUnblock 1 1, 7:GoStart 1 2, 7:ProcsChange 2", 0);
}

/* 1 parks, 2 runs elsewhere, 3 has ended, 4 and 5 are new, one of them in a syscall. */
static void everything_changed(void)
{
	begin(27, 25);
	snapshot();
	gap();
	resume();
	found(1, WAITING, 0);
	found(2, RUNNING, 8);
	found(4, WAITING, 0);
	found(5, SYSCALL, 9);
	found_p(0, 0);
	found_p(1, 8);
	end_of_gap();
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:ProcStop, / 8:ProcStart 0 1, 8:GoStart 3 1, "
		    "8:GoDestroy, 8:GoCreateBlocked 4, 8:GoCreate 5, 8:ProcStop, "
		    "9:ProcStart 0 2, 9:GoStart 5 1, 9:GoSyscallBegin 3, 9:ProcStop, "
		    "8:ProcStart 1 1, 8:GoUnblock 2 1, 8:GoStart 2 2, 8:ProcsChange 2", 0);
}

/* What had a record since the resumption knows better than the snapshot. */
static void what_moved_meanwhile_has_the_state_of_its_records(void)
{
	begin(27, 25);
	snapshot();
	gap();
	go(REC_GO_START, 8, 2);		/* nobody knows what followed this one */
	resume();
	go(REC_GO_DEAD, 8, 3);
	go(REC_GO_PARK, 7, 1);
	found_all();
	end_of_gap();
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:ProcStop, / 7:ProcStart 0 1, 7:GoStart 3 1, "
		    "7:GoDestroy, 7:ProcStop, 7:ProcStart 0 2", 0);
}

static void syscalls_that_go_on_and_syscalls_that_ended(void)
{
	begin(27, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	proc(REC_P_START, 8, 1);
	go(REC_GO_START, 8, 3);
	go(REC_SYS_ENTER, 8, 3);
	gap();
	resume();
	found(1, SYSCALL, 7);
	found(2, WAITING, 0);
	found(3, WAITING, 0);
	found_p(0, 7);
	found_p(1, 0);
	end_of_gap();
	go(REC_SYS_EXIT, 7, 1);
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, 8:ProcStart 1 1, 8:GoStart 3 1, "
		    "8:GoSyscallBegin 2, 7:ProcStop, 8:ProcStop, / 8:GoSyscallEndBlocked, "
		    "8:ProcStart 0 1, 8:GoStart 3 1, 8:GoBlock, 8:ProcStop, 7:ProcStart 0 2, "
		    "7:GoSyscallEndBlocked, 7:GoStart 1 1, 7:ProcsChange 2", 1);
}

/* The steps then have to happen somewhere else than on a thread of the program's. */
static void all_threads_are_in_syscalls(void)
{
	begin(27, 25);
	snapshot();
	go(REC_SYS_ENTER, 7, 1);
	gap();
	resume();
	found(1, SYSCALL, 7);
	found(3, WAITING, 0);
	found_p(0, 7);
	found_p(1, 0);
	end_of_gap();
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, 7:ProcStop, / 0:ProcStart 0 1, "
		    "0:GoUnblock 2 1, 0:GoStart 2 2, 0:GoDestroy, 0:GoStart 3 1, 0:GoBlock, "
		    "0:ProcStop", 0);
}

static void an_attempt_that_failed(void)
{
	begin(27, 25);
	snapshot();
	gap();
	resume();
	go(REC_GO_DEAD, 7, 1);
	found(9, WAITING, 0);
	resume();
	found_all();
	end_of_gap();
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:ProcStop, / 7:ProcStart 0 1, 7:ProcStop, "
		    "7:ProcStart 0 2, 7:GoUnblock 1 1, 7:GoStart 1 2, 7:ProcsChange 2", 0);
}

static void a_gap_for_good(void)
{
	begin(27, 25);
	snapshot();
	gap();
	go(REC_GO_START, 7, 2);
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:ProcStop", 0);
}

static void a_cycle_ends_and_begins_with_the_gap(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GC_BEGIN, 7, 1);
	gap();
	resume();
	found_all();
	put(REC_SNAP_GC, 1, 0, 0, 0, 0, 0);
	end_of_gap();
	go(REC_GO_READY, 7, 2);
	check_story(NULL, "7:ProcsChange 2, 7:GCBegin 1, 7:GCEnd 2, 7:GoBlock, 7:ProcStop, "
		    "/ 7:ProcStart 0 1, 7:ProcStop, 7:ProcStart 0 2, 7:GoUnblock 1 1, "
		    "7:GoStart 1 2, 7:GoUnblock 2 1, 7:GCBegin 3, 7:ProcsChange 2", 0);
}

/* A cycle runs, no goroutine does, and the gap begins. */
static void gap_in_a_silent_cycle(void)
{
	begin(27, 25);
	snapshot();
	go(REC_GC_BEGIN, 7, 1);
	go(REC_GO_PARK, 7, 1);
	gap();
	resume();
}

static void a_cycle_that_nobody_could_end_ends_after_the_gap(void)
{
	gap_in_a_silent_cycle();
	found_all();
	put(REC_SNAP_GC, 0, 0, 0, 0, 0, 0);
	end_of_gap();
	go(REC_GC_BEGIN, 7, 1);
	go(REC_GC_END, 7, 1);
	check_story(NULL, "7:ProcsChange 2, 7:GCBegin 1, 7:GoBlock, 7:ProcStop, / 7:ProcStart 0 1, "
		    "7:ProcStop, 7:ProcStart 0 2, 7:GoUnblock 1 1, 7:GoStart 1 2, 7:GCActive 2, "
		    "7:GCEnd 3, 7:GCBegin 4, 7:ProcsChange 2, 7:GCEnd 5", 0);
}

/* What runs after the gap is another one, whether it was read or seen to begin. */
static void a_cycle_that_nobody_could_end_and_another(void)
{
	static const char want[] =
		"7:ProcsChange 2, 7:GCBegin 1, 7:GoBlock, 7:ProcStop, / 7:ProcStart 0 1, 7:ProcStop, "
		"7:ProcStart 0 2, 7:GoUnblock 1 1, 7:GoStart 1 2, 7:GoUnblock 2 1, 7:GCActive 2, "
		"7:GCEnd 3, 7:GCBegin 4, 7:ProcsChange 2, 7:GCEnd 5";
	int seen;

	for (seen = 0; seen < 2; seen++) {
		gap_in_a_silent_cycle();
		if (seen)
			go(REC_GC_BEGIN, 7, 1);
		found_all();
		put(REC_SNAP_GC, 1, 0, 0, 0, 0, 0);
		end_of_gap();
		go(REC_GO_READY, 7, 2);
		go(REC_GC_END, 7, 1);
		check_story(NULL, want, 0);
	}
}

static void gomaxprocs_changed_meanwhile(void)
{
	begin(27, 25);
	snapshot();
	gap();
	resume();
	found(1, RUNNING, 7);
	found(2, WAITING, 0);
	found(3, RUNNABLE, 0);
	found_p(0, 7);
	end_of_gap();
	go(REC_GO_READY, 7, 2);
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:ProcStop, / 7:ProcStart 0 1, 7:ProcStop, "
		    "7:ProcStart 0 2, 7:GoUnblock 1 1, 7:GoStart 1 2, 7:GoUnblock 2 1, "
		    "7:ProcsChange 1", 0);
}

static void before_the_trace_begins_there_is_no_gap(void)
{
	begin(27, 25);
	gap();
	resume();
	snapshot();
	check_story("-1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, -1:ProcStatus 1 2, "
		    "7:GoStatus 1 7 2, 7:ProcStatus 0 1", "7:ProcsChange 2", 0);
}

/* A log event, once somebody runs who can say it. */
static void losses_are_told(void)
{
	begin_with_notes(27, 25);
	snapshot();
	go(REC_GO_PARK, 7, 1);
	put(REC_LOST, 0, 0, 1, now, now + 5, 44);
	go(REC_GO_START, 7, 3);
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:GoStart 3 1, 7:UserLog 0", 0);
}

static void so_are_gaps(void)
{
	begin_with_notes(27, 25);
	snapshot();
	gap();
	resume();
	found_all();
	end_of_gap();
	check_story(NULL, "7:ProcsChange 2, 7:UserLog 0, 7:GoBlock, 7:ProcStop, / 7:ProcStart 0 1, "
		    "7:ProcStop, 7:ProcStart 0 2, 7:GoUnblock 1 1, 7:GoStart 1 2, 7:UserLog 0, "
		    "7:ProcsChange 2", 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(nothing_changed),
		UNIT(the_end_of_a_gap_twice),
		UNIT(everything_changed),
		UNIT(what_moved_meanwhile_has_the_state_of_its_records),
		UNIT(syscalls_that_go_on_and_syscalls_that_ended),
		UNIT(all_threads_are_in_syscalls),
		UNIT(an_attempt_that_failed),
		UNIT(a_gap_for_good),
		UNIT(a_cycle_ends_and_begins_with_the_gap),
		UNIT(a_cycle_that_nobody_could_end_ends_after_the_gap),
		UNIT(a_cycle_that_nobody_could_end_and_another),
		UNIT(gomaxprocs_changed_meanwhile),
		UNIT(before_the_trace_begins_there_is_no_gap),
		UNIT(losses_are_told),
		UNIT(so_are_gaps),
		{0},
	});
}
