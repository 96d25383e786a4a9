// SPDX-License-Identifier: Apache-2.0
/* read: what each kind of event means (view.h), by values. */
#include "unit.h"

#include "read/v2_reader.h"
#include "read/view.h"

enum { M = 70, P = 7, G = 17, NONE = -1 };

static struct trace_event event(uint8_t type, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return (struct trace_event){ .type = type, .time = 5, .m = M, .p = P, .g = G,
				     .args = { a, b, c, d } };
}

/* --- transitions --- */

static const struct move {
	uint8_t type;
	uint64_t args[4];
	uint8_t old_state;
	enum resource of;
	uint64_t id;
	uint8_t from, to;
	uint64_t reason, moved_stack, stack;
} moves[] = {
	{ EV_ProcStart, { 3, 1 }, 0, RESOURCE_PROC, 3, PROC_IDLE, PROC_RUNNING, 0, 0, 0 },
	{ EV_ProcStop, { 0 }, 0, RESOURCE_PROC, P, PROC_RUNNING, PROC_IDLE, 0, 0, 0 },
	{ EV_ProcSteal, { 3, 1, 71 }, PROC_RUNNING, RESOURCE_PROC, 3, PROC_RUNNING, PROC_IDLE, 0, 0, 0 },
	{ EV_ProcSteal, { 3, 1, 71 }, PROC_IDLE, RESOURCE_PROC, 3, PROC_IDLE, PROC_IDLE, 0, 0, 0 },
	{ EV_ProcStatus, { 3, P_SYSCALL }, PROC_UNDETERMINED, RESOURCE_PROC, 3, PROC_UNDETERMINED,
	  PROC_RUNNING, 0, 0, 0 },
	{ EV_ProcStatus, { 3, P_SYSCALL_ABANDONED }, PROC_IDLE, RESOURCE_PROC, 3, PROC_IDLE, PROC_IDLE,
	  0, 0, 0 },
	{ EV_GoCreate, { 20, 8, 9 }, 0, RESOURCE_GOROUTINE, 20, GO_NOT_EXIST, GO_RUNNABLE, 0, 8, 9 },
	{ EV_GoCreateBlocked, { 20, 8, 9 }, 0, RESOURCE_GOROUTINE, 20, GO_NOT_EXIST, GO_WAITING, 0, 8, 9 },
	{ EV_GoCreateSyscall, { 20 }, 0, RESOURCE_GOROUTINE, 20, GO_NOT_EXIST, GO_SYSCALL, 0, 0, 0 },
	{ EV_GoStart, { 20, 4 }, 0, RESOURCE_GOROUTINE, 20, GO_RUNNABLE, GO_RUNNING, 0, 0, 0 },
	{ EV_GoDestroy, { 0 }, 0, RESOURCE_GOROUTINE, G, GO_RUNNING, GO_NOT_EXIST, 0, 0, 0 },
	{ EV_GoDestroySyscall, { 0 }, 0, RESOURCE_GOROUTINE, G, GO_SYSCALL, GO_NOT_EXIST, 0, 0, 0 },
	{ EV_GoStop, { 6, 9 }, 0, RESOURCE_GOROUTINE, G, GO_RUNNING, GO_RUNNABLE, 6, 9, 9 },
	{ EV_GoBlock, { 6, 9 }, 0, RESOURCE_GOROUTINE, G, GO_RUNNING, GO_WAITING, 6, 9, 9 },
	{ EV_GoUnblock, { 20, 4, 9 }, 0, RESOURCE_GOROUTINE, 20, GO_WAITING, GO_RUNNABLE, 0, 0, 9 },
	{ EV_GoSwitch, { 20, 4 }, 0, RESOURCE_GOROUTINE, 20, GO_WAITING, GO_RUNNABLE, 0, 0, 0 },
	{ EV_GoSwitchDestroy, { 20, 4 }, 0, RESOURCE_GOROUTINE, 20, GO_WAITING, GO_RUNNABLE, 0, 0, 0 },
	{ EV_GoSyscallBegin, { 2, 9 }, 0, RESOURCE_GOROUTINE, G, GO_RUNNING, GO_SYSCALL, 0, 9, 9 },
	{ EV_GoSyscallEnd, { 0 }, 0, RESOURCE_GOROUTINE, G, GO_SYSCALL, GO_RUNNING, 0, 0, 0 },
	{ EV_GoSyscallEndBlocked, { 0 }, 0, RESOURCE_GOROUTINE, G, GO_SYSCALL, GO_RUNNABLE, 0, 0, 0 },
	{ EV_GoStatus, { 20, M, G_WAITING }, GO_UNDETERMINED, RESOURCE_GOROUTINE, 20, GO_UNDETERMINED,
	  GO_WAITING, 0, 0, 0 },
	{ EV_GoStatusStack, { 20, M, G_SYSCALL, 9 }, GO_SYSCALL, RESOURCE_GOROUTINE, 20, GO_SYSCALL,
	  GO_SYSCALL, 0, 9, 9 },
};

