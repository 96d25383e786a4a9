/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: the meaning of a reader's event, as internal/trace.Event of Go 1.27 shows it: the goroutine
 * or P that changes its state, with both states; the range that it begins or ends; the metric and
 * its value. One table has this for each type of event; `gotap text --events` and libgotap show it.
 *
 * The functions have no side effects. Each function is for events of its kind only (view_kind()),
 * except view_stack(). The texts of ids are in the tables of the generation of the last event.
 */
#ifndef GOTAP_READ_VIEW_H
#define GOTAP_READ_VIEW_H

#include "base/strset.h"
#include "read/v2_event.h"
#include "read/v2_generation.h"

/* Numbers and names are those of trace.EventKind. */
enum view_kind {
	VIEW_NONE,		/* the reader does not return it */
	VIEW_SYNC,
	VIEW_METRIC,
	VIEW_LABEL,
	VIEW_STACK_SAMPLE,
	VIEW_RANGE_BEGIN,
	VIEW_RANGE_ACTIVE,	/* the range was active when the generation began */
	VIEW_RANGE_END,
	VIEW_TASK_BEGIN,
	VIEW_TASK_END,
	VIEW_REGION_BEGIN,
	VIEW_REGION_END,
	VIEW_LOG,
	VIEW_STATE_TRANSITION,
	VIEW_EXPERIMENTAL,
	VIEW_KINDS,
};

enum { VIEW_RANGE_ATTRS = 2 };

/* The facts that are the same for all events of a type. Places in args count from 1; 0: none. */
struct view_spec {
	uint8_t kind;		/* enum view_kind */
	uint8_t stack;		/* the event's own stack */
	uint8_t moved_stack;	/* transition: stack of the goroutine that changes its state */
	/* string id: reason of a transition, or the part of a range's name in brackets */
	uint8_t reason;
	uint8_t scope;		/* range: enum resource; 0: the whole program */
	/* range: place of its goroutine or P; 0: that of the event's context */
	uint8_t scope_id;
	const char *name;	/* range, metric */
	const char *attrs[VIEW_RANGE_ATTRS];	/* names of the first arguments of a range's end */
};

extern const struct view_spec view_specs[256];

/* Bytes without a terminating NUL; s is NULL if there is no such id. */
struct view_text {
	const char *s;
	size_t len;
};

struct view_transition {
	enum resource of;
	uint64_t id;
	uint8_t from, to;	/* enum go_state or enum proc_state */
	uint64_t reason;	/* string id, 0: none */
	uint64_t stack;		/* stack of the goroutine that changes its state, 0: not known */
};

struct view_range {
	const char *name;
	bool has_reason;	/* the range is shown as NAME (REASON) */
	uint64_t reason;	/* string id */
	enum resource scope;	/* RESOURCE_NONE: the whole program */
	uint64_t id;
	unsigned nattrs;
	struct {
		const char *name;
		uint64_t value;
	} attrs[VIEW_RANGE_ATTRS];
};

struct view_metric {
	const char *name;	/* name in runtime/metrics, with the unit after a colon */
	uint64_t value;
};

struct view_task {
	uint64_t id, parent;	/* TRACEV2_NO_ID: none, or begun before the trace */
	struct view_text type;	/* "" if the trace lacks the begin */
};

struct view_region {
	uint64_t task;		/* 0: no task */
	uint64_t type;		/* string id */
};

struct view_log {
	uint64_t task;
	uint64_t category, message;	/* string ids */
};

struct view_label {
	uint64_t label;		/* string id */
	enum resource of;
	uint64_t id;
};

struct view_sync {
	uint64_t n;		/* from 1 on */
	/* the clocks below are set (header 1.25 on, not after the last generation) */
	bool has_clock;
	int64_t time;		/* a time on the clock of the events */
	uint64_t mono_ns;	/* CLOCK_MONOTONIC at that instant */
	uint64_t wall_sec, wall_nsec;	/* time of day at that instant */
};

/* An argument in the form of the file; the value of a string is its id. */
struct view_arg {
	const char *name;
	size_t name_len;
	bool is_string, is_stack;
	uint64_t value;
};

static inline enum view_kind view_kind(const struct trace_event *ev)
{
	return (enum view_kind)view_specs[ev->type].kind;
}

/* The name of a kind, such as "StateTransition"; NULL: no such kind. */
const char *view_kind_name(unsigned int kind);
/* The kind with this name, VIEW_NONE: there is none. */
enum view_kind view_kind_named(const char *name, size_t n);
/*
 * The name of an event type, such as "GoStart", "Sync", "CPUSample"; NULL: the reader does not
 * return this type.
 */
const char *view_event_name(unsigned int type);
/* The event type with this name, -1: none. */
int view_event_named(const char *name, size_t n);

static inline uint64_t view_arg_at(const struct trace_event *ev, uint8_t at)
{
	return at ? ev->args[at - 1] : 0;
}

/* The event's own stack, 0: none. For all kinds. */
static inline uint64_t view_stack(const struct trace_event *ev)
{
	return view_arg_at(ev, view_specs[ev->type].stack);
}

static inline struct view_transition view_transition(const struct trace_event *ev)
{
	const struct view_spec *spec = &view_specs[ev->type];
	struct trace_transition tr = event_transition(ev);

	return (struct view_transition){
		.of = tr.of, .id = tr.id, .from = tr.from, .to = tr.to,
		.reason = view_arg_at(ev, spec->reason),
		.stack = view_arg_at(ev, spec->moved_stack),
	};
}

struct view_range view_range(const struct trace_event *ev);

static inline struct view_metric view_metric(const struct trace_event *ev)
{
	return (struct view_metric){ view_specs[ev->type].name, ev->args[0] };
}

static inline struct view_label view_label(const struct trace_event *ev)
{
	return (struct view_label){ ev->args[0], RESOURCE_GOROUTINE, ev->g };
}

struct view_task view_task(const struct trace_event *ev);

static inline struct view_region view_region(const struct trace_event *ev)
{
	return (struct view_region){ ev->args[0], ev->args[1] };
}

static inline struct view_log view_log(const struct trace_event *ev)
{
	return (struct view_log){ ev->args[0], ev->args[1], ev->args[2] };
}

/* @gen: trace_reader_generation() at this event, NULL after the last generation. */
struct view_sync view_sync(const struct trace_event *ev, const struct v2_generation *gen);

/*
 * The arguments of an event of a thread (all kinds but VIEW_SYNC and VIEW_STACK_SAMPLE), as in the
 * file without dt. Returns their number.
 */
unsigned view_args(const struct trace_event *ev, const struct raw_specs *specs,
		   struct view_arg args[TRACEV2_MAX_ARGS]);
/* The name of an experiment, such as "AllocFree"; NULL: not known. */
const char *view_experiment_name(unsigned int experiment);
/* The experiment to which an event of VIEW_EXPERIMENTAL belongs. */
unsigned int view_experiment(const struct trace_event *ev);

#endif
