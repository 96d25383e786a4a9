// SPDX-License-Identifier: Apache-2.0
/*
 * ranges: the events of the collector: cycles (mark phases), assists, the heap's
 * size and goal. See handlers.h.
 */
#include "sched/handlers.h"

#include "sched/ensure.h"
#include "sched/steps.h"

/* --- cycles --- */

/* The cycle before a gap. The one that runs after the gap may be another. */
static void end_cycle_left_open(struct model *s, struct M *m)
{
	s->gc_left_open = s->gc_told = false;
	step_emit(s, m, EV_GCActive, ++s->gc_seq);	/* as each generation has it */
	step_emit(s, m, EV_GCEnd, ++s->gc_seq);
}

/*
 * A cycle that runs when a generation begins is GCActive. But a reader takes GCActive of a
 * cycle that it does not know in the first generation only; where no thread could say it
 * there, the cycle begins, for the reader, where one can.
 */
void gc_tell(struct model *s, struct M *m)
{
	if (!(s->tell_gc || s->gc_left_open) || !s->started || !m_speaks(m))
		return;
	if (s->gc_left_open)
		end_cycle_left_open(s, m);
	if (!s->tell_gc)
		return;
	s->tell_gc = false;
	if (s->gen > 1 && !s->gc_told)
		step_emit(s, m, EV_GCBegin, ++s->gc_seq, 0);
	else
		step_emit(s, m, EV_GCActive, ++s->gc_seq);
	s->gc_told = true;
}

void gc_begin(struct model *s, struct M *m, const struct rec *r)
{
	s->gc_known = true;
	if (s->gc_running)
		return;
	if (s->started && !m_speaks(m))
		return;
	gc_tell(s, m);
	s->gc_running = true;
	allocs_collection(s);
	if (!s->started)
		return;
	s->gc_told = true;
	step_emit(s, m, EV_GCBegin, ++s->gc_seq, as_long(r)->stack);
}

/* Without its begin (we came between it and gcphase) a reader refuses the end. */
void gc_end(struct model *s, struct M *m, const struct rec *r)
{
	s->gc_known = true;
	if (!s->gc_running)
		return;
	gc_tell(s, m);
	if (s->started && (!m_speaks(m) || s->tell_gc))
		return;
	s->gc_running = false;
	if (!s->started)
		return;
	s->gc_told = false;
	step_emit(s, m, EV_GCEnd, ++s->gc_seq);
}

/* --- assists --- */

/* gcAssistAlloc calls gcAssistAlloc1 again after it has yielded or waited: the same assist. */
void assist_begin(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = m->g;

	if (!g || g->id != r->id || g->assist || (s->started && !m_speaks(m)))
		return;
	g->assist = true;
	g->assist_depth = r->ptr;
	ensure_p_takes(s, m, g);
	if (s->started)
		step_emit(s, m, EV_GCMarkAssistBegin, as_long(r)->stack);
}

/*
 * gcAssistAlloc returned: from this assist, or from one inside that did nothing
 * (gcMarkDone waits for a semaphore, which allocates). Where credit is enough it
 * returns without a begin.
 */
void assist_end(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = m->g;

	if (!g || g->id != r->id || !g->assist || r->ptr >= g->assist_depth ||
	    (s->started && !m_speaks(m)))
		return;
	ensure_p_takes(s, m, g);
	g->assist = false;
	if (s->started)
		step_emit0(s, m, EV_GCMarkAssistEnd);
}

/*
 * At the start of a generation. In the first one the viewer's MMU plot crashes on this
 * event from a thread that runs nothing. So the model leaves out an assist that waits
 * there, and then also its end.
 */
void assist_tell_all(struct model *s)
{
	size_t i;

	map64_each(&s->gs, i) {
		struct G *g = map64_ptr(&s->gs, i, struct G);

		if (!g->assist)
			continue;
		if (s->gen == 1 && !m_speaks(g->m)) {
			g->assist = false;
			continue;
		}
		if (m_speaks(g->m))
			ensure_p_takes(s, g->m, g);
		step_emit(s, g->m, EV_GCMarkAssistActive, g->id);
	}
}

/* --- the heap --- */

/*
 * The runtime adds to gcController.heapLive and writes the sum to its trace, atomically.
 * The probe runs before the addition, so the value that it reads lacks the bytes that other
 * threads are about to add. The difference shows it: such a value lacks exactly the
 * additions of the last few records, which are a few microseconds old.
 */
static uint64_t heap_in_order(const struct model *s, const struct rec *r, uint64_t value)
{
	enum { RACE_NS = 5000 };
	const struct heap_add *last = &s->heap[s->heap_n % HEAP_ADDS];
	uint64_t lacks = 0;
	int i;

	for (i = 0; i < HEAP_ADDS; i++) {
		const struct heap_add *a = &s->heap[(s->heap_n - i) % HEAP_ADDS];

		if (!a->delta || r->time - a->time > RACE_NS)
			break;
		lacks += a->delta;
		if (value - r->ptr + lacks == last->value)
			return value + lacks;
	}
	return value;
}

/*
 * The record's ptr word is the number of bytes that are added; 0: the collector sets a new value.
 */
void heap_alloc(struct model *s, struct M *m, const struct rec *r)
{
	uint64_t value = as_long(r)->arg;

	if (r->ptr)
		value = heap_in_order(s, r, value);
	s->heap[++s->heap_n % HEAP_ADDS] = (struct heap_add){ r->time, value, r->ptr };
	if (s->started && m->p)
		step_emit(s, m, EV_HeapAlloc, value);
}

static uint64_t goal_of(uint64_t goal)
{
	return goal == UINT64_MAX ? 0 : goal;
}

void heap_goal(struct model *s, struct M *m, const struct rec *r)
{
	s->heap_goal = as_long(r)->arg;
	if (s->started && m->p)
		step_emit(s, m, EV_HeapGoal, goal_of(s->heap_goal));
}

static uint64_t last_alloc(const struct model *s)
{
	return s->heap[s->heap_n % HEAP_ADDS].value;
}

void heap_restate(struct model *s)
{
	s->tell_heap = last_alloc(s) || s->heap_goal;
}

void heap_tell(struct model *s, struct M *m)
{
	uint64_t alloc = last_alloc(s);

	if (!s->started || !m || !m->p)
		return;
	s->tell_heap = false;
	if (alloc)
		step_emit(s, m, EV_HeapAlloc, alloc);
	if (s->heap_goal)
		step_emit(s, m, EV_HeapGoal, goal_of(s->heap_goal));
}

void heap_forget(struct model *s)
{
	s->heap_n = 0;
	s->heap[0] = (struct heap_add){0};
	s->heap_goal = 0;
}
