// SPDX-License-Identifier: Apache-2.0
/*
 * Calls of functions in the model: begin and end are matched by the depth of the stack, also when ends are missing. In
 * stories R begins and E ends a region, L is a log event that says that the region which ends next was left.
 */
#define _GNU_SOURCE
#include "sched_story.h"

#include "op_kind.h"

#define R "7:UserRegionBegin 0"
#define E "7:UserRegionEnd 0"
#define L "7:UserLog 0"
#define BEGIN "7:ProcsChange 2"

static void text_record(uint8_t kind, uint64_t id, unsigned int flags, const char *name)
{
	struct { struct rec_user u; char text[128]; } r = {
		.u = { .r = { .time = now, .tid = 7, .kind = kind, .id = id, .flags = (uint16_t)flags },
		       .arg = 0x401000, .room = 128, .len = { (uint16_t)strlen(name), 0 } },
	};
	struct error err;

	memcpy(r.u.text, name, strlen(name));
	now += 10;
	CHECK_EQ(model_record(model, &r.u.r, &err), 0);
}

static void call(uint64_t depth, const char *name) { text_record(REC_OP_BEGIN, depth, OP_FUNCTION, name); }
static void returns(uint64_t depth, const char *name) { text_record(REC_OP_END, depth, OP_FUNCTION, name); }
static void program_region(uint8_t kind, const char *name) { text_record(kind, 0, 0, name); }

/* @lost: of which the end is not known */
static void counted_with(uint64_t calls, uint64_t left, uint64_t lost)
{
	CHECK_EQ(model_counts(model)->calls, calls);
	CHECK_EQ(model_counts(model)->calls_left, left);
	CHECK_EQ(model_counts(model)->calls_lost, lost);
}

static void counted(uint64_t calls, uint64_t left) { counted_with(calls, left, 0); }

static void start(void)
{
	begin(27, 25);
	snapshot();
}

static void calls_nest(void)
{
	start();
	call(100, "main.a");
	call(200, "main.b");
	returns(200, "main.b");
	returns(100, "main.a");
	counted(2, 0);
	check_story(NULL, BEGIN ", " R ", " R ", " E ", " E, 0);
}

static void recursion_is_a_stack_of_depths(void)
{
	start();
	call(100, "main.a");
	call(200, "main.a");
	call(300, "main.a");
	returns(300, "main.a");
	returns(200, "main.a");
	call(200, "main.a");
	returns(200, "main.a");
	returns(100, "main.a");
	counted(4, 0);
	check_story(NULL, BEGIN ", " R ", " R ", " R ", " E ", " E ", " R ", " E ", " E, 0);
}

/* A panic has left b and c, and a, which recovered, returns. */
static void a_return_ends_deeper_calls(void)
{
	start();
	call(100, "main.a");
	call(200, "main.b");
	call(300, "main.c");
	returns(100, "main.a");
	counted(1, 2);
	check_story(NULL, BEGIN ", " R ", " R ", " R ", " L ", " E ", " L ", " E ", " E, 0);
}

/* A loop calls b, and b panics each time: the function that recovers has no probe. */
static void a_call_ends_those_as_deep(void)
{
	start();
	call(200, "main.b");
	call(200, "main.b");
	call(150, "main.c");
	returns(150, "main.c");
	counted(1, 2);
	check_story(NULL, BEGIN ", " R ", " L ", " E ", " R ", " L ", " E ", " R ", " E, 0);
}

static void a_call_from_before_the_recording_is_none(void)
{
	start();
	returns(100, "main.a");
	call(200, "main.b");
	returns(100, "main.a");
	counted(0, 1);
	check_story(NULL, BEGIN ", " R ", " L ", " E, 0);
}

/* After a loss an end of the same depth may be that of another call. */
static void a_loss_takes_the_ends_away(void)
{
	start();
	call(100, "main.a");
	put(REC_LOST, 0, 0, 0, 0, 0, 5);
	returns(100, "main.a");
	call(100, "main.a");
	returns(100, "main.a");
	counted_with(1, 0, 1);
	model_free(model);
}

/* Its region ends with the call, and before the log event, which is about the region of the call. */
static void a_call_that_was_left_with_a_region_of_the_program(void)
{
	start();
	call(100, "main.a");
	call(200, "main.b");
	program_region(REC_USER_REGION_BEGIN, "own");
	returns(100, "main.a");
	counted(1, 1);
	check_story(NULL, BEGIN ", " R ", " R ", " R ", " E ", " L ", " E ", " E, 0);
}

/* A region without a name that began before the call: its end is not that of the call. */
static void the_program_ends_no_region_of_a_call(void)
{
	start();
	program_region(REC_USER_REGION_BEGIN, "");
	call(100, "main.a");
	program_region(REC_USER_REGION_END, "");
	CHECK_EQ(model_counts(model)->repairs[REPAIR_DROPPED], 1);
	returns(100, "main.a");
	counted(1, 0);
	check_story(NULL, BEGIN ", " R ", " R ", " E, 1);
}

/* The region of a loses its probes during the call. The call ends once the program's region inside of it has. */
static void a_call_whose_probes_are_removed_ends_without_a_return(void)
{
	start();
	call(100, "main.a");
	call(200, "main.b");
	program_region(REC_USER_REGION_BEGIN, "own");
	text_record(REC_REGION_GONE, 2, 0, "main.b");
	program_region(REC_USER_REGION_END, "own");
	CHECK_EQ(model_counts(model)->regions_gone, 1);
	counted(0, 0);
	call(300, "main.c");
	counted_with(0, 0, 1);
	returns(300, "main.c");
	returns(200, "main.b");
	returns(100, "main.a");
	counted_with(2, 0, 1);
	check_story(NULL, BEGIN ", " R ", " R ", " R ", " E ", " L ", " E ", " R ", " E ", " E, 0);
}

static void the_probes_of_another_function_change_nothing(void)
{
	start();
	call(100, "main.a");
	text_record(REC_REGION_GONE, 2, 0, "main.ab");
	returns(100, "main.a");
	counted(1, 0);
	check_story(NULL, BEGIN ", " R ", " E, 0);
}

/* Each goroutine has its own depths. */
static void another_goroutine_changes_nothing(void)
{
	start();
	call(200, "main.a");
	go(REC_GO_STOP, 7, 1);
	go(REC_GO_START, 7, 3);
	call(100, "main.b");
	go(REC_GO_STOP, 7, 3);
	go(REC_GO_START, 7, 1);
	returns(200, "main.a");
	counted(1, 0);
	model_free(model);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(calls_nest), UNIT(recursion_is_a_stack_of_depths), UNIT(a_return_ends_deeper_calls),
		UNIT(a_call_ends_those_as_deep), UNIT(a_call_from_before_the_recording_is_none),
		UNIT(a_loss_takes_the_ends_away), UNIT(a_call_that_was_left_with_a_region_of_the_program),
		UNIT(the_program_ends_no_region_of_a_call),
		UNIT(a_call_whose_probes_are_removed_ends_without_a_return),
		UNIT(the_probes_of_another_function_change_nothing), UNIT(another_goroutine_changes_nothing), {0} });
}
