/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_order: the state of all goroutines, procs and threads at one point of a trace, and the
 * requirements and effects of each event. order_advance() tries one event: it is handled, or must
 * wait, or can never be handled.
 *
 * The rules are those of internal/trace/order.go, which are equal from Go 1.25 to 1.27
 * (docs/traceformat.md, Order); the words of the errors are those of Go's reader. The state
 * continues across generations.
 */
#ifndef GOTAP_READ_V2_ORDER_H
#define GOTAP_READ_V2_ORDER_H

#include "base/strset.h"
#include "base/vec.h"
#include "read/idtab.h"
#include "read/v2_event.h"
#include "read/v2_table.h"

enum advance {
	ADVANCE_FAIL = -1,	/* the fault is set */
	ADVANCE_WAIT = 0,	/* another thread must continue first; no state has changed */
	ADVANCE_DONE = 1,	/* the events are in the queue */
};

/* Sequence numbers count from 0 after each status, within a generation. */
struct order_seq {
	uint64_t gen, n;
};

struct order_range {
	uint64_t desc;		/* string id of the reason of a stop-the-world */
	uint8_t type;		/* type of its Begin event */
};

struct order_region {
	uint64_t task;
	const char *name;	/* interned: string ids change between generations */
};

/* The open ranges of a goroutine or proc. Few have any. */
struct order_open {
	struct vec ranges;	/* struct order_range */
	struct vec regions;	/* struct order_region */
};

struct order_m;

/* Records of idtabs: the id must come first. */
struct order_g {
	uint64_t id;
	uint8_t status;		/* enum tracev2_gstatus */
	struct order_seq seq;
	struct order_open *open;	/* NULL: it never had any; see order_open_of() */
};

struct order_p {
	uint64_t id;
	uint8_t status;		/* enum tracev2_pstatus */
	struct order_seq seq;
	struct order_open *open;
	struct order_m *on;	/* the last thread that had it; may have lost it since */
};

struct order_m {
	uint64_t id;
	uint64_t p, g;		/* P and goroutine of the thread, TRACEV2_NO_ID: none */
};

struct order_task {
	uint64_t id;
	const char *name;
	uint64_t parent;
};

enum gc_state { GC_UNDETERMINED, GC_NOT_RUNNING, GC_RUNNING };

enum { ORDER_QUEUE = 4 };	/* no event queues more than three */

struct order {
	struct idtab gs, ps, ms;	/* struct order_g, ... */
	struct idtab tasks;	/* struct order_task: open tasks */
	struct strset *names;	/* names of regions and tasks */
	const struct raw_specs *specs;
	struct v2_fault *fault;
	uint64_t gc_seq;
	enum gc_state gc;
	uint64_t initial_gen;	/* the first generation with events */
	uint64_t gen;		/* the current generation, set by order_enter() */
	const struct v2_tables *tables;
	struct order_m *m;	/* thread of the current event */
	unsigned pushed;	/* number of events that were queued */
	struct trace_event *queue[ORDER_QUEUE];
	unsigned taken;		/* number of them that were taken */
	struct trace_event parts[2];	/* additional events for steps of one event */
	unsigned used_parts;
	char *explain;		/* not NULL: gets the reason of an ADVANCE_WAIT */
	size_t explain_size;
};

void order_init(struct order *o, const struct raw_specs *specs, struct v2_fault *fault);
void order_free(struct order *o);

/*
 * The following events belong to generation @gen with @tables. @events: some of them have threads.
 */
void order_enter(struct order *o, uint64_t gen, const struct v2_tables *tables, bool events);

/*
 * Checks the conditions of one kind of event and makes its changes, see v2_advance.h. The table is
 * indexed by the type and has all timed events.
 */
typedef enum advance order_handler(struct order *o, struct trace_event *ev);
extern order_handler *const order_handlers[RAW_SPECS];

/* The state of thread @id, made if it is new. */
struct order_m *order_thread(struct order *o, uint64_t id);

/*
 * Tries @ev, the next event of thread ev->place.thread. Sets its context, and may change args,
 * old_state and text. If the event is handled, the queue refers to it until order_take(). *@m
 * caches the thread's state between calls; it is NULL before the first call.
 */
static inline enum advance order_advance(struct order *o, struct trace_event *ev,
					 struct order_m **m)
{
	ev->m = ev->place.thread;
	if (ev->m != TRACEV2_NO_ID) {
		if (!*m)
			*m = order_thread(o, ev->m);
		ev->p = (*m)->p;
		ev->g = (*m)->g;
	} else {
		ev->p = ev->g = TRACEV2_NO_ID;
	}
	o->m = *m;
	return order_handlers[ev->type](o, ev);
}

/* Removes the oldest event from the queue and returns it; NULL: the queue is empty. */
static inline struct trace_event *order_take(struct order *o)
{
	if (o->taken == o->pushed)
		return NULL;
	return o->queue[o->taken++ % ORDER_QUEUE];
}

/* Empties the queue. */
static inline void order_drop(struct order *o)
{
	o->taken = o->pushed;
}

static inline struct order_g *order_find_g(struct order *o, uint64_t id)
{
	return idtab_find(&o->gs, id);
}

static inline struct order_p *order_find_p(struct order *o, uint64_t id)
{
	return idtab_find(&o->ps, id);
}

static inline struct order_m *order_find_m(struct order *o, uint64_t id)
{
	return idtab_find(&o->ms, id);
}

/* The open ranges of a goroutine or proc, allocated if needed. */
struct order_open *order_open_of(struct order_open **open);


/*
 * Writes the known state of the goroutines, procs and threads that @ev, on thread @ev->m, is about.
 */
void order_describe(struct order *o, const struct trace_event *ev, char *text, size_t size);

#endif
