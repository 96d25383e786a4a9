// SPDX-License-Identifier: Apache-2.0
/*
 * goroutines: records about the goroutine that a thread runs, or changes the state of. See
 * handlers.h.
 */
#include "sched/handlers.h"

#include "sched/children.h"
#include "sched/ensure.h"
#include "sched/steps.h"
#include "sched/waits.h"

/*
 * p.gcMarkWorkerMode (1 to 3) is set when this P wakes its worker and cleared
 * before the worker parks. The runtime labels a goroutine that starts on such a
 * P: the worker, also when it was preempted meanwhile.
 */
static void label_worker(struct model *s, struct M *m, struct G *g)
{
	static const char *const labels[] = { NULL, "GC (dedicated)", "GC (fractional)",
					      "GC (idle)" };
	unsigned int mode = m->p ? m->p->worker_mode : 0;

	if (!s->started || !g->worker || !mode || mode > 3)
		return;
	g->gc_work = true;
	ensure_p_takes(s, m, g);
	step_emit(s, m, EV_GoLabel, SINK_CONSTANT(labels[mode]));
}

void go_start(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = ensure_known(s, m, r->id, G_RUNNABLE);

	if (g->m == m && g->status == G_RUNNING)	/* coroswitch_m's slow path says it again */
		return;
	ensure_runnable(s, m, g);
	ensure_no_g(s, m);
	ensure_p_for(s, m, g);
	step_go_start(s, m, g);
	if (g->child)
		child_runs(s, m);
	label_worker(s, m, g);
}

/* A worker that was preempted is labelled again if its P still expects it to mark. */
static void preempted_worker(struct M *m, const struct rec *r)
{
	if (m->g && m->g->worker && m->p && r->flags)
		m->p->worker_mode = r->flags - 1;
}

void go_park(struct model *s, struct M *m, const struct rec *r)
{
	const struct rec_long *l = as_long(r);
	struct G *g = ensure_running(s, m, r->id);
	const char *reason = s->block_reasons[r->sub];
	struct trace_wait object;

	g->worker |= s->worker_waits[r->sub];
	if (g->worker && m->p)
		m->p->worker_mode = 0;
	if (g->child)
		child_stops(s, m);
	step_go_block(s, m, reason, reason, l->stack, wait_park(s, m, g, l, &object));
}

void go_preempt_park(struct model *s, struct M *m, const struct rec *r)
{
	ensure_running(s, m, r->id);
	preempted_worker(m, r);
	step_go_block(s, m, "preempted", "preempted", as_long(r)->stack, NULL);
}

void go_stop(struct model *s, struct M *m, const struct rec *r)
{
	ensure_running(s, m, r->id);
	ensure_no_stop(s, m);
	preempted_worker(m, r);
	if (m->g->child)
		child_stops(s, m);
	step_go_stop(s, m, r->sub == REC_STOP_GOSCHED ? "runtime.Gosched" : "preempted",
		     as_long(r)->stack);
}

void go_dead(struct model *s, struct M *m, const struct rec *r)
{
	if (m->coro_exit == r->id)	/* coroswitch_m ends it by gdestroy: said already */
		return;
	ensure_running(s, m, r->id);
	ensure_may_leave(s, m);
	if (m->g->child)
		child_ends(s, m);
	step_go_destroy(s, m);
}

void go_ready(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = ensure_known(s, m, r->id, G_WAITING);

	ensure_waiting(s, m, g);
	if (m->g && (g->child || m->g->child))
		child_wakes(s, m, g);
	if (g->status == G_WAITING)
		step_go_unblock(s, m, g, as_long(r)->stack);
	/* The mode may be of an earlier choice: of a worker that another P had taken meanwhile. */
	if (r->sub && g->worker && m->p)
		m->p->worker_mode = r->sub;
}

void go_create(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = g_put(s, r->id);

	if (g->status != STATUS_UNKNOWN) {
		repair(s, REPAIR_DROPPED);
		return;
	}
	ensure_may_create(s, m);
	step_go_create(s, m, g, r->kind == REC_GO_CREATE_BLOCKED, as_long(r)->arg,
		       as_long(r)->stack);
	child_created(s, m, g);
	labels_inherit(s, m, g);
}

/* The record's stack word is the goid of the goroutine that goes on. */
void go_switch(struct model *s, struct M *m, const struct rec *r)
{
	bool dies = r->kind == REC_GO_SWITCH_DEAD;
	uint64_t to = as_long(r)->stack;
	struct G *next;

	if (!to || to == r->id) {	/* its memory could not be read */
		repair(s, REPAIR_DROPPED);
		return;
	}
	ensure_running(s, m, r->id);
	next = ensure_known(s, m, to, G_WAITING);
	if (next->m || s->opts.version >= 23)
		ensure_waiting(s, m, next);
	/* again: for the next one to leave its thread, that may have got the P of @m */
	ensure_running(s, m, r->id);
	ensure_p_takes(s, m, next);
	ensure_no_stop(s, m);
	if (dies)
		ensure_no_assist(s, m);
	if (dies && m->g->child)
		child_ends(s, m);
	step_go_switch(s, m, next, dies);
	if (next->child)
		child_runs(s, m);
	m->coro_exit = dies ? r->id : 0;
}
