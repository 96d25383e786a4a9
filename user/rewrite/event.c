// SPDX-License-Identifier: Apache-2.0
/*
 * rewrite_event: turns events of the original, which come in order and with their context, into
 * steps of the simulated reader. An event that has no place in the written trace, since its
 * goroutine is filtered out, is dropped.
 */
#include "rewrite/internal.h"

/* --- Ps --- */

static int proc_status(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_p *p = sim_p(&c->sim, ev->args[0]);
	struct sim_m *m = rewrite_thread(c, ev);
	uint64_t status = ev->args[1];

	if (p->known)
		return 1;
	if ((status != P_RUNNING && status != P_SYSCALL) || !m || m->p) {
		sim_p_status(&c->sim, SIM_CONVERTED, p, NULL, P_IDLE);
		return 1;
	}
	sim_p_status(&c->sim, SIM_CONVERTED, p, m, status);
	return 1;
}

static int rewrite_proc_start(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_p *p = sim_p(&c->sim, ev->args[0]);
	struct sim_m *m = rewrite_thread(c, ev);

	if (!m)
		return 0;
	if (p->m)
		sim_p_stop(&c->sim, SIM_ADDED, p);
	if (m->p)
		sim_p_stop(&c->sim, SIM_ADDED, m->p);
	sim_p_start(&c->sim, SIM_CONVERTED, p, m);
	return 1;
}

static int rewrite_proc_stop(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_p *p = sim_p(&c->sim, ev->p);

	if (p->m)
		sim_p_stop(&c->sim, SIM_CONVERTED, p);
	return 1;
}

/*
 * If the filter drops the goroutine of the system call, the thread of that goroutine stops the P
 * instead.
 */
static int proc_steal(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_p *p = sim_p(&c->sim, ev->args[0]);
	struct sim_m *by = rewrite_thread(c, ev);

	if (p->m && p->in_syscall && by)
		sim_p_steal(&c->sim, SIM_CONVERTED, p, by);
	else if (p->m)
		sim_p_stop(&c->sim, SIM_CONVERTED, p);
	return 1;
}

/* --- ranges --- */

/*
 * GC cycles. The written trace numbers begins and ends in one sequence. Without -g some goroutine
 * runs at nearly every begin. With -g a begin may wait until a requested goroutine runs; if the
 * cycle ends before, it is left out rather than shown too late.
 */
static int rewrite_gc_begin(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);

	if (c->gc_open)		/* a GCActive repeats a known fact */
		return 1;
	c->gc_open = true;
	if (ev->type == EV_GCActive && !c->gc_known && !c->later)
		sim_program(&c->sim, SIM_CONVERTED, NULL, EV_GCActive, 1,
			    (const uint64_t[]){ ++c->gc_seq });
	else
		sim_program(&c->sim, SIM_CONVERTED, g ? g->m : NULL, EV_GCBegin, 2,
			    (const uint64_t[]){ ++c->gc_seq, ev->type == EV_GCActive ? 0 :
						rewrite_stack(c, ev->args[1]) });
	c->gc_known = true;
	return 1;
}

static int rewrite_gc_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);

	if (!c->gc_open)
		return 0;
	c->gc_open = false;
	if (sim_take_back(&c->sim, EV_GCBegin) || sim_take_back(&c->sim, EV_GCActive)) {
		c->gc_seq--;
		c->result->dropped++;
		return 0;
	}
	sim_program(&c->sim, SIM_CONVERTED, g ? g->m : NULL, EV_GCEnd, 1,
		    (const uint64_t[]){ ++c->gc_seq });
	return 1;
}

static int rewrite_stw_begin(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);

	if (!g || g->stw)
		return !g;
	sim_stw(&c->sim, g, true);
	sim_put(&c->sim, SIM_CONVERTED, g->m, EV_STWBegin, rewrite_string(c, ev->args[0]),
		rewrite_stack(c, ev->args[1]));
	return 1;
}

static int rewrite_stw_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);

	if (!g || !g->stw)
		return !g;
	sim_stw(&c->sim, g, false);
	sim_emit(&c->sim, SIM_CONVERTED, g->m, EV_STWEnd, 0, NULL);
	return 1;
}

static int rewrite_sweep_begin(struct rewrite *c, const struct trace_event *ev)
{
	bool active = ev->type == EV_GCSweepActive;
	struct sim_p *p = sim_p(&c->sim, active ? ev->args[0] : ev->p);

	if (!p->m || p->sweeping)
		return p->sweeping;
	p->sweeping = true;
	if (active && c->later)		/* it began where events are missing */
		sim_put(&c->sim, SIM_ADDED, p->m, EV_GCSweepBegin, 0);
	else
		sim_put(&c->sim, SIM_CONVERTED, p->m, ev->type,
			active ? p->id : rewrite_stack(c, ev->args[0]));
	return 1;
}

static int sweep_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_p *p = sim_p(&c->sim, ev->p);

	if (!p->m || !p->sweeping)
		return 0;
	p->sweeping = false;
	sim_emit(&c->sim, SIM_CONVERTED, p->m, EV_GCSweepEnd, 2, ev->args);
	return 1;
}

static int assist_active(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_named(c, ev);

	if (!g || g->assist || g->status == SIM_UNKNOWN)
		return 1;
	if (c->later && !sim_g_thread(g)) {
		/* the assist can begin only where the goroutine runs */
		g->assist_before = true;
		return 1;
	}
	g->assist = true;
	if (c->later)
		sim_put(&c->sim, SIM_ADDED, g->m, EV_GCMarkAssistBegin, 0);
	else
		sim_put(&c->sim, SIM_CONVERTED, rewrite_thread(c, ev), EV_GCMarkAssistActive,
			g->id);
	return 1;
}

