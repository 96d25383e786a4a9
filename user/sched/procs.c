// SPDX-License-Identifier: Apache-2.0
/* procs: which thread has which P; how many there are; the stopping of all. See handlers.h. */
#include "sched/handlers.h"

#include "release/release.h"
#include "sched/ensure.h"
#include "sched/steps.h"

/* procresize moves the running goroutine to another P, which the tracer tells in four events. */
static struct G *swap_begin(struct model *s, struct M *m)
{
	struct G *g = m->g;

	if (g && g->status == G_RUNNING) {
		ensure_p_counts(s, m, g);
		step_go_stop(s, m, "runtime.Gosched", 0);
	} else {
		g = NULL;
	}
	step_p_stop(s, m);
	return g;
}

void p_start(struct model *s, struct M *m, const struct rec *r)
{
	struct P *p = p_put(s, r->id, r->ptr);
	struct G *g = NULL;

	if (m->p && m->p != p && r->sub == REC_PSTART_PROCRESIZE)
		g = swap_begin(s, m);
	if (m->p && (m->p != p || p->status == P_SYSCALL))
		ensure_p_idle(s, m, m->p);
	if (p->m != m) {
		ensure_p_idle(s, m, p);
		step_p_start(s, m, p);
	}
	m->left_syscall |= r->sub == REC_PSTART_EXITSYSCALL && !m->g;
	if (r->sub == REC_PSTART_EXITSYSCALL && m->g && m->g->status == G_SYSCALL) {
		g = m->g;
		step_sys_end_blocked(s, m);
	}
	if (g) {
		ensure_p_counts(s, m, g);
		step_go_start(s, m, g);
	}
}

void p_stop(struct model *s, struct M *m, const struct rec *r)
{
	struct P *p = p_put(s, r->id, r->ptr);

	if (m->p == p) {
		if (m->g && m->g->status == G_RUNNING)
			ensure_no_g(s, m);
		step_p_stop(s, m);
		return;
	}
	if (!s->started) {
		p_unbind(p);
		return;
	}
	repair(s, REPAIR_P_MISSING);
	if (m->p)
		ensure_p_idle(s, m, m->p);
	ensure_p_idle(s, m, p);
}

void p_steal(struct model *s, struct M *m, const struct rec *r)
{
	struct P *p = p_put(s, r->id, r->ptr);

	if (p->status == P_SYSCALL)
		step_p_steal(s, m, p);
	else if (p->status != P_IDLE)	/* idle: what a C thread left behind, ended by dropm */
		ensure_p_idle(s, m, p);
}

/* Called after releasep too, where the P is idle already. */
void p_handoff(struct model *s, struct M *m, const struct rec *r)
{
	struct P *p = p_put(s, r->id, r->ptr);

	if (p->status == P_SYSCALL)
		step_p_steal(s, m, p);
	else if (!s->started)
		p_unbind(p);
}

void procs_change(struct model *s, struct M *m, const struct rec *r)
{
	if (!r->id || r->id > P_ID_MAX) {
		repair(s, REPAIR_DROPPED);
		return;
	}
	s->gomaxprocs = r->id;
	s->tell_procs = true;
	s->procs_stack = as_long(r)->stack;
}

/* --- the world --- */

void stw_begin(struct model *s, struct M *m, const struct rec *r)
{
	const char *reason;

	ensure_world_runs(s);
	if (!s->started || !m->g || m->g->status != G_RUNNING || !m->p)
		return;
	s->stw = m->g;
	reason = release_stw_reason(s->opts.minor, r->sub, as_long(r)->arg);
	step_emit(s, m, EV_STWBegin, tracefile_string(s->tf, reason),
		  tracefile_stack(s->tf, as_long(r)->stack));
}

/*
 * Up to Go 1.25 stopTheWorldWithSema takes the Ps of all syscalls, at no site
 * of its own. Now that the world is about to start, those still shown in a
 * syscall were taken.
 */
static void steal_syscall_ps(struct model *s, struct M *m)
{
	size_t i;

	map64_each(&s->ps, i) {
		struct P *p = map64_ptr(&s->ps, i, struct P);

		if (p->status == P_SYSCALL)
			ensure_p_idle(s, m, p);
	}
}

void stw_end(struct model *s, struct M *m, const struct rec *r)
{
	if (!release_has(s->opts.minor, RELEASE_SYSCALL_SITES))
		steal_syscall_ps(s, m);
	if (s->stw && s->stw == m->g && m->p)
		step_stw_end(s);
	else
		ensure_world_runs(s);
}
