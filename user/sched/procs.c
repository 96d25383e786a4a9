// SPDX-License-Identifier: Apache-2.0
/* procs: which thread has which P; how many there are; the stopping of all. See handlers.h. */
#include "sched/handlers.h"

#include "release/release.h"
#include "sched/ensure.h"
#include "sched/steps.h"

/*
 * procresize moves the running goroutine to another P, which the runtime's tracer records as four
 * events.
 */
static struct G *swap_begin(struct model *s, struct M *m)
{
	struct G *g = m->g;

	if (g && g->status == G_RUNNING) {
		ensure_p_takes(s, m, g);
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
		ensure_p_takes(s, m, g);
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
	/* An idle P was left by a C thread, and dropm has ended that. */
	else if (p->status != P_IDLE)
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

/* Calls step_procs() with each thread until one can say it. */
static bool tell_by_any_thread(struct model *s, uint8_t status)
{
	size_t i;

	map64_each(&s->ms, i)
		if (step_procs(s, map64_ptr(&s->ms, i, struct M), status))
			return true;
	return false;
}

void procs_tell_first(struct model *s)
{
	if (s->tell_procs && !s->procs_told)
		tell_by_any_thread(s, G_RUNNING);
}

/* The idle P with the fewest events in this generation; of several the first. */
static struct P *least_used_p(const struct model *s)
{
	struct P *best = NULL;
	size_t i;

	map64_each(&s->ps, i) {
		struct P *p = map64_ptr(&s->ps, i, struct P);

		if (p->status == P_IDLE &&
		    (!best || p->seq < best->seq || (p->seq == best->seq && p->id < best->id)))
			best = p;
	}
	return best;
}

/* A thread that has a P and looks for a goroutine to run. */
static struct M *idle_thread(const struct model *s)
{
	size_t i;

	map64_each(&s->ms, i) {
		struct M *m = map64_ptr(&s->ms, i, struct M);

		if (m->p && !m->g && m->p->status == P_RUNNING)
			return m;
	}
	return NULL;
}

/*
 * Goroutine 0, an id that no goroutine of a program has: readers take some events only from a
 * goroutine that has a thread and a P. It runs on @m, which has a P, for these few events,
 * and says that it is one.
 */
static void run_stand_in(struct model *s, struct M *m, stand_in_fn *say)
{
	uint64_t count = s->counts.goroutines, most = s->counts.max_live;
	struct G *g = g_put(s, 0);

	s->counts.goroutines = count;	/* of the program's */
	s->counts.max_live = most;
	s->counts.stand_ins++;
	step_go_create(s, m, g, false, 0, 0);
	step_go_start(s, m, g);
	say(s, m);
	step_go_destroy(s, m);
}

/*
 * On thread 0, which no program has, with an idle P; if none is idle, on a thread with a P and no
 * goroutine.
 */
void stand_in(struct model *s, uint64_t now, stand_in_fn *say)
{
	struct P *p = least_used_p(s);
	struct M *m = p ? m_put(s, 0) : idle_thread(s);

	if (!m)
		return;
	if ((p ? p : m->p)->seq)
		s->now = now;	/* not before the P's own events of this generation */
	if (p)
		step_p_start(s, m, p);
	run_stand_in(s, m, say);
	if (p) {
		step_p_stop(s, m);
		m_drop(s, m);
	}
}

/* The page of mutator utilization crashes where ProcsChange is missing. */
static void say_procs(struct model *s, struct M *m)
{
	step_procs(s, m, G_RUNNING);
	step_note(s, m, "no goroutine ran: goroutine 0, which the program does not have, "
		   "stands in for one with the number of Ps");
}

/*
 * A goroutine that runs now has run since the generation began: one that began to run in it had the
 * event then. So the event is dated at the begin, and holds for all of the generation.
 */
void procs_tell(struct model *s)
{
	uint64_t now = s->now;

	if (!s->started || !s->tell_procs)
		return;
	s->now = s->gen_begin + s->unit;
	if (!tell_by_any_thread(s, G_RUNNING) && !tell_by_any_thread(s, G_SYSCALL) &&
	    (!s->procs_told || s->opts.restate))
		stand_in(s, now, say_procs);
	if (s->now < now)
		s->now = now;
}

/* --- the world --- */

void stw_begin(struct model *s, struct M *m, const struct rec *r)
{
	ensure_world_runs(s);
	if (!s->started || !m_speaks(m))
		return;
	s->stw = m->g;
	s->stw_lost = s->counts.lost;
	step_emit(s, m, EV_STWBegin,
		  SINK_CONSTANT(release_stw_reason(s->opts.minor, r->sub, as_long(r)->arg)),
		  as_long(r)->stack);
}

/*
 * Up to Go 1.25 stopTheWorldWithSema takes the Ps of all syscalls, at no site
 * of its own. Now that the world is about to start, each P that the model still has
 * in a syscall was taken.
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
	if (!release_has(s->opts.minor, RELEASE_SYSCALL_SITES) && ensure_looks_at_ps(s))
		steal_syscall_ps(s, m);
	if (s->stw && s->stw == m->g && m->p)
		step_stw_end(s);
	else
		ensure_world_runs(s);
}
