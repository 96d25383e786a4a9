/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: what the files of otlp share: otlp.c follows tasks and regions, op.c holds their spans
 * and gives them away when their trace is known, describe.c says what is in them.
 */
#ifndef GOTAP_OTLP_INTERNAL_H
#define GOTAP_OTLP_INTERNAL_H

#include "base/map64.h"
#include "otlp/otlp.h"

struct otlp_op;

/* A trace of OpenTelemetry: that of one task without a parent. */
struct otlp_root {
	uint32_t refs;		/* operations of it */
	uint8_t trace[OTLP_TRACE_ID], parent[OTLP_SPAN_ID];
	bool has_parent;	/* in another program, by the traceparent */
	uint8_t flags;		/* of the traceparent */
	bool resolved;		/* the root has ended: the ids are known */
	bool skip;		/* it is not exported */
	int64_t wall;		/* time of day at time 0 of the trace's clock, ns, for all spans */
	struct vec held;	/* struct otlp_op *, until it is resolved */
	uint64_t left_out;
};

struct otlp_wait {
	int64_t from, ns;
	const char *reason;
	uint32_t stack;
	uint8_t kind;		/* enum wait_kind */
	uint64_t of;
};

/* A log event inside of an operation. */
struct otlp_note {
	int64_t time;
	const char *name;
	const struct otlp_category *category;
	char *log;
};

/* A task or region: open, or held. */
struct otlp_op {
	uint32_t refs;		/* by the table of tasks, a stack, the list of held ones */
	struct otlp_root *root;
	bool is_root, is_region;
	/* a region outside of all spans: it is one if it turns out to be a call */
	bool is_loose;
	bool has_region;	/* of a task: its own region has begun */
	uint8_t id[OTLP_SPAN_ID], parent[OTLP_SPAN_ID];
	uint64_t task, g;	/* of a region: the task that it names */
	int64_t from, to;	/* @to is 0 while it is open */
	struct otlp_op *child_of;	/* of a region: the task that its goroutine works for */
	const char *name;
	char *final_name;	/* of a child, by the name of its task at the end; NULL: none */
	const char *func;	/* of a region: the function that its goroutine began with */
	const struct otlp_category *category;	/* of its log event; NULL: none */
	char *log;		/* its message; NULL: none */
	struct vec waits;	/* struct otlp_wait */
	struct vec notes;	/* struct otlp_note */
	uint64_t left_out_events;
	size_t held;		/* bytes that it has added to otlp.held */
};

struct otlp {
	struct spans *s;
	struct otlp_options options;
	struct map64 tasks;	/* id -> struct otlp_op *, of open ones */
	struct vec stacks;	/* struct vec of struct otlp_op *, by slot: open regions */
	struct origin origin;
	struct otlp_ids ids;
	bool has_ids;
	size_t held;		/* bytes */
	/* a log event of goroutine @log_g about the region that ends next; category NULL: none */
	struct { uint64_t g; const struct otlp_category *category; char *message; } log;
	uint64_t ending;	/* the goroutine that the event at hand ends; TRACEV2_NO_ID: none */
	struct otlp_facts facts, resource;
	struct vec events;	/* struct otlp_event, of the span at hand */
	struct otlp_batch batch;
	struct otlp_counts counts;
	struct error failed;
};

/* --- op.c --- */

/* @parent NULL: it is a root. */
struct otlp_op *op_new(struct otlp *o, const struct otlp_op *parent, int64_t from);
void op_release(struct otlp_op *op);
/* The operation has ended at @to: its span is given away, or held until its root ends. */
void op_ended(struct otlp *o, struct otlp_op *op, int64_t to);
/* The trace ends, and the operation had not. */
void op_left_open(struct otlp *o, struct otlp_op *op);
/* Adds the message of a log event about it. */
void op_take_log(struct otlp_op *op, const struct otlp_category *c, const char *message);
/* Adds a log event inside of it. */
void op_take_note(struct otlp_op *op, const struct otlp_note *note);
/* Has it room for another event? If not that is counted. */
bool op_has_event_room(struct otlp_op *op);
/* Gives the batch at hand to options.take(), if it has spans. */
void otlp_flush(struct otlp *o);
const struct otlp_ids *otlp_ids_of(struct otlp *o);

/* --- describe.c --- */

/* The attributes of the program. */
void otlp_describe_resource(struct otlp *o, struct otlp_facts *f);
/* Fills o->facts and o->events. */
void otlp_describe(struct otlp *o, const struct otlp_op *op);

#endif
