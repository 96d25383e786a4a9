// SPDX-License-Identifier: Apache-2.0
/* api: the tables of gotap/event.h: kinds, their arguments, categories, states. */
#include "unit.h"

#include <errno.h>

#include "gotap/raw.h"

/* "p:P seq:SEQ", of all arguments; a type that is new has a + in front. */
static const char *args_of(const struct gotap_kind_spec *spec)
{
	static const char *const types[] = { "raw", "value", "seq", "g", "p", "m", "task", "string",
					     "stack", "gstatus", "pstatus" };
	static char text[200];
	size_t n = 0;
	uint32_t i;

	text[0] = 0;
	for (i = 0; i < spec->nargs; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s:%s%s", i ? " " : "",
				      (int)spec->args[i].name.len, spec->args[i].name.s,
				      spec->args[i].is_new ? "+" : "", types[spec->args[i].type]);
	return text;
}

static const struct {
	unsigned int kind;
	const char *name, *args;
	uint32_t header, category, experiment, has_time, has_data, has_frames, is_written;
} specs[] = {
	{ GOTAP_RAW_EVENT_BATCH, "EventBatch", "gen:raw m:m time:raw size:raw", 22, 0, 0, 0, 0, 0, 0 },
	{ GOTAP_RAW_STACK, "Stack", "id:raw nframes:raw", 22, 0, 0, 0, 0, 1, 0 },
	{ GOTAP_RAW_STRING, "String", "id:raw", 22, 0, 0, 0, 1, 0, 0 },
	{ GOTAP_CPU_SAMPLE, "CPUSample", "time:raw m:m p:p g:g stack:stack", 22,
	  GOTAP_IS_STACK_SAMPLE, 0, 0, 0, 0, 0 },
	{ GOTAP_RAW_FREQUENCY, "Frequency", "freq:raw", 22, 0, 0, 0, 0, 0, 0 },
	{ GOTAP_PROCS_CHANGE, "ProcsChange", "procs_value:value stack:stack", 22, GOTAP_IS_METRIC, 0,
	  1, 0, 0, 1 },
	{ GOTAP_PROC_STEAL, "ProcSteal", "p:p p_seq:seq m:m", 22, GOTAP_IS_TRANSITION, 0, 1, 0, 0, 1 },
	{ GOTAP_PROC_STATUS, "ProcStatus", "p:p pstatus:pstatus", 22, GOTAP_IS_TRANSITION, 0, 1, 0, 0, 1 },
	{ GOTAP_GO_CREATE, "GoCreate", "new_g:+g new_stack:+stack stack:stack", 22,
	  GOTAP_IS_TRANSITION, 0, 1, 0, 0, 1 },
	{ GOTAP_GO_BLOCK, "GoBlock", "reason_string:string stack:stack", 22, GOTAP_IS_TRANSITION, 0, 1,
	  0, 0, 1 },
	{ GOTAP_GO_DESTROY, "GoDestroy", "", 22, GOTAP_IS_TRANSITION, 0, 1, 0, 0, 1 },
	{ GOTAP_STW_BEGIN, "STWBegin", "kind_string:string stack:stack", 22, GOTAP_IS_RANGE_BEGIN, 0, 1,
	  0, 0, 1 },
	{ GOTAP_GC_ACTIVE, "GCActive", "gc_seq:seq", 22, GOTAP_IS_RANGE_ACTIVE, 0, 1, 0, 0, 1 },
	{ GOTAP_GC_SWEEP_END, "GCSweepEnd", "swept_value:value reclaimed_value:value", 22,
	  GOTAP_IS_RANGE_END, 0, 1, 0, 0, 1 },
	{ GOTAP_GO_LABEL, "GoLabel", "label_string:string", 22, GOTAP_IS_LABEL, 0, 1, 0, 0, 1 },
	{ GOTAP_USER_TASK_BEGIN, "UserTaskBegin",
	  "task:task parent_task:task name_string:string stack:stack", 22, GOTAP_IS_TASK_BEGIN, 0, 1, 0,
	  0, 1 },
	{ GOTAP_USER_LOG, "UserLog", "task:task key_string:string value_string:string stack:stack", 22,
	  GOTAP_IS_LOG, 0, 1, 0, 0, 1 },
	{ GOTAP_GO_SWITCH, "GoSwitch", "g:g g_seq:seq", 23, GOTAP_IS_TRANSITION, 0, 1, 0, 0, 1 },
	{ GOTAP_GO_STATUS_STACK, "GoStatusStack", "g:g m:m gstatus:gstatus stack:stack", 23,
	  GOTAP_IS_TRANSITION, 0, 1, 0, 0, 1 },
	{ GOTAP_RAW_EXPERIMENTAL_BATCH, "ExperimentalBatch", "exp:raw gen:raw m:m time:raw", 23, 0, 0,
	  0, 1, 0, 0 },
	{ GOTAP_RAW_SYNC, "Sync", "", 25, 0, 0, 0, 0, 0, 0 },
	{ GOTAP_RAW_CLOCK_SNAPSHOT, "ClockSnapshot", "mono:raw sec:raw nsec:raw", 25, 0, 0, 1, 0, 0, 0 },
	{ GOTAP_RAW_END_OF_GENERATION, "EndOfGeneration", "", 26, 0, 0, 0, 0, 0, 0 },
	{ GOTAP_SPAN, "Span", "id:raw npages_value:value kindclass:raw", 23, GOTAP_IS_EXPERIMENTAL,
	  GOTAP_ALLOC_FREE, 1, 0, 0, 1 },
	{ GOTAP_HEAP_OBJECT_FREE, "HeapObjectFree", "id:raw", 23, GOTAP_IS_EXPERIMENTAL,
	  GOTAP_ALLOC_FREE, 1, 0, 0, 1 },
};