static int rewrite_assist_begin(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);

	if (!g || g->assist)
		return !g;
	g->assist = true;
	sim_put(&c->sim, SIM_CONVERTED, g->m, EV_GCMarkAssistBegin, rewrite_stack(c, ev->args[0]));
	return 1;
}

static int rewrite_assist_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);

	if (!g || !g->assist)
		return !g;
	g->assist = false;
	sim_emit(&c->sim, SIM_CONVERTED, g->m, EV_GCMarkAssistEnd, 0, NULL);
	return 1;
}

/* --- the rest --- */

static int rewrite_procs_change(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);

	c->procs = ev->args[0];
	c->result->dropped += sim_take_back(&c->sim, EV_ProcsChange);
	sim_program(&c->sim, SIM_CONVERTED, g ? g->m : NULL, EV_ProcsChange, 2,
		    (const uint64_t[]){ ev->args[0], rewrite_stack(c, ev->args[1]) });
	return 1;
}

static int rewrite_heap(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_m *m = rewrite_thread(c, ev);

	c->result->dropped += sim_take_back(&c->sim, ev->type);
	sim_program(&c->sim, SIM_CONVERTED, m && m->p ? m : NULL, ev->type, 1, ev->args);
	return 1;
}

/* Labels and logs: copies the arguments and translates the ids of names. */
static int rewrite_annotation(struct rewrite *c, const struct trace_event *ev)
{
	const struct raw_spec *spec = &trace_reader_specs(c->r)->of[ev->type];
	struct sim_g *g = rewrite_own(c, ev);
	uint64_t args[TRACEV2_MAX_ARGS];
	int i, n = spec->nargs - 1;	/* without dt */

	if (!g)
		return !rewrite_wanted(c, ev->g);
	for (i = 0; i < n; i++) {
		args[i] = ev->args[i];
		if (spec->strings & 1 << (i + 1))
			args[i] = rewrite_string(c, args[i]);
		else if (spec->stack == i + 1)
			args[i] = rewrite_stack(c, args[i]);
	}
	if (ev->type == EV_GoLabel && !args[0] && c->writing)
		return 0;		/* the name is lost in damage, and readers require one */
	sim_emit(&c->sim, SIM_CONVERTED, g->m, ev->type, n, args);
	return 1;
}

/* Events of spans, objects and stacks: these need a thread, but no goroutine. */
static int rewrite_experiment(struct rewrite *c, const struct trace_event *ev)
{
	const struct raw_spec *spec = raw_spec_get(trace_reader_specs(c->r), ev->type, c->version);

	if (c->o->goroutines && !rewrite_wanted(c, ev->g))
		return 1;
	if (!spec)
		return 0;
	sim_emit(&c->sim, SIM_CONVERTED, rewrite_thread(c, ev), ev->type, spec->nargs - 1,
		 ev->args);
	return 1;
}

static int rewrite_sample(struct rewrite *c, const struct trace_event *ev)
{
	if (!c->writing || (c->o->goroutines && !rewrite_wanted(c, ev->g)))
		return 1;
	c->loose++;
	tracefile_cpu_sample(c->tf, sim_stamp(&c->sim, SIM_CONVERTED), ev->m, ev->p,
			     ev->g == TRACEV2_NO_ID ? 0 : ev->g, rewrite_stack(c, ev->args[0]));
	return 1;
}

/* Each timed event has a row in event.def. */
enum {
#define STEP(name, step) HAS_STEP_##name,
#include "rewrite/event.def"
#undef STEP
#define EV(number, name, version, class, args, stacks, strings) \
	TRACEV2_IF_TIMED(class, STEP_OF_##name = HAS_STEP_##name, )
#include "tracev2.def"
#undef EV
};

static rewrite_step *const steps[256] = {
#define STEP(name, step) [EV_##name] = step,
#include "rewrite/event.def"
#undef STEP
#define EV(number, name, version, class, args, stacks, strings) \
	TRACEV2_IF_EXPERIMENT(class, [number] = rewrite_experiment, )
#include "tracev2.def"
#undef EV
};

void rewrite_see(struct rewrite *c, uint64_t id)
{
	const uint64_t *at = map64_get(&c->sim.gs, id);
	const struct sim_g *g = at ? (void *)(uintptr_t)*at : NULL;

	if (g && g->status != SIM_UNKNOWN && g->status != SIM_DEAD && !g->held_back)
		map64_put(&c->seen, id, NULL);
}

bool rewrite_is_of_no_p(const struct trace_event *ev)
{
	switch (ev->type) {
	case EV_ProcStatus:
	case EV_ProcStart:
	case EV_ProcSteal:
	case EV_GCSweepActive:
		return ev->args[0] == TRACEV2_NO_ID;
	default:
		return false;
	}
}

int rewrite_event(struct rewrite *c, const struct trace_event *ev)
{
	struct trace_transition tr = event_transition(ev);
	int kept = steps[ev->type] && !rewrite_is_of_no_p(ev) ? steps[ev->type](c, ev) : 0;

	if (kept < 0)
		return kept;
	c->result->dropped += !kept && c->writing;
	if (c->writing && c->o->goroutines && tr.of == RESOURCE_GOROUTINE &&
	    rewrite_wanted(c, tr.id))
		rewrite_see(c, tr.id);
	return 0;
}
