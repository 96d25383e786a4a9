/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_step: what the handlers of v2_order share, one per kind of event. A
 * handler is given the event with the context it meets in ev->m, ev->p and
 * ev->g, and the thread's state in o->m (NULL for events of no thread). It
 * changes states, binds what runs on the thread from now on, and queues what
 * is to be seen. Before it returns ADVANCE_WAIT it must not have changed
 * anything; after ADVANCE_FAIL nothing counts any more.
 */
#ifndef GOTAP_READ_V2_STEP_H
#define GOTAP_READ_V2_STEP_H

#include "read/v2_order.h"

/* May an event happen without it, with it, or either way? */
enum need { MUST_NOT, MAY, MUST };

typedef enum advance step_fn(struct order *o, struct trace_event *ev);

step_fn step_proc_status, step_proc_start, step_proc_stop, step_proc_steal;
step_fn step_go_status, step_go_create, step_go_start, step_go_unblock, step_go_stop;
step_fn step_go_switch;
step_fn step_syscall_begin, step_syscall_end, step_syscall_end_blocked;
step_fn step_go_create_syscall, step_go_destroy_syscall;
step_fn step_go_range_begin, step_go_range_active, step_go_range_end;
step_fn step_sweep_begin, step_sweep_active, step_sweep_end;
step_fn step_gc_active, step_gc_begin, step_gc_end;
step_fn step_annotation, step_heap_metric, step_experiment;
step_fn step_task_begin, step_task_end, step_region_begin, step_region_end;

enum advance step_fail(struct order *o, const struct trace_event *ev, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Says why, if somebody wants to know. */
enum advance step_wait(struct order *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets the fault that step_require() found. */
bool step_misses(struct order *o, const struct trace_event *ev, enum need m, enum need p,
		 enum need g);

static inline bool meets(enum need need, uint64_t id)
{
	return need == MAY || (need == MUST) == (id != TRACEV2_NO_ID);
}

/* False with the fault set if the context is not as needed. */
static inline bool step_require(struct order *o, const struct trace_event *ev, enum need m,
				enum need p, enum need g)
{
	return (meets(m, ev->m) && meets(p, ev->p) && meets(g, ev->g)) ||
	       step_misses(o, ev, m, p, g);
}

static inline bool step_require_user(struct order *o, const struct trace_event *ev)
{
	return step_require(o, ev, MUST, MUST, MUST);
}

/* What runs on the thread from now on; events of no thread bind nothing. */
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

/* Queues @ev; always ADVANCE_DONE. */
static inline enum advance step_done(struct order *o, struct trace_event *ev)
{
	o->queue[(o->head + o->queued++) % ORDER_QUEUE] = ev;
	return ADVANCE_DONE;
}

/* Queues an event that stands for part of @ev, in its context but with goroutine @g. */
struct trace_event *step_queue(struct order *o, const struct trace_event *ev, uint8_t type,
			       uint64_t g);

/*
 * State of what is bound to the thread, NULL if there is none. An order_g is
 * reused but never freed, and no two live ones have one id, so one that is
 * live and has the right id is the one the map would give.
 */
static inline struct order_g *step_g(struct order *o, const struct trace_event *ev)
{
	struct order_g *g = o->m ? o->m->last_g : NULL;

	if (g && g->id == ev->g && g->live)
		return g;
	return order_find_g(o, ev->g);
}

static inline struct order_p *step_p(struct order *o, const struct trace_event *ev)
{
	struct order_p *p = o->m ? o->m->last_p : NULL;

	if (p && p->id == ev->p)
		return p;
	return order_find_p(o, ev->p);
}

/* The same, with the error that a missing or otherwise busy goroutine is. */
struct order_g *step_not_running(struct order *o, const struct trace_event *ev,
				 const struct order_g *g);
static inline struct order_g *step_running_g(struct order *o, const struct trace_event *ev)
{
	struct order_g *g = step_g(o, ev);

	return g && g->status == G_RUNNING ? g : step_not_running(o, ev, g);
}
struct order_g *step_syscall_g(struct order *o, const struct trace_event *ev, const char *want);

struct order_g *order_add_g(struct order *o, uint64_t id, uint8_t status, uint64_t gen);
void order_del_g(struct order *o, struct order_g *g);
struct order_p *order_add_p(struct order *o, uint64_t id);
struct order_m *order_add_m(struct order *o, uint64_t id);

static inline const char *step_name(const struct order *o, const struct trace_event *ev)
{
	return o->specs->of[ev->type].name;
}

static inline bool seq_follows(const struct order_seq *last, uint64_t gen, uint64_t n)
{
	return last->gen == gen && n == last->n + 1;
}

#endif
