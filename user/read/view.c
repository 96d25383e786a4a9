// SPDX-License-Identifier: Apache-2.0
/*
 * view: see view.h. Event.Kind() and the methods of its kinds in internal/trace/event.go (Go 1.27)
 * as one table. The places of stacks are from include/tracev2.def.
 */
#include "read/view.h"

#include <string.h>

#define NUMBER(ev) EV_##ev
#define STACKS(ev) stacks_##ev

/* tracev2.def counts dt as place 0, and args[] has no dt: therefore these places count from 1. */
enum {
#define EV(number, name, version, class, args, stacks, strings) STACKS(name) = (stacks),
#include "tracev2.def"
#undef EV
};

/* The last stack argument is the event's own stack. */
#define OWN_STACK(ev) (STACKS(ev) ? 31 - __builtin_clz(STACKS(ev) | 1) : 0)

/* Each timed event has a row in view.def, and each that moves something one in v2_event.def. */
enum {
#define CHANGE(name, ...) HAS_CHANGE_##name,
#define CHANGE_NAMED(name, ...) HAS_CHANGE_##name,
#define CHANGE_STATUS(name, ...) HAS_CHANGE_##name,
#include "read/v2_event.def"
#undef CHANGE
#undef CHANGE_NAMED
#undef CHANGE_STATUS
#define VIEW(name, ...) HAS_VIEW_##name,
#define MOVE(name, ...) HAS_VIEW_##name, CHANGE_OF_##name = HAS_CHANGE_##name,
#define MOVE_SELF MOVE
#define STW VIEW
#define GC VIEW
#define SWEEP VIEW
#define ASSIST VIEW
#include "read/view.def"
#undef VIEW
#undef MOVE
#undef MOVE_SELF
#undef STW
#undef GC
#undef SWEEP
#undef ASSIST
#define EV(number, name, version, class, args, stacks, strings) \
	TRACEV2_IF_TIMED(class, VIEW_OF_##name = HAS_VIEW_##name, )
#include "tracev2.def"
#undef EV
};

#define VIEW(ev, what, ...) \
	[NUMBER(ev)] = { .kind = VIEW_##what, .stack = OWN_STACK(ev), ##__VA_ARGS__ },
#define MOVE(ev, ...) VIEW(ev, STATE_TRANSITION, ##__VA_ARGS__)
#define MOVE_SELF(ev, ...) MOVE(ev, .moved_stack = OWN_STACK(ev), ##__VA_ARGS__)
#define STW(ev, what) \
	VIEW(ev, what, .name = "stop-the-world", .reason = 1, .scope = RESOURCE_GOROUTINE)
#define GC(ev, what) VIEW(ev, what, .name = "GC concurrent mark phase")
#define SWEEP(ev, what, ...) \
	VIEW(ev, what, .name = "GC incremental sweep", .scope = RESOURCE_PROC, ##__VA_ARGS__)
#define ASSIST(ev, what, ...) \
	VIEW(ev, what, .name = "GC mark assist", .scope = RESOURCE_GOROUTINE, ##__VA_ARGS__)

const struct view_spec view_specs[256] = {
	[TRACE_SYNC] = { .kind = VIEW_SYNC },
	[EV_CPUSample] = { .kind = VIEW_STACK_SAMPLE, .stack = 1 },
#include "read/view.def"
#define EV(number, name, version, class, args, stacks, strings) \
	TRACEV2_IF_EXPERIMENT(class, VIEW(name, EXPERIMENTAL))
#include "tracev2.def"
#undef EV
};

/* --- names --- */

static const char *const kind_names[VIEW_KINDS] = {
	[VIEW_SYNC] = "Sync", [VIEW_METRIC] = "Metric", [VIEW_LABEL] = "Label",
	[VIEW_STACK_SAMPLE] = "StackSample", [VIEW_RANGE_BEGIN] = "RangeBegin",
	[VIEW_RANGE_ACTIVE] = "RangeActive", [VIEW_RANGE_END] = "RangeEnd",
	[VIEW_TASK_BEGIN] = "TaskBegin", [VIEW_TASK_END] = "TaskEnd",
	[VIEW_REGION_BEGIN] = "RegionBegin", [VIEW_REGION_END] = "RegionEnd", [VIEW_LOG] = "Log",
	[VIEW_STATE_TRANSITION] = "StateTransition", [VIEW_EXPERIMENTAL] = "Experimental",
};

static const char *const event_names[256] = {
#define EV(number, name, version, class, args, stacks, strings) [number] = #name,
#include "tracev2.def"
#undef EV
	[TRACE_SYNC] = "Sync",
};

static bool is_name(const char *name, const char *text, size_t n)
{
	return name && strlen(name) == n && !memcmp(name, text, n);
}

const char *view_kind_name(unsigned int kind)
{
	return kind < VIEW_KINDS ? kind_names[kind] : NULL;
}

enum view_kind view_kind_named(const char *name, size_t n)
{
	unsigned int kind;

	for (kind = 0; kind < VIEW_KINDS; kind++)
		if (is_name(kind_names[kind], name, n))
			return (enum view_kind)kind;
	return VIEW_NONE;
}

const char *view_event_name(unsigned int type)
{
	return type < 256 && view_specs[type].kind ? event_names[type] : NULL;
}

int view_event_named(const char *name, size_t n)
{
	int type;

	for (type = 0; type < 256; type++)
		if (is_name(view_event_name((unsigned int)type), name, n))
			return type;
	return -1;
}

/* --- kinds --- */

struct view_range view_range(const struct trace_event *ev)
{
	const struct view_spec *spec = &view_specs[ev->type];
	struct view_range range = {
		.name = spec->name, .scope = (enum resource)spec->scope, .id = TRACEV2_NO_ID,
		.has_reason = spec->reason != 0, .reason = view_arg_at(ev, spec->reason),
	};

	if (spec->scope_id)
		range.id = view_arg_at(ev, spec->scope_id);
	else if (spec->scope)
		range.id = spec->scope == RESOURCE_PROC ? ev->p : ev->g;
	for (; range.nattrs < VIEW_RANGE_ATTRS && spec->attrs[range.nattrs]; range.nattrs++) {
		range.attrs[range.nattrs].name = spec->attrs[range.nattrs];
		range.attrs[range.nattrs].value = ev->args[range.nattrs];
	}
	return range;
}

/* The reader keeps the type of a task from its begin, which may be in a much earlier generation. */
struct view_task view_task(const struct trace_event *ev)
{
	struct view_task task = {
		.id = ev->args[0],
		.parent = ev->args[ev->type == EV_UserTaskEnd ? 2 : 1],
		.type = { "", 0 },
	};

	if (ev->text)
		task.type = (struct view_text){ ev->text, strset_len(ev->text) };
	return task;
}

struct view_sync view_sync(const struct trace_event *ev, const struct v2_generation *gen)
{
	struct view_sync sync = { .n = ev->args[0] };

	if (!gen || !gen->clock.has_snapshot)
		return sync;
	sync.has_clock = true;
	sync.time = clock_ns(&gen->clock, gen->clock.snap_time);
	sync.mono_ns = gen->clock.snap_mono;
	sync.wall_sec = gen->clock.snap_sec;
	sync.wall_nsec = gen->clock.snap_nsec;
	return sync;
}

unsigned view_args(const struct trace_event *ev, const struct raw_specs *specs,
		   struct view_arg args[TRACEV2_MAX_ARGS])
{
	const struct raw_spec *spec;
	const char *name;
	unsigned n;

	if (ev->type >= RAW_SPECS || ev->type == EV_CPUSample)
		return 0;
	spec = &specs->of[ev->type];
	name = spec->args ? strchr(spec->args, ' ') : NULL;	/* after dt */
	for (n = 0; name && n < TRACEV2_MAX_ARGS; n++, name = strchr(name, ' ')) {
		args[n].name = ++name;
		args[n].name_len = strcspn(name, " ");
		args[n].is_string = spec->strings >> (n + 1) & 1;
		args[n].is_stack = spec->stack == n + 1 || spec->new_stack == n + 1;
		args[n].value = ev->args[n];
	}
	return n;
}

const char *view_experiment_name(unsigned int experiment)
{
	return experiment == 1 ? "AllocFree" : NULL;
}

unsigned int view_experiment(const struct trace_event *ev)
{
	return 1;	/* the only experiment so far */
}
