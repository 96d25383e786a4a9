// SPDX-License-Identifier: Apache-2.0
/*
 * Records that fit no state: of annotations, of a P with another address, and gaps after which the
 * steps need a thread. What is left out counts, and no event is of a thread that did not make it.
 */
#define _GNU_SOURCE
#include "sched_story.h"

#include "sched/state.h"

static uint64_t dropped(void)
{
	return model_counts(model)->repairs[REPAIR_DROPPED];
}

/* Of thread @tid, with the name "ab" and the text "cd". */
static void annotate(uint8_t kind, uint32_t tid, uint64_t task)
{
	struct { struct rec_user u; char text[8]; } a = {
		.u = { .r = { .time = now, .tid = tid, .kind = kind, .id = task },
		       .len = { 2, kind == REC_USER_LOG ? 2 : 0 } },
		.text = "abcd",
	};
	struct error err;

	now += 10;
	CHECK_EQ(model_record(model, &a.u.r, &err), 0);
}

static const uint8_t kinds[] = { REC_USER_TASK_BEGIN, REC_USER_TASK_END, REC_USER_REGION_BEGIN,
				 REC_USER_REGION_END, REC_USER_LOG };

static void annotations_where_no_goroutine_runs_count_as_left_out(void)
{
	size_t i;

	begin(27, 25);
	snapshot();
	for (i = 0; i < sizeof(kinds); i++) {
		annotate(kinds[i], 8, 5);
		CHECK_EQ(dropped(), i + 1);
	}
	check_story(NULL, "7:ProcsChange 2", sizeof(kinds));
}

static void annotations_of_a_goroutine_that_runs_are_events(void)
{
	size_t i;

	begin(27, 25);
	snapshot();
	for (i = 0; i < sizeof(kinds); i++)
		annotate(kinds[i], 7, 5);
	check_story(NULL, "7:ProcsChange 2, 7:UserTaskBegin 5 0, 7:UserTaskEnd 5, 7:UserRegionBegin 5, "
		    "7:UserRegionEnd 5, 7:UserLog 5", 0);
}

static void annotations_before_the_trace_begins_are_no_loss_of_it(void)
{
	begin(27, 25);
	annotate(REC_USER_LOG, 7, 5);
	snapshot();
	check_story(NULL, "7:ProcsChange 2", 0);
}

static void the_end_of_a_region_that_is_not_the_innermost_counts_as_left_out(void)
{
	begin(27, 25);
	snapshot();
	annotate(REC_USER_REGION_BEGIN, 7, 5);
	annotate(REC_USER_REGION_END, 7, 6);
	check_story(NULL, "7:ProcsChange 2, 7:UserRegionBegin 5", 1);
}

static void a_task_that_no_task_can_be_counts_as_left_out(void)
{
	begin(27, 25);
	snapshot();
	annotate(REC_USER_TASK_BEGIN, 7, 0);
	annotate(REC_USER_TASK_BEGIN, 7, UINT64_MAX);
	check_story(NULL, "7:ProcsChange 2", 2);
}

/* Else the sample would be one of another P. */
static void a_p_keeps_its_address(void)
{
	begin(27, 25);
	snapshot();
	put(REC_P_START, 0, 8, 1, P0, 0, 0);	/* the address of the other one */
	put(REC_P_START, 0, 8, 1, 0x5000, 0, 0);
	put(REC_P_START, 0, 8, 2, P1, 0, 0);	/* a new P, with the address of 1 */
	CHECK_EQ(dropped(), 3);
	CHECK_EQ(p_by_ptr(model, P0)->id, 0);
	CHECK_EQ(p_by_ptr(model, P1)->id, 1);
	CHECK(!p_by_ptr(model, 0x5000));
	put(REC_P_START, 0, 8, 1, P1, 0, 0);
	check_story(NULL, "7:ProcsChange 2, 8:ProcStart 1 1", 3);
}

static void end_of_gap(void)
{
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
}

/* The thread of goroutine 1 is in a syscall before and after; goroutine 2 ended, 4 is new on 9. */
static void steps_after_a_gap_are_of_a_thread_that_there_is(void)
{
	begin(27, 25);
	snapshot();
	put(REC_SYS_ENTER, 0, 7, 1, 0x9001, 0, 0);
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	put(REC_SNAP_G, 3, 7, 1, 0x9001, 0, 0);
	put(REC_SNAP_G, 3, 9, 4, 0x9004, 0, 0);
	put(REC_SNAP_P, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_P, 0, 0, 1, P1, 0, 0);
	end_of_gap();
	CHECK(!map64_get(&model->ms, 0));
	check_story(NULL, "7:ProcsChange 2, 7:GoSyscallBegin 1, 7:ProcStop, / 9:ProcStart 0 1, "
		    "9:GoUnblock 2 1, 9:GoStart 2 2, 9:GoDestroy, 9:GoStart 3 1, 9:GoDestroy, "
		    "9:GoCreate 4, 9:ProcStop, 9:ProcStart 0 2, 9:GoStart 4 1, 9:GoSyscallBegin 3, "
		    "9:ProcStop", 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(annotations_where_no_goroutine_runs_count_as_left_out),
		UNIT(annotations_of_a_goroutine_that_runs_are_events),
		UNIT(annotations_before_the_trace_begins_are_no_loss_of_it),
		UNIT(the_end_of_a_region_that_is_not_the_innermost_counts_as_left_out),
		UNIT(a_task_that_no_task_can_be_counts_as_left_out),
		UNIT(a_p_keeps_its_address),
		UNIT(steps_after_a_gap_are_of_a_thread_that_there_is),
		{0} });
}