static void a_kind_has_its_spec(void)
{
	struct gotap_kind_spec spec;
	size_t i;

	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		CHECK_EQ(gotap_kind_spec(specs[i].kind, &spec, sizeof(spec)), 0);
		CHECK_STR(spec.name, specs[i].name);
		CHECK_STR(args_of(&spec), specs[i].args);
		CHECK_EQ(spec.kind, specs[i].kind);
		CHECK_EQ(spec.header, specs[i].header);
		CHECK_EQ(spec.category, specs[i].category);
		CHECK_EQ(spec.experiment, specs[i].experiment);
		CHECK_EQ(spec.has_time, specs[i].has_time);
		CHECK_EQ(spec.has_data, specs[i].has_data);
		CHECK_EQ(spec.has_frames, specs[i].has_frames);
		CHECK_EQ(spec.is_written, specs[i].is_written);
	}
}

/* 61 kinds: 1 to 52 and 128 to 136 (tracev2/events.go, 1.27). */
static void specs_agree_with_names_and_counts(void)
{
	struct gotap_kind_spec spec;
	unsigned int kind, kinds = 0;

	for (kind = 0; kind < 400; kind++) {
		spec.name = "untouched";
		if (gotap_kind_spec(kind, &spec, sizeof(spec))) {
			CHECK_EQ(gotap_kind_spec(kind, &spec, sizeof(spec)), -EINVAL);
			CHECK_STR(spec.name, "untouched");
			CHECK(!gotap_kind_name(kind) || kind == GOTAP_SYNC);
			continue;
		}
		kinds++;
		CHECK_EQ(gotap_kind_nargs(kind), spec.is_written ? (int)spec.nargs : -EINVAL);
		CHECK_EQ(!gotap_kind_name(kind), !spec.category);
		if (spec.category)
			CHECK_STR(gotap_kind_name(kind), spec.name);
		if (kind != GOTAP_RAW_SYNC)
			CHECK_EQ(gotap_kind_named(spec.name, strlen(spec.name)), kind);
	}
	CHECK_EQ(kinds, 61);
	CHECK_STR(gotap_kind_name(GOTAP_SYNC), "Sync");
	CHECK_EQ(gotap_kind_named("Sync", 4), GOTAP_SYNC);
	CHECK_EQ(gotap_kind_named("GoStart", 6), -EINVAL);
	CHECK_EQ(gotap_kind_named("", 0), -EINVAL);
}

static void a_spec_is_filled_as_far_as_the_caller_knows_it(void)
{
	struct gotap_kind_spec spec = { .start = 7 };

	CHECK_EQ(gotap_kind_spec(GOTAP_GO_START, &spec, offsetof(struct gotap_kind_spec, start)), 0);
	CHECK_EQ(spec.nargs, 2);
	CHECK_EQ(spec.start, 7);
}

/* EventKind.String() of Go 1.27, from EventSync on. */
static void categories_have_the_names_of_go(void)
{
	static const char *const names[] = { NULL, "Sync", "Metric", "Label", "StackSample", "RangeBegin",
					     "RangeActive", "RangeEnd", "TaskBegin", "TaskEnd",
					     "RegionBegin", "RegionEnd", "Log", "StateTransition",
					     "Experimental" };
	unsigned int i;

	for (i = GOTAP_IS_SYNC; i <= GOTAP_IS_EXPERIMENTAL; i++)
		CHECK_STR(gotap_category_name(i), names[i]);
	CHECK(!gotap_category_name(0));
	CHECK(!gotap_category_name(15));
	CHECK_STR(gotap_experiment_name(GOTAP_ALLOC_FREE), "AllocFree");
	CHECK(!gotap_experiment_name(GOTAP_NO_EXPERIMENT));
	CHECK(!gotap_experiment_name(2));
}

