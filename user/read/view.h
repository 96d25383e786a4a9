/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: what an event of the reader means, as internal/trace.Event of Go 1.27 shows it: which
 * goroutine or P it moves from which state to which, which range it begins or ends, which metric
 * it gives. One table says it for each kind of event; `gotap text --events` and libgotap show it.
 *
 * All functions are pure. Each is for the events of its kind alone (view_kind()), but for
 * view_stack(). Texts of ids lie in the tables of the generation of the last event.
 */
#ifndef GOTAP_READ_VIEW_H
#define GOTAP_READ_VIEW_H

#include "base/strset.h"
#include "read/v2_event.h"
#include "read/v2_generation.h"

/* Numbers and names are those of trace.EventKind. */
enum view_kind {
	VIEW_NONE,		/* not given by the reader */
	VIEW_SYNC,
	VIEW_METRIC,
	VIEW_LABEL,
	VIEW_STACK_SAMPLE,
	VIEW_RANGE_BEGIN,
	VIEW_RANGE_ACTIVE,	/* it was going on when the generation began */
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

/*
 * The facts that are the same for all events of a type. Places in args count from 1; 0: it has
 * none.
 */
struct view_spec {
	uint8_t kind;		/* enum view_kind */
	uint8_t stack;		/* where the goroutine was */
	uint8_t moved_stack;	/* transition: where the one is that it moves */
	/* string id: of a transition, or the part of a range's name in brackets */
	uint8_t reason;
	uint8_t scope;		/* range: enum resource; 0 is the whole program */
	uint8_t scope_id;	/* range: else the event's own goroutine or P */
	const char *name;	/* range, metric */
	const char *attrs[VIEW_RANGE_ATTRS];	/* names of the first arguments of a range's end */
};

extern const struct view_spec view_specs[256];

/* Bytes that need not end with a NUL; NULL where an id stands for nothing. */
struct view_text {
	const char *s;
	size_t len;
};

struct view_transition {
	enum resource of;
	uint64_t id;
	uint8_t from, to;	/* enum go_state or enum proc_state */
	uint64_t reason;	/* string id, 0 none */
	uint64_t stack;		/* of the one that moves, 0 unknown */
};

struct view_range {
	const char *name;
	bool has_reason;	/* shown as NAME (REASON) */
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
	const char *name;	/* of runtime/metrics, the unit behind its colon */
	uint64_t value;
};

struct view_task {
	uint64_t id, parent;	/* TRACEV2_NO_ID: none, or begun before the trace */
	struct view_text type;	/* "" if the trace has no begin */
};

struct view_region {
	uint64_t task;		/* 0: of none */
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
	/* the rest holds (header 1.25 on, not behind the last generation) */
	bool has_clock;
	int64_t time;		/* an event's time ... */
	uint64_t mono_ns;	/* ... CLOCK_MONOTONIC at that instant ... */
	uint64_t wall_sec, wall_nsec;	/* ... and the time of day */
};

/* An argument as the wire has it; a string's value is its id. */
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

/* "StateTransition"; NULL if there is no such kind. */
const char *view_kind_name(unsigned int kind);
/* The number of the kind of that name, VIEW_NONE if there is none. */
enum view_kind view_kind_named(const char *name, size_t n);
/*
 * "GoStart", "Sync", "CPUSample": the name of the event itself, NULL if none is given by the
 * reader.
 */
const char *view_event_name(unsigned int type);
/* Its number, -1 if there is none. */
int view_event_named(const char *name, size_t n);

static inline uint64_t view_arg_at(const struct trace_event *ev, uint8_t at)
{
	return at ? ev->args[at - 1] : 0;
}

/* The stack of where the event happened, 0 none. For all kinds. */
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

/* @gen: trace_reader_generation() at this event, NULL behind the last one. */
struct view_sync view_sync(const struct trace_event *ev, const struct v2_generation *gen);

/*
 * The arguments of an event of a thread (all kinds but VIEW_SYNC and VIEW_STACK_SAMPLE), as the
 * wire has them without dt; returns how many.
 */
unsigned view_args(const struct trace_event *ev, const struct raw_specs *specs,
		   struct view_arg args[TRACEV2_MAX_ARGS]);
/*
 * "AllocFree", the experiment of an event or a batch of data by its number; NULL if it is not
 * known.
 */
const char *view_experiment_name(unsigned int experiment);
/* The experiment that an event of VIEW_EXPERIMENTAL belongs to. */
unsigned int view_experiment(const struct trace_event *ev);

#endif