static void transitions(void)
{
	size_t i;

	for (i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		const struct move *m = &moves[i];
		struct trace_event ev = event(m->type, m->args[0], m->args[1], m->args[2], m->args[3]);
		struct view_transition tr;

		ev.old_state = m->old_state;
		tr = view_transition(&ev);
		CHECK_EQ(view_kind(&ev), VIEW_STATE_TRANSITION);
		CHECK_EQ(tr.of, m->of);
		CHECK_EQ(tr.id, m->id);
		CHECK_EQ(tr.from, m->from);
		CHECK_EQ(tr.to, m->to);
		CHECK_EQ(tr.reason, m->reason);
		CHECK_EQ(tr.stack, m->moved_stack);
		CHECK_EQ(view_stack(&ev), m->stack);
	}
}

/* The table of transitions has those that the table of views calls so, and no others. */
static void every_transition_moves_something(void)
{
	int type;

	for (type = 0; type < 256; type++)
		CHECK((event_changes[type].of != RESOURCE_NONE) ==
		      (view_specs[type].kind == VIEW_STATE_TRANSITION));
}

/* --- ranges --- */

static const struct range {
	uint8_t type;
	enum view_kind kind;
	uint64_t args[2];
	const char *name;
	bool has_reason;
	enum resource scope;
	uint64_t id;
	unsigned nattrs;
} ranges[] = {
	{ EV_STWBegin, VIEW_RANGE_BEGIN, { 6, 9 }, "stop-the-world", true, RESOURCE_GOROUTINE, G, 0 },
	{ EV_STWEnd, VIEW_RANGE_END, { 6 }, "stop-the-world", true, RESOURCE_GOROUTINE, G, 0 },
	{ EV_GCActive, VIEW_RANGE_ACTIVE, { 1 }, "GC concurrent mark phase", false, RESOURCE_NONE, NONE, 0 },
	{ EV_GCBegin, VIEW_RANGE_BEGIN, { 1, 9 }, "GC concurrent mark phase", false, RESOURCE_NONE, NONE, 0 },
	{ EV_GCEnd, VIEW_RANGE_END, { 2 }, "GC concurrent mark phase", false, RESOURCE_NONE, NONE, 0 },
	{ EV_GCSweepActive, VIEW_RANGE_ACTIVE, { 3 }, "GC incremental sweep", false, RESOURCE_PROC, 3, 0 },
	{ EV_GCSweepBegin, VIEW_RANGE_BEGIN, { 9 }, "GC incremental sweep", false, RESOURCE_PROC, P, 0 },
	{ EV_GCSweepEnd, VIEW_RANGE_END, { 4096, 1024 }, "GC incremental sweep", false, RESOURCE_PROC, P, 2 },
	{ EV_GCMarkAssistActive, VIEW_RANGE_ACTIVE, { 20 }, "GC mark assist", false, RESOURCE_GOROUTINE,
	  20, 0 },
	{ EV_GCMarkAssistBegin, VIEW_RANGE_BEGIN, { 9 }, "GC mark assist", false, RESOURCE_GOROUTINE, G, 0 },
	{ EV_GCMarkAssistEnd, VIEW_RANGE_END, { 0 }, "GC mark assist", false, RESOURCE_GOROUTINE, G, 0 },
};

static void range_views(void)
{
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		const struct range *want = &ranges[i];
		struct trace_event ev = event(want->type, want->args[0], want->args[1], 0, 0);
		struct view_range r = view_range(&ev);

		CHECK_EQ(view_kind(&ev), want->kind);
		CHECK_STR(r.name, want->name);
		CHECK_EQ(r.has_reason, want->has_reason);
		CHECK_EQ(r.reason, want->has_reason ? 6 : 0);
		CHECK_EQ(r.scope, want->scope);
		CHECK_EQ(r.id, want->id);
		CHECK_EQ(r.nattrs, want->nattrs);
	}
}

static void sweep_says_how_much(void)
{
	struct trace_event ev = event(EV_GCSweepEnd, 4096, 1024, 0, 0);
	struct view_range r = view_range(&ev);

	CHECK_STR(r.attrs[0].name, "bytes swept");
	CHECK_EQ(r.attrs[0].value, 4096);
	CHECK_STR(r.attrs[1].name, "bytes reclaimed");
	CHECK_EQ(r.attrs[1].value, 1024);
}

/* --- the rest --- */