/* GoState.String() and ProcState.String() of Go 1.27. */
static void states_have_names_and_statuses(void)
{
	static const struct {
		unsigned int state;
		const char *name;
		int status;
	} states[] = {
		{ GOTAP_STATE_GO_UNDETERMINED, "Undetermined", -EINVAL },
		{ GOTAP_STATE_GO_NOT_EXIST, "NotExist", -EINVAL },
		{ GOTAP_STATE_GO_RUNNABLE, "Runnable", GOTAP_STATUS_GO_RUNNABLE },
		{ GOTAP_STATE_GO_RUNNING, "Running", GOTAP_STATUS_GO_RUNNING },
		{ GOTAP_STATE_GO_WAITING, "Waiting", GOTAP_STATUS_GO_WAITING },
		{ GOTAP_STATE_GO_SYSCALL, "Syscall", GOTAP_STATUS_GO_SYSCALL },
		{ GOTAP_STATE_PROC_UNDETERMINED, "Undetermined", -EINVAL },
		{ GOTAP_STATE_PROC_NOT_EXIST, "NotExist", -EINVAL },
		{ GOTAP_STATE_PROC_RUNNING, "Running", GOTAP_STATUS_PROC_RUNNING },
		{ GOTAP_STATE_PROC_IDLE, "Idle", GOTAP_STATUS_PROC_IDLE },
	};
	unsigned int i, known = 0;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		CHECK_STR(gotap_state_name(states[i].state), states[i].name);
		CHECK_EQ(gotap_state_status(states[i].state), states[i].status);
	}
	for (i = 0; i < 1000; i++)
		known += gotap_state_name(i) != NULL;
	CHECK_EQ(known, GOTAP_GO_STATES + GOTAP_PROC_STATES);
	for (i = 0; i < 256; i++)	/* no status, and no kind of an event, is a state */
		CHECK(!gotap_state_name(i) && gotap_state_status(i) == -EINVAL);
	CHECK_EQ(gotap_state_status((unsigned int)-1), -EINVAL);
}

/* GoStatus.String() and ProcStatus.String() of internal/trace/tracev2 of Go 1.27. */
static void statuses_have_names(void)
{
	static const char *const of_g[] = { NULL, "Runnable", "Running", "Syscall", "Waiting", NULL };
	static const char *const of_p[] = { NULL, "Running", "Idle", "Syscall", "SyscallAbandoned", NULL };
	unsigned int i;

	for (i = 0; i < 6; i++) {
		const char *g = gotap_go_status_name(i), *p = gotap_proc_status_name(i);

		CHECK(!of_g[i] ? !g : g && !strcmp(g, of_g[i]));
		CHECK(!of_p[i] ? !p : p && !strcmp(p, of_p[i]));
	}
	CHECK(!gotap_go_status_name(GOTAP_STATE_GO_RUNNING));
	CHECK(!gotap_proc_status_name((unsigned int)-1));
}

static uint32_t start_of(unsigned int kind)
{
	struct gotap_kind_spec spec;

	return gotap_kind_spec(kind, &spec, sizeof(spec)) ? 0 : spec.start;
}

/* StartEv of internal/trace/tracev2/events.go of Go 1.27. */
static void ends_name_their_begins(void)
{
	unsigned int kind, n = 0;

	for (kind = 0; kind < 256; kind++)
		n += start_of(kind) != 0;
	CHECK_EQ(n, 10);
	CHECK_EQ(start_of(GOTAP_GO_SYSCALL_END), GOTAP_GO_SYSCALL_BEGIN);
	CHECK_EQ(start_of(GOTAP_GO_SYSCALL_END_BLOCKED), GOTAP_GO_SYSCALL_BEGIN);
	CHECK_EQ(start_of(GOTAP_STW_END), GOTAP_STW_BEGIN);
	CHECK_EQ(start_of(GOTAP_GC_ACTIVE), GOTAP_GC_BEGIN);
	CHECK_EQ(start_of(GOTAP_GC_END), GOTAP_GC_BEGIN);
	CHECK_EQ(start_of(GOTAP_GC_SWEEP_ACTIVE), GOTAP_GC_SWEEP_BEGIN);
	CHECK_EQ(start_of(GOTAP_GC_SWEEP_END), GOTAP_GC_SWEEP_BEGIN);
	CHECK_EQ(start_of(GOTAP_GC_MARK_ASSIST_ACTIVE), GOTAP_GC_MARK_ASSIST_BEGIN);
	CHECK_EQ(start_of(GOTAP_GC_MARK_ASSIST_END), GOTAP_GC_MARK_ASSIST_BEGIN);
	CHECK_EQ(start_of(GOTAP_USER_REGION_END), GOTAP_USER_REGION_BEGIN);
}

static void the_library_is_that_of_the_headers(void)
{
	CHECK_EQ(gotap_api_version(), GOTAP_API_VERSION);
	CHECK_EQ(GOTAP_API_VERSION, 4);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_kind_has_its_spec),
		UNIT(specs_agree_with_names_and_counts),
		UNIT(a_spec_is_filled_as_far_as_the_caller_knows_it),
		UNIT(categories_have_the_names_of_go),
		UNIT(states_have_names_and_statuses),
		UNIT(statuses_have_names),
		UNIT(ends_name_their_begins),
		UNIT(the_library_is_that_of_the_headers),
		{0},
	});
}
