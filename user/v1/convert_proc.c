// SPDX-License-Identifier: Apache-2.0
/* convert_proc: turns v1 events of Ps, collections and annotations into steps of v2. See sim.h. */
#include "v1/convert_internal.h"
#include "v1/internal.h"
#include "v1/words.h"

/* The innermost regions among which an end is looked up: damage leaves few regions open forever. */
enum { DEPTH = 64 };

/* --- Ps --- */

/*
 * A thread for a P that v1 starts on @m: @m, which has lost its old P without an event in v1, or an
 * invented thread if a goroutine runs on @m.
 */
static struct sim_m *v1_convert_free_thread(struct convert *c, struct sim_m *m)
{
	if (m->g && m->g->status == SIM_RUNNING)
		return sim_made_up(&c->sim);
	if (m->p)
		sim_p_stop(&c->sim, SIM_ADDED, m->p);
	return m;
}

int convert_proc_start(struct convert *c, const struct v1_event *ev)
{
	struct sim *s = &c->sim;
	struct sim_p *p = convert_p(c, ev);
	/* Before 1.5 the event has no thread: the P's number stands for it. */
	uint64_t thread = v1_trace_version(c->t) == V1_GOTRACE ? (uint64_t)ev->p : ev->args[0];

	if (!p || (p->m && p->m->g && p->m->g->status == SIM_RUNNING))
		return 0;
	if (p->m)
		sim_p_stop(s, SIM_ADDED, p);
	sim_p_start(s, SIM_CONVERTED, p,
		    thread == TRACEV2_NO_ID ? sim_made_up(s) :
					      v1_convert_free_thread(c, sim_m(s, thread)));
	return 1;
}

int convert_proc_stop(struct convert *c, const struct v1_event *ev)
{
	struct sim_p *p = convert_p(c, ev);

	if (!p || !p->m || (p->m->g && p->m->g->status == SIM_RUNNING))
		return 0;
	sim_p_stop(&c->sim, SIM_CONVERTED, p);
	return 1;
}

int convert_gomaxprocs(struct convert *c, const struct v1_event *ev)
{
	const uint64_t args[] = { ev->args[0], convert_stack(c, ev->stack) };
	enum sim_origin origin = c->starting ? SIM_ADDED : SIM_CONVERTED;

	if (c->starting)
		convert_end_start(c);
	c->procs = ev->args[0];
	sim_program(&c->sim, origin, convert_user(c, ev), EV_ProcsChange, 2, args);
	return 1;
}

void convert_have_proc(struct convert *c, const struct v1_event *ev)
{
	if (!c->procs || ev->p < 0 || (uint64_t)ev->p < c->procs)
		return;
	c->procs = (uint64_t)ev->p + 1;
	sim_program(&c->sim, SIM_ADDED, NULL, EV_ProcsChange, 2, (const uint64_t[]){ c->procs, 0 });
	c->sim.counts.joined++;
}

/* --- the collector --- */

int convert_gc_start(struct convert *c, const struct v1_event *ev)
{
	if (ev->repaired && c->gc_depth) {	/* the event GCDone is lost */
		sim_program(&c->sim, SIM_ADDED, NULL, EV_GCEnd, 1,
			    (const uint64_t[]){ ++c->gc_seq });
		c->gc_depth = 0;
	}
	if (c->gc_depth++)
		return 0;
	sim_program(&c->sim, SIM_CONVERTED, convert_user(c, ev), EV_GCBegin, 2,
		    (const uint64_t[]){ ++c->gc_seq, convert_stack(c, ev->stack) });
	return 1;
}

int convert_gc_done(struct convert *c, const struct v1_event *ev)
{
	if (--c->gc_depth)
		return 0;
	sim_program(&c->sim, SIM_CONVERTED, convert_user(c, ev), EV_GCEnd, 1,
		    (const uint64_t[]){ ++c->gc_seq });
	return 1;
}

static struct sim_g **stw_slot(struct convert *c, const struct v1_event *ev)
{
	struct sim_p *p = convert_p(c, ev);

	return v1_trace_version(c->t) < 10 && p ? &p->stw : &c->stw;
}

/* The range is that of the goroutine that stops the world; Ps that only help have none. */
int convert_stw_start(struct convert *c, const struct v1_event *ev)
{
	struct sim_m *m = convert_user(c, ev);
	const char *reason = v1_stw_reason(v1_trace_version(c->t), ev->args[0]);

	if (ev->repaired)
		convert_stw_done(c, ev);
	if (!m || m->g->stw)
		return 0;
	*stw_slot(c, ev) = m->g;
	sim_stw(&c->sim, m->g, true);
	sim_put(&c->sim, SIM_CONVERTED, m, EV_STWBegin, tracefile_string(c->sim.tf, reason), 0);
	return 1;
}

int convert_stw_done(struct convert *c, const struct v1_event *ev)
{
	struct sim_g **slot = stw_slot(c, ev);
	struct sim_g *g = *slot;

	*slot = NULL;
	if (!g || !g->stw)
		return 0;
	if (!sim_g_thread(g)) {
		g->stw_ends = true;
		return 1;
	}
	sim_emit(&c->sim, SIM_CONVERTED, g->m, EV_STWEnd, 0, NULL);
	sim_stw(&c->sim, g, false);
	return 1;
}

int convert_sweep_start(struct convert *c, const struct v1_event *ev)
{
	struct sim_p *p = convert_p(c, ev);
	struct sim_m *m;

	if (!p || (p->sweeping && !ev->repaired))
		return 0;
	m = sim_p_hold(&c->sim, p, NULL);
	if (p->sweeping)
		sim_put(&c->sim, SIM_ADDED, m, EV_GCSweepEnd, 0, 0);
	sim_put(&c->sim, SIM_CONVERTED, m, EV_GCSweepBegin, convert_stack(c, ev->stack));
	p->sweeping = true;
	return 1;
}

