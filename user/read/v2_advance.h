/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_advance: the handlers of v2_order, one per kind of event, and their shared functions. A
 * handler gets the event with its context before the event in ev->m, ev->p and ev->g, and the
 * thread's state in o->m (NULL for events without a thread). It changes states, sets the goroutine
 * and P of the thread, and queues the events to return. A handler that returns ADVANCE_WAIT must
 * not have changed anything; after ADVANCE_FAIL the states are not used any more.
 */
#ifndef GOTAP_READ_V2_ADVANCE_H
#define GOTAP_READ_V2_ADVANCE_H

#include "read/v2_order.h"

/* Whether an event happens without a thread, P or goroutine, with or without, or only with one. */
enum need { MUST_NOT, MAY, MUST };

order_handler advance_proc_status, advance_proc_start, advance_proc_stop, advance_proc_steal;
order_handler advance_go_status, advance_go_create, advance_go_start, advance_go_unblock;
order_handler advance_go_stop, advance_go_switch;
order_handler advance_syscall_begin, advance_syscall_end, advance_syscall_end_blocked;
order_handler advance_go_create_syscall, advance_go_destroy_syscall;
order_handler advance_go_range_begin, advance_go_range_active, advance_go_range_end;
order_handler advance_sweep_begin, advance_sweep_active, advance_sweep_end;
order_handler advance_gc_active, advance_gc_begin, advance_gc_end;
order_handler advance_annotation, advance_heap_metric, advance_experiment;
order_handler advance_task_begin, advance_task_end, advance_region_begin, advance_region_end;

enum advance advance_fail(struct order *o, const struct trace_event *ev, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));
/* Returns ADVANCE_WAIT, and puts the reason into o->explain if it is not NULL. */
enum advance advance_wait(struct order *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets the fault for a context that advance_require() refuses; returns false. */
bool advance_misses(struct order *o, const struct trace_event *ev, enum need m, enum need p,
		 enum need g);

static inline bool meets(enum need need, uint64_t id)
{
	return need == MAY || (need == MUST) == (id != TRACEV2_NO_ID);
}

/* Returns true if the context is as needed, else false with the fault set. */
static inline bool advance_require(struct order *o, const struct trace_event *ev, enum need m,
				enum need p, enum need g)
{
	return (meets(m, ev->m) && meets(p, ev->p) && meets(g, ev->g)) ||
	       advance_misses(o, ev, m, p, g);
}

static inline bool advance_require_user(struct order *o, const struct trace_event *ev)
{
	return advance_require(o, ev, MUST, MUST, MUST);
}

/*
 * Set the goroutine or P of the thread from now on. For an event without a thread they do nothing.
 */
static inline void bind_g(struct order *o, uint64_t g)
{
	if (o->m)
		o->m->g = g;
}

static inline void bind_p(struct order *o, uint64_t p)
{
	if (o->m)
		o->m->p = p;
}

/* Queues @ev; returns ADVANCE_DONE. */
static inline enum advance advance_done(struct order *o, struct trace_event *ev)
{
	o->queue[o->pushed++ % ORDER_QUEUE] = ev;
	return ADVANCE_DONE;
}

/* Queues an event for a step of @ev, in its context but with goroutine @g. */
struct trace_event *advance_queue(struct order *o, const struct trace_event *ev, uint8_t type,
			       uint64_t g);

/* The state of the goroutine or P of the thread, NULL: none. */
static inline struct order_g *advance_g(struct order *o, const struct trace_event *ev)
{
	return order_find_g(o, ev->g);
}

static inline struct order_p *advance_p(struct order *o, const struct trace_event *ev)
{
	return order_find_p(o, ev->p);
}

/* As advance_g(), and sets the fault if there is no goroutine or if it does not run. */
struct order_g *advance_not_running(struct order *o, const struct trace_event *ev,
				 const struct order_g *g);
static inline struct order_g *advance_running_g(struct order *o, const struct trace_event *ev)
{
	struct order_g *g = advance_g(o, ev);

	return g && g->status == G_RUNNING ? g : advance_not_running(o, ev, g);
}
struct order_g *advance_syscall_g(struct order *o, const struct trace_event *ev, const char *want);

struct order_g *order_add_g(struct order *o, uint64_t id, uint8_t status, uint64_t gen);
void order_del_g(struct order *o, struct order_g *g);
struct order_p *order_add_p(struct order *o, uint64_t id);
struct order_m *order_add_m(struct order *o, uint64_t id);

static inline const char *advance_name(const struct order *o, const struct trace_event *ev)
{
	return o->specs->of[ev->type].name;
}

static inline bool seq_follows(const struct order_seq *last, uint64_t gen, uint64_t n)
{
	return last->gen == gen && n == last->n + 1;
}

#endif
