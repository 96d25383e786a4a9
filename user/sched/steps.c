// SPDX-License-Identifier: Apache-2.0
/* steps: see steps.h. Rules: Go 1.27, internal/trace/order.go, one function each. */
#include "sched/steps.h"

#include <string.h>

#include "read/notes.h"
#include "read/origin.h"
#include "sched/waits.h"
#include "stackkey.h"

static const char step_category[] = NOTES_CATEGORY;
static const char step_origin_category[] = ORIGIN_CATEGORY;

/* Headers before 1.23 have no GoCreateBlocked, GoSwitch and GoStatusStack. */
static bool has_coroutines(const struct model *s)
{
	return s->opts.version >= 23;
}

/*
 * Passes @e to the sink if the trace has begun, and lets time pass. Steps on different threads that
 * follow one another must not have the same time in the file: a reader that finds the first of two
 * such events not ready sorts them and may then never try the other (Go 1.22 to 1.27,
 * internal/trace/reader.go, the frontier). Statuses wait for nothing.
 */
static inline __attribute__((always_inline)) void steps_emit(struct model *s, struct M *m,
							     struct sink_event *e)
{
	if (!s->started)
		return;
	e->thread = m ? m->tid : TRACEV2_NO_ID;
	if (m)
		m->gen = s->gen;
	s->sink.ops->event(s->sink.ctx, e);
	if (e->time == s->now && !s->stating)
		s->now = (s->now + s->unit) & ~(s->unit - 1);
}

/* As step_emit_args(), at @time, which is not later than now; the trace has begun. */
static void step_emit_at(struct model *s, struct M *m, uint64_t time, enum tracev2_event ev,
			 int nargs, const uint64_t *args)
{
	struct sink_event e = { .time = time, .kind = ev, .nargs = nargs, .args = args };

	steps_emit(s, m, &e);
}

void step_emit_args(struct model *s, struct M *m, enum tracev2_event ev, int nargs,
		    const uint64_t *args)
{
	struct sink_event e = { .time = s->now, .kind = ev, .nargs = nargs, .args = args };

	steps_emit(s, m, &e);
}

void step_sweep_end(struct model *s, struct M *m)
{
	struct sweep *sweep = &m->sweep;
	uint64_t at = sweep->last;

	if (sweep->told && m->p) {
		if (at < s->gen_begin)
			at = s->gen_begin;
		step_emit_at(s, m, at, EV_GCSweepEnd, 2,
			     (const uint64_t[]){ sweep->swept, sweep->reclaimed });
	}
	s->sweeps -= sweep->told;
	*sweep = (struct sweep){ 0 };
}

void step_sweep_end_beyond(struct model *s, uint64_t procs)
{
	size_t i;

	if (!s->sweeps)	/* a program that forges records changes the number of Ps at each one */
		return;
	map64_each(&s->ms, i) {
		struct M *m = map64_ptr(&s->ms, i, struct M);

		if (m->sweep.told && m->p && m->p->id >= procs)
			step_sweep_end(s, m);
	}
}

void step_note(struct model *s, struct M *m, const char *text)
{
	if (s->opts.notes)
		step_emit(s, m, EV_UserLog, 0, SINK_CONSTANT(step_category),
			  SINK_TEXT(text, strlen(text)), 0);
}

void step_origin(struct model *s, struct M *m, const char *text)
{
	step_emit(s, m, EV_UserLog, 0, SINK_CONSTANT(step_origin_category),
		  SINK_TEXT(text, strlen(text)), 0);
}

void step_go_create(struct model *s, struct M *m, struct G *g, bool blocked, uint64_t start_pc,
		    uint64_t stack)
{
	uint64_t entry = stack_key_of_entry(start_pc);
	bool as_blocked = blocked && has_coroutines(s);

	g->status = blocked ? G_WAITING : G_RUNNABLE;
	g->seq = 0;
	g->start_pc = start_pc;
	g->stack = entry;
	steps_emit(s, m, &(struct sink_event){
			.time = s->now,
			.kind = as_blocked ? EV_GoCreateBlocked : EV_GoCreate,
			.nargs = 3,
			.args = (const uint64_t[]){ g->id, entry, stack },
			.waits = blocked ? g->waits : NULL });
	if (blocked && !as_blocked) {
		/*
		 * Header 1.22: created runnable, as Go 1.22 itself said it; it
		 * has not run when it is switched to, so that it counts as
		 * runnable until then.
		 */
		g->status = G_RUNNABLE;
	}
}

void step_go_start(struct model *s, struct M *m, struct G *g)
{
	g_bind(g, m, G_RUNNING);
	step_emit(s, m, EV_GoStart, g->id, ++g->seq);
}

void step_stw_end(struct model *s)
{
	struct M *m = s->stw->m;

	s->stw = NULL;
	step_emit0(s, m, EV_STWEnd);
}

/* A goroutine that stopped the world starts it before it blocks: the record of that was lost. */
static void step_world_on(struct model *s)
{
	repair(s, REPAIR_WORLD);
	step_stw_end(s);
}

void step_go_block(struct model *s, struct M *m, const char *reason, const char *waits,
		   uint64_t stack, const struct trace_wait *object)
{
	struct G *g = m->g;

	if (s->stw == g)
		step_world_on(s);
	steps_emit(s, m, &(struct sink_event){
			.time = s->now,
			.kind = EV_GoBlock,
			.nargs = 2,
			.args = (const uint64_t[]){ SINK_CONSTANT(reason), stack },
			.waits = waits,
			.object = object });
	g_unbind(g, G_WAITING);
	g->stack = stack;
	g->waits = waits;
	if (!object)
		g->object = 0;
}

