// SPDX-License-Identifier: Apache-2.0
/* ensure: see ensure.h. */
#include "sched/ensure.h"

#include "sched/steps.h"

/*
 * Ps that are looked at in a generation, each as often as it is: 260,000 looks of a program with
 * four, and some ms of time.
 */
enum { PS_LOOKED_AT = 1 << 20 };

static const char UNSEEN[] = "unspecified";	/* reason of a block whose record was lost */

/*
 * After the first generation, or after its end, a reader takes a goroutine only
 * by GoCreate, from a thread that has a P and is not in a syscall.
 */
static void ensure_introduce(struct model *s, struct M *m, struct G *g, uint8_t status)
{
	if (s->gen == 1 && !map64_get(&s->dead, g->id)) {
		g->status = status;
		step_go_status(s, g);
		return;
	}
	ensure_may_create(s, m);
	step_go_create(s, m, g, status == G_WAITING, 0, 0);
}

void ensure_announced(struct model *s, struct M *m, struct G *g, uint8_t status)
{
	if (!s->started) {
		g->status = status;
		return;
	}
	repair(s, REPAIR_GO_UNKNOWN);
	ensure_introduce(s, m, g, status);
}

/* The number of Ps, by the last ProcsChange or by the one that is due. */
static uint64_t p_limit(const struct model *s)
{
	return s->gomaxprocs ? s->gomaxprocs : 1;
}

/* The first by its number. */
static struct P *ensure_any_p(struct model *s, uint8_t status)
{
	struct P *first = NULL;
	size_t i;

	map64_each(&s->ps, i) {
		struct P *p = map64_ptr(&s->ps, i, struct P);

		if (p->status == status && p->id < p_limit(s) && (!first || p->id < first->id))
			first = p;
	}
	return first;
}

/* One that a thread has, better one that runs no goroutine with it. NULL if there is none. */
static struct P *held_p(struct model *s)
{
	struct P *best = NULL;
	size_t i;

	map64_each(&s->ps, i) {
		struct P *p = map64_ptr(&s->ps, i, struct P);

		if (p->m && (!best || !p->m->g > !best->m->g ||
			     (!p->m->g == !best->m->g && p->id < best->id)))
			best = p;
	}
	return best;
}

/* A P that no record has named: the first number that is free, NULL if all are taken. */
static struct P *unnamed_p(struct model *s)
{
	uint64_t id = 0;

	while (id < p_limit(s) && p_get(s, id))
		id++;
	return id < p_limit(s) ? p_put(s, id, 0) : NULL;
}

/* Gives @m the first P in place of the one it has. */
static void swap_for_first(struct model *s, struct M *m)
{
	struct P *p = p_put(s, 0, 0);

	step_p_stop(s, m);
	ensure_p_idle(s, m, p);
	step_p_start(s, m, p);
}

/*
 * Viewers index a list of GOMAXPROCS items with the P of whoever works for the
 * collector. A P beyond that number means that the record of a change was lost.
 */
void ensure_p_counts(struct model *s, struct M *m)
{
	if (!s->started || !m->p || !s->procs_told || m->p->id < s->procs_told)
		return;
	repair(s, REPAIR_DROPPED);
	if (m->p->id >= s->gomaxprocs)
		s->gomaxprocs = m->p->id + 1;
	step_procs(s, soon_speaker(s), G_RUNNING);
	if (m->p->id >= s->procs_told)
		swap_for_first(s, m);
}

/* It cannot die inside one: the record of the end was lost. */
void ensure_assist_ends(struct model *s, struct M *m)
{
	ensure_p_takes(s, m, m->g);
	m->g->assist = false;
	if (s->started)
		step_emit0(s, m, EV_GCMarkAssistEnd);
}

bool ensure_looks_at_ps(struct model *s)
{
	s->ps_looked_at += s->ps.len;
	return s->ps_looked_at <= PS_LOOKED_AT;
}

/* The P for a thread that has none. Where no more are looked at it is the first one. */
static struct P *ensure_find_p(struct model *s)
{
	struct P *p;

	if (!ensure_looks_at_ps(s))
		return p_put(s, 0, 0);
	p = ensure_any_p(s, P_IDLE);
	if (!p)
		p = ensure_any_p(s, P_SYSCALL);
	if (!p)
		p = ensure_any_p(s, STATUS_UNKNOWN);
	if (!p)
		p = unnamed_p(s);
	if (!p)		/* all run: the record in which one was given up was lost */
		p = held_p(s);
	return p;
}

void ensure_some_p(struct model *s, struct M *m)
{
	struct P *p;

	repair(s, REPAIR_P_MISSING);
	p = ensure_find_p(s);
	if (p->status != P_IDLE)
		ensure_p_idle(s, m, p);
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

void ensure_may_create(struct model *s, struct M *m)
{
	if (s->started && m->g && m->g->status == G_SYSCALL) {
		repair(s, REPAIR_GO_SYSCALL);
		end_syscall_on(s, m);
	}
	ensure_p(s, m);
}

/* Takes the goroutine off @m as waiting. */
static void put_to_wait(struct model *s, struct M *m)
{
	struct G *g = m->g;

	if (g->status == G_SYSCALL)
		end_syscall_on(s, m);
	if (!m->g) {	/* it left the syscall without a P */
		ensure_p(s, m);
		ensure_p_takes(s, m, g);
		step_go_start(s, m, g);
	}
	ensure_p(s, m);
	ensure_p_takes(s, m, g);
	step_go_block(s, m, UNSEEN, UNSEEN, 0, NULL);
}

void ensure_leaves(struct model *s, struct M *m)
{
	if (!s->started) {
		g_unbind(m->g, G_WAITING);
		return;
	}
	repair(s, REPAIR_GO_RUNNING);
	put_to_wait(s, m);
}

struct G *ensure_runs(struct model *s, struct M *m, uint64_t goid)
{
	struct G *g = ensure_known(s, m, goid, G_RUNNABLE);

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
	ensure_p_takes(s, m, g);
	repair(s, REPAIR_GO_RUNNING);
	step_go_start(s, m, g);
	return g;
}

void ensure_waits(struct model *s, struct M *m, struct G *g)
{
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
	ensure_p_takes(s, m, g);
	step_go_start(s, m, g);
	step_go_block(s, m, UNSEEN, UNSEEN, 0, NULL);
}

void ensure_wakes(struct model *s, struct M *m, struct G *g)
{
	if (!s->started) {
		g_unbind(g, G_RUNNABLE);
		return;
	}
	if (g->status == G_WAITING) {
		if (!s->opts.unseen_unblocks)
			repair(s, REPAIR_GO_WAITING);
		step_go_unblock(s, m, g, 0);
		return;
	}
	repair(s, REPAIR_GO_RUNNING);
	put_to_wait(s, g->m);
	step_go_unblock(s, m, g, 0);
}

void ensure_world_runs(struct model *s)
{
	if (!s->stw)
		return;
	repair(s, REPAIR_WORLD);
	ensure_p(s, s->stw->m);
	step_stw_end(s);
}

struct G *ensure_enters(struct model *s, struct M *m, uint64_t goid)
{
	struct G *g;

	if (!s->started) {
		g = g_put(s, goid);
		g_bind(g, m, G_SYSCALL);
		return g;
	}
	g = ensure_running(s, m, goid);
	repair(s, REPAIR_GO_SYSCALL);
	ensure_may_leave(s, m);
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
			if (p->m->g && p->m->g->status == G_RUNNING)
				put_to_wait(s, p->m);
		}
		step_p_stop(s, p->m);
	}
}
