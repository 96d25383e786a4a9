// SPDX-License-Identifier: Apache-2.0
/*
 * sweep: the sweeping that a goroutine does before it may allocate, a range of
 * its P (runtime/traceruntime.go, GCSweepStart to GCSweepDone). See handlers.h.
 *
 * There is no site at its end. So the model holds the end, with the time of the last
 * span, until the thread's next record of another kind shows that no span follows.
 */
#include "sched/handlers.h"

#include "sched/ensure.h"
#include "sched/steps.h"

static void sched_sweep_begin(struct model *s, struct M *m, const struct rec *r)
{
	ensure_p_counts(s, m);
	m->sweep = (struct sweep){ .place = r->sub, .told = s->started && m->p };
	if (!m->sweep.told)
		return;
	s->sweeps++;
	step_emit(s, m, EV_GCSweepBegin, as_long(r)->stack);
}

/* Bytes that were swept: of a span, or of a chunk in which reclaim looked. */
void sweep_span(struct model *s, struct M *m, const struct rec *r)
{
	if (!r->sub) {		/* damaged: it is no place */
		repair(s, REPAIR_DROPPED);
		return;
	}
	if (m->sweep.place && m->sweep.place != r->sub)
		step_sweep_end(s, m);
	if (!m->sweep.place)
		sched_sweep_begin(s, m, r);
	m->sweep.swept += r->id;
	m->sweep.last = s->now;
}

void sweep_mark(struct model *s, struct M *m, const struct rec *r)
{
	if (!m->sweep.place)
		return;
	if (r->sub == REC_SWEEP_CALL) {
		step_sweep_end(s, m);
		return;
	}
	m->sweep.reclaimed += r->id;
	m->sweep.last = s->now;
}

void sweep_tell_all(struct model *s)
{
	size_t i;

	map64_each(&s->ms, i) {
		struct M *m = map64_ptr(&s->ms, i, struct M);

		if (m->sweep.told && m->p)
			step_emit(s, m, EV_GCSweepActive, m->p->id);
	}
}
