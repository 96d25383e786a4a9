// SPDX-License-Identifier: Apache-2.0
/* ensure: see ensure.h. */
#include "sched/ensure.h"

#include "sched/steps.h"

static const char UNSEEN[] = "unspecified";	/* reason of a block whose record was lost */

/*
 * After the first generation a reader takes new goroutines only by GoCreate,
 * from a thread that has a P and is not in a syscall.
 */
static void introduce(struct model *s, struct M *m, struct G *g, uint8_t status)
{
	if (s->gen == 1) {
		g->status = status;
		step_go_status(s, g);
		return;
	}
	ensure_p(s, m);
	if (m->g && m->g->status != G_RUNNING) {
		/* Cannot create from here: from a bare thread that gets a P for it. */
		g->status = G_RUNNABLE;
		return;
	}
	step_go_create(s, m, g, false, 0, 0);
	if (status == G_WAITING) {
		/* Known to wait: there is no event for that but to run and block. */
		g->status = G_RUNNABLE;
	}
}

struct G *ensure_known(struct model *s, struct M *m, uint64_t goid, uint8_t status)
{
	struct G *g = g_put(s, goid);

	if (g->status != STATUS_UNKNOWN)
		return g;
	if (!s->started) {
		g->status = status;
		return g;
	}
	repair(s, REPAIR_GO_UNKNOWN);
	introduce(s, m, g, status);
	return g;
}

static struct P *any_idle_p(struct model *s)
{
	size_t i;

	map64_each(&s->ps, i) {
		struct P *p = map64_ptr(&s->ps, i, struct P);

		if (p->status == P_IDLE)
			return p;
	}
	return NULL;
}

static struct P *any_syscall_p(struct model *s)
{
	size_t i;

	map64_each(&s->ps, i) {
		struct P *p = map64_ptr(&s->ps, i, struct P);

		if (p->status == P_SYSCALL)
			return p;
	}
	return NULL;
}

void ensure_p(struct model *s, struct M *m)
{
	struct P *p;

	if (m->p || !s->started)
		return;
	repair(s, REPAIR_P_MISSING);
	p = any_idle_p(s);
	if (!p) {
		p = any_syscall_p(s);
		if (p)
			step_p_steal(s, m, p);
	}
	if (!p) {	/* all busy: one the trace has not heard of; any number is free to use */
		p = p_put(s, s->ps.len, 0);
		p->status = P_IDLE;
		step_p_status(s, p);
	}
	step_p_start(s, m, p);
}

/* The P of a thread whose goroutine must run must not be in a syscall any more. */
static void end_syscall_on(struct model *s, struct M *m)
{
	if (m->p && m->p->status == P_SYSCALL)
		step_sys_end(s, m);
	else
		step_sys_end_blocked(s, m);
}

/* Takes the goroutine off @m as waiting. */
static void put_to_wait(struct model *s, struct M *m)
{
	struct G *g = m->g;

	if (g->status == G_SYSCALL)
		end_syscall_on(s, m);
	if (!m->g) {	/* it left the syscall without a P */
		ensure_p(s, m);
		step_go_start(s, m, g);
	}
	ensure_p(s, m);
	step_go_block(s, m, UNSEEN, 0);
}

void ensure_no_g(struct model *s, struct M *m)
{
	if (!m->g)
		return;
	if (!s->started) {
		g_unbind(m->g, G_WAITING);
		return;
	}
	repair(s, REPAIR_GO_RUNNING);
	put_to_wait(s, m);
}

struct G *ensure_running(struct model *s, struct M *m, uint64_t goid)
{
	struct G *g = ensure_known(s, m, goid, G_RUNNABLE);

	if (g->m == m && g->status == G_RUNNING) {
		ensure_p(s, m);
		return g;
	}
	if (!s->started) {
		g_bind(g, m, G_RUNNING);
		return g;
	}
	if (g->m == m && g->status == G_SYSCALL) {
		repair(s, REPAIR_GO_SYSCALL);
		end_syscall_on(s, m);
		if (g->status == G_RUNNING)
			return g;
	}
	ensure_runnable(s, m, g);
	ensure_no_g(s, m);
	ensure_p(s, m);
	repair(s, REPAIR_GO_RUNNING);
	step_go_start(s, m, g);
	return g;
}

void ensure_waiting(struct model *s, struct M *m, struct G *g)
{
	if (g->status == G_WAITING)
		return;
	if (!s->started) {
		g_unbind(g, G_WAITING);
		return;
	}
	repair(s, REPAIR_GO_NOT_WAITING);
	if (g->m) {
		put_to_wait(s, g->m);
		return;
	}
	/* Runnable: it ran and blocked somewhere; any thread with a free seat will do. */
	if (m->g || !m->p)
		return;
	step_go_start(s, m, g);
	step_go_block(s, m, UNSEEN, 0);
}

void ensure_runnable(struct model *s, struct M *m, struct G *g)
{
	if (g->status == G_RUNNABLE)
		return;
	if (!s->started) {
		g_unbind(g, G_RUNNABLE);
		return;
	}
	if (g->status == G_WAITING) {
		repair(s, REPAIR_GO_WAITING);
		step_go_unblock(s, m, g, 0);
		return;
	}
	repair(s, REPAIR_GO_RUNNING);
	put_to_wait(s, g->m);
	step_go_unblock(s, m, g, 0);
}

struct G *ensure_syscall(struct model *s, struct M *m, uint64_t goid)
{
	struct G *g = g_get(s, goid);

	if (g && g->m == m && g->status == G_SYSCALL)
		return g;
	if (!s->started) {
		g = g_put(s, goid);
		g_bind(g, m, G_SYSCALL);
		return g;
	}
	g = ensure_running(s, m, goid);
	repair(s, REPAIR_GO_SYSCALL);
	step_sys_begin(s, m, 0);
	return g;
}

void ensure_p_idle(struct model *s, struct M *m, struct P *p)
{
	switch (p->status) {
	case STATUS_UNKNOWN:
		p->status = P_IDLE;
		if (s->started)
			step_p_status(s, p);
		return;
	case P_SYSCALL:
		s->counts.inferred_steals += s->started;
		step_p_steal(s, m, p);
		return;
	case P_RUNNING:
		if (s->started) {
			repair(s, REPAIR_P_HELD);
			if (p->m->g)
				put_to_wait(s, p->m);
		}
		step_p_stop(s, p->m);
	}
}
