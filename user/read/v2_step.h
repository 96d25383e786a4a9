/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_step: what the handlers of v2_order share, one per kind of event. A
 * handler looks at s->cur, changes states and s->next (which becomes the
 * thread's binding if it returns ADVANCE_DONE) and queues what is to be seen.
 * Before it returns ADVANCE_WAIT it must not have changed anything.
 */
#ifndef GOTAP_READ_V2_STEP_H
#define GOTAP_READ_V2_STEP_H

#include "read/v2_order.h"

struct step_ctx {
	uint64_t m, p, g;
};

struct step {
	struct order *o;
	struct trace_event *ev;
	struct order_m *m;	/* NULL for events of no thread */
	const struct v2_tables *tables;
	uint64_t gen;
	struct step_ctx cur, next;
};

/* May an event happen without it, with it, or either way? */
enum need { MUST_NOT, MAY, MUST };

typedef enum advance step_fn(struct step *s);

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

enum advance step_fail(struct step *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
enum advance step_wait(struct step *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* False with the fault set if s->cur is not as needed. */
bool step_require(struct step *s, enum need m, enum need p, enum need g);
static inline bool step_require_user(struct step *s)
{
	return step_require(s, MUST, MUST, MUST);
}

/* Queues s->ev in context s->cur; always ADVANCE_DONE. */
enum advance step_done(struct step *s);
/* Queues an event that stands for part of s->ev. */
struct trace_event *step_queue(struct step *s, uint8_t type, uint64_t g);

/* State of what is bound to the thread, NULL if there is none. */
struct order_g *step_g(struct step *s);
struct order_p *step_p(struct step *s);
/* The same, with the error that a missing or otherwise busy goroutine is. */
struct order_g *step_running_g(struct step *s);
struct order_g *step_syscall_g(struct step *s, const char *want);

struct order_g *order_add_g(struct order *o, uint64_t id, uint8_t status, uint64_t gen);
void order_del_g(struct order *o, struct order_g *g);
struct order_p *order_add_p(struct order *o, uint64_t id);
struct order_m *order_add_m(struct order *o, uint64_t id);

static inline const char *step_name(const struct step *s)
{
	return s->o->specs->of[s->ev->type].name;
}

static inline bool seq_follows(const struct order_seq *last, uint64_t gen, uint64_t n)
{
	return last->gen == gen && n == last->n + 1;
}

#endif
