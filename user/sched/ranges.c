// SPDX-License-Identifier: Apache-2.0
/*
 * ranges: what the collector does: cycles (mark phases), assists, the heap's
 * size and goal. See handlers.h.
 *
 * The end of an assist cannot be seen by itself (runtime.gcAssistAlloc): the
 * goroutine stops helping, and then either goes on with its own work, or
 * yields or waits and helps again. So an end is held, with its time, until the
 * goroutine's next record tells which it was.
 */
#include "sched/handlers.h"

#include <string.h>

#include "sched/release.h"
#include "sched/steps.h"

/* Most of these need a running goroutine with a P in a trace that has begun. */
static bool can_speak(const struct model *s, const struct M *m)
{
	return s->started && m && m->g && m->g->status == G_RUNNING && m->p;
}

/* --- cycles --- */

void gc_tell(struct model *s, struct M *m)
{
	if (!s->tell_gc || !can_speak(s, m))
		return;
	s->tell_gc = false;
	step_emit(s, m, EV_GCActive, ++s->gc_seq);
}

void gc_begin(struct model *s, struct M *m, const struct rec *r)
{
	s->gc_known = true;
	if (s->gc_running)
		return;
	if (s->started && !can_speak(s, m))
		return;
	s->gc_running = true;
	if (s->started)
		step_emit(s, m, EV_GCBegin, ++s->gc_seq,
			  tracefile_stack(s->tf, ((const struct rec_long *)r)->stack));
}

/* Without its begin (we came between it and gcphase) a reader refuses the end. */
void gc_end(struct model *s, struct M *m, const struct rec *r)
{
	s->gc_known = true;
	if (!s->gc_running)
		return;
	gc_tell(s, m);
	if (s->started && (!can_speak(s, m) || s->tell_gc))
		return;
	s->gc_running = false;
	if (s->started)
		step_emit(s, m, EV_GCEnd, ++s->gc_seq);
}

/* --- assists --- */

static void end_now(struct model *s, struct G *g)
{
	struct M *m = g->m;
	uint64_t at = g->assist_end;

	g->assist = false;
	g->assist_end = 0;
	if (!s->started || !m)
		return;
	if (at < s->gen_begin)
		at = s->gen_begin;
	m->gen = s->gen;
	trace_emit_args(m->stream, at, EV_GCMarkAssistEnd, 0, NULL);
}

/* A yield or the wait for credit, or more help, is part of the same assist. */
static bool goes_on(const struct model *s, const struct rec *r, const struct G *g)
{
	static const char waits[] = "GC mark assist wait for work";

	if (r->id != g->id)
		return false;
	switch (r->kind) {
	case REC_ASSIST_BEGIN:
		return true;
	case REC_GO_STOP:
		return true;	/* Gosched in gcAssistAlloc, or preempted in it */
	case REC_GO_PARK:
		return !strcmp(release_block_reason(s->opts.minor, r->sub), waits);
	}
	return false;
}

void assist_settle(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = m->g;

	if (!g || !g->assist || !g->assist_end)
		return;
	if (goes_on(s, r, g))
		g->assist_end = 0;
	else
		end_now(s, g);
}

void assist_resumed(struct model *s, struct G *g)
{
	if (g->assist)
		g->assist_end = s->now;
}

void assist_close(struct model *s, struct G *g)
{
	if (!g->assist)
		return;
	if (!g->assist_end)
		g->assist_end = s->now;
	end_now(s, g);
}

void assist_begin(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = m->g;

	if (!g || g->id != r->id || g->assist || (s->started && !can_speak(s, m)))
		return;
	g->assist = true;
	if (s->started)
		step_emit(s, m, EV_GCMarkAssistBegin,
			  tracefile_stack(s->tf, ((const struct rec_long *)r)->stack));
}

void assist_end(struct model *s, struct M *m, const struct rec *r)
{
	if (m->g && m->g->id == r->id && m->g->assist)
		m->g->assist_end = s->now;
}

/*
 * At the start of a generation. In the first one the viewer's MMU plot cannot
 * take this from a thread that runs nothing, so an assist that waits there is
 * not told, and then its end must not be either.
 */
void assist_tell_all(struct model *s)
{
	size_t i;

	map64_each(&s->gs, i) {
		struct G *g = map64_ptr(&s->gs, i, struct G);

		if (!g->assist)
			continue;
		if (s->gen == 1 && !can_speak(s, g->m))
			g->assist = false;
		else
			step_emit(s, g->m, EV_GCMarkAssistActive, g->id);
	}
}

/* --- the heap --- */

void heap_alloc(struct model *s, struct M *m, const struct rec *r)
{
	if (s->started && m->p)
		step_emit(s, m, EV_HeapAlloc, ((const struct rec_long *)r)->arg);
}

/*
 * The runtime writes it when it commits one (gcControllerCommit): at the end
 * of each cycle, and when its parameters change, which stops the world for
 * another reason. The stop at the start of a cycle commits nothing.
 */
void heap_goal(struct model *s, struct M *m, const struct rec *r)
{
	enum { MARK_TERMINATION = 1, SWEEP_TERMINATION = 2 };	/* runtime.stwReason, 1.21+ */
	uint64_t goal = ((const struct rec_long *)r)->arg;

	if (s->stw_reason == SWEEP_TERMINATION || !s->started || !m->p ||
	    (goal == s->heap_goal && s->stw_reason != MARK_TERMINATION))
		return;
	s->heap_goal = goal;
	step_emit(s, m, EV_HeapGoal, goal == UINT64_MAX ? 0 : goal);
}