static void metrics(void)
{
	struct trace_event procs = event(EV_ProcsChange, 8, 9, 0, 0);
	struct trace_event alloc = event(EV_HeapAlloc, 1 << 20, 0, 0, 0);
	struct trace_event goal = event(EV_HeapGoal, 4 << 20, 0, 0, 0);

	CHECK_EQ(view_kind(&procs), VIEW_METRIC);
	CHECK_STR(view_metric(&procs).name, "/sched/gomaxprocs:threads");
	CHECK_EQ(view_metric(&procs).value, 8);
	CHECK_EQ(view_stack(&procs), 9);
	CHECK_EQ(view_kind(&alloc), VIEW_METRIC);
	CHECK_STR(view_metric(&alloc).name, "/memory/classes/heap/objects:bytes");
	CHECK_EQ(view_metric(&alloc).value, 1 << 20);
	CHECK_EQ(view_kind(&goal), VIEW_METRIC);
	CHECK_STR(view_metric(&goal).name, "/gc/heap/goal:bytes");
	CHECK_EQ(view_metric(&goal).value, 4 << 20);
}

static void annotations(void)
{
	struct trace_event begin = event(EV_UserTaskBegin, 3, 2, 6, 9);
	struct trace_event end = event(EV_UserTaskEnd, 3, 9, TRACEV2_NO_ID, 0);
	struct trace_event region = event(EV_UserRegionBegin, 3, 6, 9, 0);
	struct trace_event log = event(EV_UserLog, 3, 5, 6, 9);
	struct trace_event label = event(EV_GoLabel, 6, 0, 0, 0);
	struct view_task task = view_task(&end);

	CHECK_EQ(view_kind(&begin), VIEW_TASK_BEGIN);
	CHECK_EQ(view_task(&begin).id, 3);
	CHECK_EQ(view_task(&begin).parent, 2);
	CHECK_EQ(view_stack(&begin), 9);
	CHECK_EQ(view_kind(&end), VIEW_TASK_END);
	CHECK(task.id == 3 && task.parent == TRACEV2_NO_ID && task.type.len == 0 && !*task.type.s);
	CHECK_EQ(view_stack(&end), 9);
	CHECK_EQ(view_kind(&region), VIEW_REGION_BEGIN);
	CHECK_EQ(view_region(&region).task, 3);
	CHECK_EQ(view_region(&region).type, 6);
	CHECK_EQ(view_stack(&region), 9);
	region.type = EV_UserRegionEnd;
	CHECK_EQ(view_kind(&region), VIEW_REGION_END);
	CHECK_EQ(view_stack(&region), 9);
	CHECK_EQ(view_kind(&log), VIEW_LOG);
	CHECK(view_log(&log).task == 3 && view_log(&log).category == 5 && view_log(&log).message == 6);
	CHECK_EQ(view_stack(&log), 9);
	CHECK_EQ(view_kind(&label), VIEW_LABEL);
	CHECK(view_label(&label).label == 6 && view_label(&label).of == RESOURCE_GOROUTINE &&
	      view_label(&label).id == G);
}

static void samples_and_syncs(void)
{
	struct trace_event sample = event(EV_CPUSample, 9, 0, 0, 0);
	struct trace_event sync = event(TRACE_SYNC, 2, 1, 0, 0);
	struct v2_generation gen = {
		.clock = { .has_snapshot = true, .ns_per_unit = 64, .snap_time = 10, .snap_mono = 11,
			   .snap_sec = 12, .snap_nsec = 13 },
	};
	struct view_sync view = view_sync(&sync, &gen);

	CHECK_EQ(view_kind(&sample), VIEW_STACK_SAMPLE);
	CHECK_EQ(view_stack(&sample), 9);
	CHECK_EQ(view_kind(&sync), VIEW_SYNC);
	CHECK_EQ(view_stack(&sync), 0);
	CHECK(view.n == 2 && view.has_clock && view.time == 640 && view.mono_ns == 11 &&
	      view.wall_sec == 12 && view.wall_nsec == 13);
	CHECK(!view_sync(&sync, NULL).has_clock);
	gen.clock.has_snapshot = false;
	CHECK(!view_sync(&sync, &gen).has_clock);
}

static bool is(const struct view_arg *arg, const char *name, uint64_t value)
{
	return arg->name_len == strlen(name) && !memcmp(arg->name, name, arg->name_len) &&
	       arg->value == value;
}