int convert_sweep_done(struct convert *c, const struct v1_event *ev)
{
	struct sim_p *p = convert_p(c, ev);
	struct sim_m *m;

	if (!p || !p->sweeping)
		return 0;
	m = sim_p_hold(&c->sim, p, NULL);
	sim_put(&c->sim, SIM_CONVERTED, m, EV_GCSweepEnd, ev->args[0], ev->args[1]);
	p->sweeping = false;
	return 1;
}

int convert_assist_start(struct convert *c, const struct v1_event *ev)
{
	struct sim_m *m = convert_user(c, ev);

	if (!m || (m->g->assist && !ev->repaired))
		return 0;
	if (m->g->assist)
		sim_emit(&c->sim, SIM_ADDED, m, EV_GCMarkAssistEnd, 0, NULL);
	sim_put(&c->sim, SIM_CONVERTED, m, EV_GCMarkAssistBegin, convert_stack(c, ev->stack));
	m->g->assist = true;
	return 1;
}

int convert_assist_done(struct convert *c, const struct v1_event *ev)
{
	struct sim_m *m = convert_user(c, ev);

	if (!m || !m->g->assist)
		return 0;
	sim_emit(&c->sim, SIM_CONVERTED, m, EV_GCMarkAssistEnd, 0, NULL);
	m->g->assist = false;
	return 1;
}

/* The event of a metric needs a thread with a P, but no goroutine. */
static int v1_convert_metric(struct convert *c, const struct v1_event *ev, enum tracev2_event type)
{
	struct sim_p *p = convert_p(c, ev);

	sim_program(&c->sim, SIM_CONVERTED, p ? p->m : NULL, type, 1, ev->args);
	return 1;
}

int convert_heap_alloc(struct convert *c, const struct v1_event *ev)
{
	return v1_convert_metric(c, ev, EV_HeapAlloc);
}

int convert_heap_goal(struct convert *c, const struct v1_event *ev)
{
	return v1_convert_metric(c, ev, EV_HeapGoal);
}

/* --- annotations --- */

int convert_task_create(struct convert *c, const struct v1_event *ev)
{
	struct sim_m *m = convert_user(c, ev);
	uint64_t parent = ev->args[1] ? ev->args[1] : TRACEV2_NO_ID;

	if (!m)
		return 0;
	sim_put(&c->sim, SIM_CONVERTED, m, EV_UserTaskBegin, ev->args[0], parent,
		convert_string(c, ev->args[2]), convert_stack(c, ev->stack));
	return 1;
}

int convert_task_end(struct convert *c, const struct v1_event *ev)
{
	struct sim_m *m = convert_user(c, ev);

	if (!m)
		return 0;
	sim_put(&c->sim, SIM_CONVERTED, m, EV_UserTaskEnd, ev->args[0],
		convert_stack(c, ev->stack));
	return 1;
}

static void end_inner(struct convert *c, struct sim_m *m)
{
	struct sim_region *r = vec_at(&m->g->regions, struct sim_region, --m->g->regions.len);

	sim_put(&c->sim, SIM_ADDED, m, EV_UserRegionEnd, r->task,
		tracefile_bytes(c->sim.tf, r->name, strset_len(r->name)), 0);
}

/* Ends inner regions with the outer one: their ends may be lost in damage. */
static bool nest_region(struct convert *c, struct sim_m *m, const struct v1_event *ev)
{
	struct sim_region r = { ev->args[0], v1_trace_string(c->t, ev->args[2]) };
	struct vec *open = &m->g->regions;
	size_t i = open->len, least = i > DEPTH ? i - DEPTH : 0;

	if (!ev->args[1]) {
		*(struct sim_region *)vec_push(open, sizeof(r)) = r;
		return true;
	}
	while (i > least && (vec_at(open, struct sim_region, i - 1)->task != r.task ||
			     vec_at(open, struct sim_region, i - 1)->name != r.name))
		i--;
	if (i == least)
		/* the region began before the trace, or its begin is lost */
		return !open->len;
	while (open->len > i)
		end_inner(c, m);
	open->len--;
	return true;
}

int convert_region(struct convert *c, const struct v1_event *ev)
{
	struct sim_m *m = convert_user(c, ev);

	if (!m || (c->t->resumed && !nest_region(c, m, ev)))
		return 0;
	sim_put(&c->sim, SIM_CONVERTED, m, ev->args[1] ? EV_UserRegionEnd : EV_UserRegionBegin,
		ev->args[0], convert_string(c, ev->args[2]),
		convert_stack(c, ev->stack));
	return 1;
}

int convert_log(struct convert *c, const struct v1_event *ev)
{
	struct sim_m *m = convert_user(c, ev);

	if (!m)
		return 0;
	sim_put(&c->sim, SIM_CONVERTED, m, EV_UserLog, ev->args[0],
		convert_string(c, ev->args[1]),
		convert_text(c, ev->text, ev->text_len), convert_stack(c, ev->stack));
	return 1;
}

int convert_sample(struct convert *c, const struct v1_event *ev)
{
	tracefile_cpu_sample(c->sim.tf, sim_stamp(&c->sim, SIM_CONVERTED), TRACEV2_NO_ID,
			     ev->p < 0 ? TRACEV2_NO_ID : (uint64_t)ev->p, ev->g,
			     convert_stack(c, ev->stack));
	return 1;
}