void step_go_stop(struct model *s, struct M *m, const char *reason, uint64_t stack)
{
	struct G *g = m->g;

	step_emit(s, m, EV_GoStop, SINK_CONSTANT(reason), stack);
	g_unbind(g, G_RUNNABLE);
	g->stack = stack;
}

void step_go_destroy(struct model *s, struct M *m)
{
	step_emit0(s, m, EV_GoDestroy);
	g_drop(s, m->g);
}

void step_go_unblock(struct model *s, struct M *m, struct G *g, uint64_t stack)
{
	g->status = G_RUNNABLE;
	g->object = 0;
	step_emit(s, m, EV_GoUnblock, g->id, ++g->seq, stack);
}

/* The steps that a reader takes at a GoSwitch: unblock, block or destroy, start. */
static void switch_in_steps(struct model *s, struct M *m, struct G *next, bool dies)
{
	if (next->status == G_WAITING)
		step_go_unblock(s, m, next, 0);
	if (dies)
		step_go_destroy(s, m);
	else
		step_go_block(s, m, "", "", 0, NULL);
	step_go_start(s, m, next);
}

void step_go_switch(struct model *s, struct M *m, struct G *next, bool dies)
{
	struct G *old = m->g;

	if (!has_coroutines(s) || next->status == G_RUNNABLE) {
		switch_in_steps(s, m, next, dies);
		return;
	}
	step_emit(s, m, dies ? EV_GoSwitchDestroy : EV_GoSwitch, next->id, ++next->seq);
	if (dies) {
		g_drop(s, old);
	} else {
		g_unbind(old, G_WAITING);
		old->waits = NULL;
		old->object = 0;
	}
	g_bind(next, m, G_RUNNING);
}

void step_sys_begin(struct model *s, struct M *m, uint64_t stack)
{
	step_emit(s, m, EV_GoSyscallBegin, m->p ? ++m->p->seq : 0, stack);
	m->g->status = G_SYSCALL;
	m->g->stack = stack;
	if (m->p)
		m->p->status = P_SYSCALL;
}

void step_sys_end(struct model *s, struct M *m)
{
	step_emit0(s, m, EV_GoSyscallEnd);
	m->g->status = G_RUNNING;
	if (m->p)
		m->p->status = P_RUNNING;
}

void step_sys_end_blocked(struct model *s, struct M *m)
{
	step_emit0(s, m, EV_GoSyscallEndBlocked);
	g_unbind(m->g, G_RUNNABLE);
}

void step_sys_create(struct model *s, struct M *m, struct G *g)
{
	step_emit(s, m, EV_GoCreateSyscall, g->id);
	g->seq = 0;
	g_bind(g, m, G_SYSCALL);
}

void step_sys_destroy(struct model *s, struct M *m)
{
	step_emit0(s, m, EV_GoDestroySyscall);
	g_drop(s, m->g);
}

void step_p_start(struct model *s, struct M *m, struct P *p)
{
	step_emit(s, m, EV_ProcStart, p->id, ++p->seq);
	p_bind(p, m, P_RUNNING);
}

/* A sweep is a range of the P: a reader takes no second one on it before the first has ended. */
static void steps_leave(struct model *s, struct M *m)
{
	if (m->sweep.place)
		step_sweep_end(s, m);
}

void step_p_stop(struct model *s, struct M *m)
{
	steps_leave(s, m);
	step_emit0(s, m, EV_ProcStop);
	p_unbind(m->p);
}

bool step_procs(struct model *s, struct M *m, uint8_t status)
{
	if (!s->started || !m || !m->g || m->g->status != status || !m->p)
		return false;
	step_sweep_end_beyond(s, s->gomaxprocs);
	s->tell_procs = false;
	s->procs_told = s->gomaxprocs;
	step_emit(s, m, EV_ProcsChange, s->gomaxprocs, s->procs_stack);
	return true;
}

void step_p_steal(struct model *s, struct M *m, struct P *p)
{
	if (p->m)
		steps_leave(s, p->m);
	step_emit(s, m, EV_ProcSteal, p->id, ++p->seq, p->m ? p->m->tid : TRACEV2_NO_ID);
	p_unbind(p);
}

void step_go_status(struct model *s, struct G *g)
{
	uint64_t tid = g->m ? g->m->tid : TRACEV2_NO_ID;
	uint64_t stack = g->status == G_RUNNING ? 0 : g->stack;
	bool has_stack = stack && has_coroutines(s);
	struct trace_wait object;
	struct sink_event e = {
		.time = s->now,
		.kind = has_stack ? EV_GoStatusStack : EV_GoStatus,
		.nargs = 3 + has_stack,
		.args = (const uint64_t[]){ g->id, tid, g->status, stack },
		.start = g->start_pc ? stack_key_of_entry(g->start_pc) : 0,
		.waits = g->status == G_WAITING ? g->waits : NULL,
		.object = g->status == G_WAITING ? wait_of(g, &object) : NULL,
	};

	g->seq = 0;
	steps_emit(s, g->m, &e);
}

void step_p_status(struct model *s, struct P *p)
{
	p->seq = 0;
	step_emit(s, p->m, EV_ProcStatus, p->id, p->status);
}