static void arguments_have_names(void)
{
	struct trace_event span = event(EV_SpanAlloc, 100, 2, 33, 0);
	struct trace_event log = event(EV_UserLog, 3, 5, 6, 9);
	struct trace_event create = event(EV_GoCreate, 20, 8, 9, 0);
	struct trace_event sync = event(TRACE_SYNC, 1, 1, 0, 0);
	struct view_arg args[TRACEV2_MAX_ARGS];
	struct raw_specs specs;

	raw_specs_init(&specs);
	CHECK_EQ(view_kind(&span), VIEW_EXPERIMENTAL);
	CHECK_STR(view_experiment_name(view_experiment(&span)), "AllocFree");
	CHECK_EQ(view_args(&span, &specs, args), 3);
	CHECK(is(&args[0], "id", 100) && is(&args[1], "npages_value", 2) && is(&args[2], "kindclass", 33));
	CHECK(!args[0].is_string && !args[0].is_stack);
	CHECK_EQ(view_args(&log, &specs, args), 4);
	CHECK(is(&args[0], "task", 3) && is(&args[1], "key_string", 5));
	CHECK(!args[0].is_string && args[1].is_string && args[2].is_string && !args[3].is_string);
	CHECK(!args[2].is_stack && args[3].is_stack);
	CHECK_EQ(view_args(&create, &specs, args), 3);
	CHECK(!args[0].is_stack && args[1].is_stack && args[2].is_stack);
	CHECK_EQ(view_args(&sync, &specs, args), 0);
}

/* Each timed event of the format has a view and a name; framing and tables have none. */
static void all_events_of_the_format(void)
{
	struct raw_specs specs;
	int type;

	raw_specs_init(&specs);
	for (type = 0; type < RAW_SPECS; type++) {
		bool given = raw_spec_timed(&specs.of[type]) && type != EV_ClockSnapshot;

		if (type == EV_CPUSample)
			given = true;
		if (!given) {
			CHECK(!view_specs[type].kind && !view_event_name((unsigned int)type));
			continue;
		}
		CHECK(view_specs[type].kind);
		CHECK_STR(view_event_name((unsigned int)type), specs.of[type].name);
		CHECK_EQ(view_event_named(specs.of[type].name, strlen(specs.of[type].name)), type);
		if (type != EV_CPUSample)
			CHECK_EQ(view_specs[type].stack, specs.of[type].stack);
		CHECK((view_specs[type].kind == VIEW_EXPERIMENTAL) ==
		      (specs.of[type].class == RAW_EXPERIMENT));
	}
	CHECK_STR(view_event_name(TRACE_SYNC), "Sync");
	CHECK_EQ(view_event_named("Sync", 4), TRACE_SYNC);
	CHECK(view_event_named("GoStar", 6) < 0 && view_event_named("Strings", 7) < 0);
}

static void kinds_have_names(void)
{
	unsigned int kind;

	for (kind = VIEW_SYNC; kind < VIEW_KINDS; kind++)
		CHECK_EQ(view_kind_named(view_kind_name(kind), strlen(view_kind_name(kind))), kind);
	CHECK(!view_kind_name(VIEW_NONE) && !view_kind_name(VIEW_KINDS));
	CHECK_EQ(view_kind_named("StateTransitions", 16), VIEW_NONE);
}

/* --- of a trace --- */

/* The transitions of a vector behind its statuses, as "G1>3 P0>1 ". */
static void moves_of(const char *name, char *text, size_t size)
{
	struct error err;
	struct trace_reader *r = trace_reader_open(name, &err);
	const struct trace_event *ev;
	size_t n = 0;

	*text = 0;
	CHECK(r != NULL);
	while (r && trace_reader_next(r, &ev) > 0 && n < size) {
		struct view_transition tr;

		if (view_kind(ev) != VIEW_STATE_TRANSITION)
			continue;
		tr = view_transition(ev);
		if (tr.from == GO_UNDETERMINED || ev->type == EV_GoStatus || ev->type == EV_ProcStatus)
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s%c%llu:%u>%u", n ? " " : "",
				      tr.of == RESOURCE_PROC ? 'P' : 'G', (unsigned long long)tr.id,
				      tr.from, tr.to);
	}
	trace_reader_close(r);
}

static void a_switch_is_three_transitions(void)
{
	char text[1024];

	moves_of("tests/vectors/ok_goswitch.trace", text, sizeof(text));
	CHECK_STR(text, "G5:1>4 G5:4>2 G1:3>4 G5:2>3 G1:4>2 G5:3>4 G1:2>3"
		  " G5:4>2 G1:3>4 G5:2>3 G1:4>2 G5:3>1 G1:2>3");
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(transitions),
		UNIT(every_transition_moves_something),
		UNIT(range_views),
		UNIT(sweep_says_how_much),
		UNIT(metrics),
		UNIT(annotations),
		UNIT(samples_and_syncs),
		UNIT(arguments_have_names),
		UNIT(all_events_of_the_format),
		UNIT(kinds_have_names),
		UNIT(a_switch_is_three_transitions),
		{0},
	});
}
