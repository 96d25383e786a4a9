// SPDX-License-Identifier: Apache-2.0
/*
 * rewrite_event: events of the original come in, in order and with their
 * context; steps of the simulated reader go out. An event that the written
 * trace cannot take any more (its goroutine is filtered out) is dropped.
 */
#include <errno.h>

#include "cmd/rewrite_internal.h"

/* 1 kept, 0 dropped, -errno */
typedef int step_fn(struct rewrite *c, const struct trace_event *ev);

static bool wanted(const struct rewrite *c, uint64_t g)
{
	return g != TRACEV2_NO_ID && (!c->o->goroutines || map64_get(c->o->goroutines, g));
}

/* The event's own goroutine if it is wanted and runs, else NULL. */
static struct sim_g *own(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = wanted(c, ev->g) ? sim_g(&c->sim, ev->g) : NULL;

	return g && sim_g_thread(g) ? g : NULL;
}

static struct sim_m *thread(struct rewrite *c, const struct trace_event *ev)
{
	return ev->m == TRACEV2_NO_ID ? NULL : sim_m(&c->sim, ev->m);
}

/* A thread that can take @g; a made-up one if the real one is not free here. */
static struct sim_m *free_thread(struct rewrite *c, uint64_t id)
{
	struct sim_m *m = id == TRACEV2_NO_ID ? NULL : sim_m(&c->sim, id);

	return m && !m->g ? m : sim_made_up(&c->sim);
}

/* --- Ps --- */

static int proc_status(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_p *p = sim_p(&c->sim, ev->args[0]);
	struct sim_m *m = thread(c, ev);
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

static int proc_start(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_p *p = sim_p(&c->sim, ev->args[0]);
	struct sim_m *m = thread(c, ev);

	if (!m)
		return 0;
	if (p->m)
		sim_p_stop(&c->sim, SIM_ADDED, p);
	if (m->p)
		sim_p_stop(&c->sim, SIM_ADDED, m->p);
	sim_p_start(&c->sim, SIM_CONVERTED, p, m);
	return 1;
}

static int proc_stop(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_p *p = sim_p(&c->sim, ev->p);

	if (p->m)
		sim_p_stop(&c->sim, SIM_CONVERTED, p);
	return 1;
}

/* Where the goroutine of the system call is filtered out, its thread just stops the P. */
static int proc_steal(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_p *p = sim_p(&c->sim, ev->args[0]);
	struct sim_m *by = thread(c, ev);

	if (p->m && p->in_syscall && by)
		sim_p_steal(&c->sim, SIM_CONVERTED, p, by);
	else if (p->m)
		sim_p_stop(&c->sim, SIM_CONVERTED, p);
	return 1;
}

/* --- goroutines --- */

static int go_status(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->args[0]);

	if (!wanted(c, g->id) || g->status != SIM_UNKNOWN)
		return 1;
	if (ev->type == EV_GoStatusStack)
		g->start_stack = rewrite_stack_key(c, ev->args[3]);
	switch (ev->args[2]) {
	case G_RUNNING:
		sim_g_status(&c->sim, SIM_CONVERTED, g, SIM_RUNNING, free_thread(c, ev->m));
		return 1;
	case G_SYSCALL:
		sim_g_status(&c->sim, SIM_CONVERTED, g, SIM_SYSCALL, free_thread(c, ev->args[1]));
		return 1;
	default:
		sim_g_status(&c->sim, SIM_CONVERTED, g,
			     ev->args[2] == G_WAITING ? SIM_WAITING : SIM_RUNNABLE, NULL);
		return 1;
	}
}

/* A goroutine created blocked; before header 1.23 it appears when it is first woken. */
static void hold_back(struct rewrite *c, struct sim_g *g, const struct trace_event *ev)
{
	g->held_back = c->writing;
	g->create_stack = rewrite_stack_key(c, ev->args[2]);
	g->status = SIM_WAITING;
}

static int go_create(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->args[0]);
	struct sim_m *m = thread(c, ev);

	if (!wanted(c, g->id))
		return 1;
	if (!m || !m->p)
		return 0;
	g->start_stack = rewrite_stack_key(c, ev->args[1]);
	g->seq = 0;
	if (ev->type == EV_GoCreateBlocked && c->version < 23) {
		hold_back(c, g, ev);
		return 1;
	}
	sim_put(&c->sim, SIM_CONVERTED, m, ev->type, g->id, rewrite_stack(c, ev->args[1]),
		rewrite_stack(c, ev->args[2]));
	g->status = ev->type == EV_GoCreate ? SIM_RUNNABLE : SIM_WAITING;
	return 1;
}

static int go_create_syscall(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->args[0]);
	struct sim_m *m = free_thread(c, ev->m);

	if (!wanted(c, g->id))
		return 1;
	sim_put(&c->sim, SIM_CONVERTED, m, EV_GoCreateSyscall, g->id);
	sim_g_bind(&c->sim, g, m, SIM_SYSCALL);
	g->seq = 0;
	return 1;
}

static void forget(struct sim_g *g)
{
	g->status = SIM_UNKNOWN;	/* the id may come again */
	g->start_stack = 0;
	g->seq = 0;
}

static int go_destroy_syscall(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = wanted(c, ev->g) ? sim_g(&c->sim, ev->g) : NULL;

	if (!g || g->status != SIM_SYSCALL)
		return 1;
	if (g->m->p)
		sim_p_stop(&c->sim, SIM_ADDED, g->m->p);
	sim_g_leave(&c->sim, g, SIM_WAITING, EV_GoDestroySyscall, 0, NULL);
	forget(g);
	return 1;
}

static int go_start(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->args[0]);
	struct sim_m *m = thread(c, ev);

	if (!wanted(c, g->id))
		return 1;
	if (g->status != SIM_RUNNABLE || !m || !m->p || m->g)
		return 0;
	sim_g_start(&c->sim, SIM_CONVERTED, g, m);
	if (c->writing && g->assist_before) {
		sim_put(&c->sim, SIM_ADDED, m, EV_GCMarkAssistActive, g->id);
		g->assist_before = false;
		g->assist = true;
	}
	sim_flush_pending(&c->sim);
	return 1;
}

static int go_stop(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = own(c, ev);

	if (!g)
		return 1;
	sim_g_leave(&c->sim, g, ev->type == EV_GoStop ? SIM_RUNNABLE : SIM_WAITING, ev->type, 2,
		    (const uint64_t[]){ rewrite_string(c, ev->args[0]),
					rewrite_stack(c, ev->args[1]) });
	return 1;
}

static int go_destroy(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = own(c, ev);

	if (!g)
		return 1;
	sim_g_leave(&c->sim, g, SIM_DEAD, EV_GoDestroy, 0, NULL);
	forget(g);
	return 1;
}

static int create_held_back(struct rewrite *c, const struct trace_event *ev, struct sim_g *g)
{
	struct sim_m *m = thread(c, ev);

	if (!m || !m->p || (m->g && m->g->status != SIM_RUNNING))
		m = sim_any_user(&c->sim);
	if (!m)
		return error_set(c->err, -ENOTSUP, "header go1.22 cannot express goroutine %llu, "
				 "which was created blocked; use go1.23 or later",
				 (unsigned long long)g->id);
	sim_put(&c->sim, SIM_CONVERTED, m, EV_GoCreate, g->id,
		tracefile_stack(c->tf, g->start_stack), tracefile_stack(c->tf, g->create_stack));
	g->held_back = false;
	g->status = SIM_RUNNABLE;
	return 1;
}

/* GoUnblock, and the first part of a switch. */
static int go_unblock(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->args[0]);
	uint64_t stack = ev->type == EV_GoUnblock ? ev->args[2] : 0;

	if (!wanted(c, g->id))
		return 1;
	if (g->status != SIM_WAITING)
		return 0;
	if (g->held_back)
		return create_held_back(c, ev, g);
	sim_put(&c->sim, SIM_CONVERTED, thread(c, ev), EV_GoUnblock, g->id, ++g->seq,
		rewrite_stack(c, stack));
	g->status = SIM_RUNNABLE;
	return 1;
}

/* --- system calls --- */

static int syscall_begin(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = own(c, ev);

	if (!g)
		return 1;
	sim_put(&c->sim, SIM_CONVERTED, g->m, EV_GoSyscallBegin, ++g->m->p->seq,
		rewrite_stack(c, ev->args[1]));
	g->status = SIM_SYSCALL;
	g->m->p->in_syscall = true;
	c->sim.nrunning--;
	return 1;
}

static int syscall_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = wanted(c, ev->g) ? sim_g(&c->sim, ev->g) : NULL;

	if (!g)
		return 1;
	if (g->status != SIM_SYSCALL || !g->m->p || !g->m->p->in_syscall)
		return 0;
	sim_emit(&c->sim, SIM_CONVERTED, g->m, EV_GoSyscallEnd, 0, NULL);
	g->status = SIM_RUNNING;
	g->m->p->in_syscall = false;
	c->sim.nrunning++;
	return 1;
}

static int syscall_end_blocked(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = wanted(c, ev->g) ? sim_g(&c->sim, ev->g) : NULL;

	if (!g)
		return 1;
	if (g->status != SIM_SYSCALL)
		return 0;
	sim_g_exit(&c->sim, SIM_CONVERTED, g);
	return 1;
}

/* --- ranges --- */

/* One line of numbers for begins and ends, as the written trace counts them. */
static int gc_begin(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = own(c, ev);

	if (c->gc_open)		/* an Active says again what is known */
		return 1;
	c->gc_open = true;
	if (ev->type == EV_GCActive && !c->gc_known)
		sim_program(&c->sim, SIM_CONVERTED, NULL, EV_GCActive, 1,
			    (const uint64_t[]){ ++c->gc_seq });
	else
		sim_program(&c->sim, SIM_CONVERTED, g ? g->m : NULL, EV_GCBegin, 2,
			    (const uint64_t[]){ ++c->gc_seq, rewrite_stack(c, ev->args[1]) });
	c->gc_known = true;
	return 1;
}

static int gc_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = own(c, ev);

	if (!c->gc_open)
		return 0;
	c->gc_open = false;
	sim_program(&c->sim, SIM_CONVERTED, g ? g->m : NULL, EV_GCEnd, 1,
		    (const uint64_t[]){ ++c->gc_seq });
	return 1;
}

static int stw_begin(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = own(c, ev);

	if (!g || g->stw)
		return !g;
	g->stw = true;
	sim_put(&c->sim, SIM_CONVERTED, g->m, EV_STWBegin, rewrite_string(c, ev->args[0]),
		rewrite_stack(c, ev->args[1]));
	return 1;
}

static int stw_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = own(c, ev);

	if (!g || !g->stw)
		return !g;
	g->stw = false;
	sim_emit(&c->sim, SIM_CONVERTED, g->m, EV_STWEnd, 0, NULL);
	return 1;
}

static int sweep_begin(struct rewrite *c, const struct trace_event *ev)
{
	bool active = ev->type == EV_GCSweepActive;
	struct sim_p *p = sim_p(&c->sim, active ? ev->args[0] : ev->p);

	if (!p->m || p->sweeping)
		return p->sweeping;
	p->sweeping = true;
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
	struct sim_g *g = sim_g(&c->sim, ev->args[0]);

	if (!wanted(c, g->id) || g->assist || g->status == SIM_UNKNOWN)
		return 1;
	g->assist = true;
	sim_put(&c->sim, SIM_CONVERTED, thread(c, ev), EV_GCMarkAssistActive, g->id);
	return 1;
}

static int assist_begin(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = own(c, ev);

	if (!g || g->assist)
		return !g;
	g->assist = true;
	sim_put(&c->sim, SIM_CONVERTED, g->m, EV_GCMarkAssistBegin, rewrite_stack(c, ev->args[0]));
	return 1;
}

static int assist_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = own(c, ev);

	if (!g || !g->assist)
		return !g;
	g->assist = false;
	sim_emit(&c->sim, SIM_CONVERTED, g->m, EV_GCMarkAssistEnd, 0, NULL);
	return 1;
}

/* --- the rest --- */

static int procs_change(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = own(c, ev);

	c->procs = ev->args[0];
	sim_program(&c->sim, SIM_CONVERTED, g ? g->m : NULL, EV_ProcsChange, 2,
		    (const uint64_t[]){ ev->args[0], rewrite_stack(c, ev->args[1]) });
	return 1;
}

static int heap(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_m *m = thread(c, ev);

	sim_program(&c->sim, SIM_CONVERTED, m && m->p ? m : NULL, ev->type, 1, ev->args);
	return 1;
}

/* Labels, tasks, regions and logs: arguments are copied, ids of names translated. */
static int annotation(struct rewrite *c, const struct trace_event *ev)
{
	const struct raw_spec *spec = &trace_reader_specs(c->r)->of[ev->type];
	struct sim_g *g = own(c, ev);
	uint64_t args[TRACEV2_MAX_ARGS];
	int i, n = spec->nargs - 1;	/* without dt */

	if (!g)
		return !wanted(c, ev->g);
	for (i = 0; i < n; i++) {
		args[i] = ev->args[i];
		if (spec->strings & 1 << (i + 1))
			args[i] = rewrite_string(c, args[i]);
		else if (spec->stack == i + 1)
			args[i] = rewrite_stack(c, args[i]);
	}
	if (ev->type == EV_UserTaskBegin && args[1] == TRACEV2_NO_ID)
		args[1] = 0;
	sim_emit(&c->sim, SIM_CONVERTED, g->m, ev->type, n, args);
	return 1;
}

static int sample(struct rewrite *c, const struct trace_event *ev)
{
	if (!c->writing || (c->o->goroutines && !wanted(c, ev->g)))
		return 1;
	tracefile_cpu_sample(c->tf, sim_stamp(&c->sim, SIM_CONVERTED), ev->m, ev->p,
			     ev->g == TRACEV2_NO_ID ? 0 : ev->g, rewrite_stack(c, ev->args[0]));
	return 1;
}

static step_fn *const steps[256] = {
	[EV_ProcStatus] = proc_status,
	[EV_ProcStart] = proc_start,
	[EV_ProcStop] = proc_stop,
	[EV_ProcSteal] = proc_steal,
	[EV_GoStatus] = go_status,
	[EV_GoStatusStack] = go_status,
	[EV_GoCreate] = go_create,
	[EV_GoCreateBlocked] = go_create,
	[EV_GoCreateSyscall] = go_create_syscall,
	[EV_GoDestroySyscall] = go_destroy_syscall,
	[EV_GoStart] = go_start,
	[EV_GoStop] = go_stop,
	[EV_GoBlock] = go_stop,
	[EV_GoDestroy] = go_destroy,
	[EV_GoUnblock] = go_unblock,
	[EV_GoSwitch] = go_unblock,
	[EV_GoSwitchDestroy] = go_unblock,
	[EV_GoSyscallBegin] = syscall_begin,
	[EV_GoSyscallEnd] = syscall_end,
	[EV_GoSyscallEndBlocked] = syscall_end_blocked,
	[EV_GCActive] = gc_begin,
	[EV_GCBegin] = gc_begin,
	[EV_GCEnd] = gc_end,
	[EV_STWBegin] = stw_begin,
	[EV_STWEnd] = stw_end,
	[EV_GCSweepActive] = sweep_begin,
	[EV_GCSweepBegin] = sweep_begin,
	[EV_GCSweepEnd] = sweep_end,
	[EV_GCMarkAssistActive] = assist_active,
	[EV_GCMarkAssistBegin] = assist_begin,
	[EV_GCMarkAssistEnd] = assist_end,
	[EV_ProcsChange] = procs_change,
	[EV_HeapAlloc] = heap,
	[EV_HeapGoal] = heap,
	[EV_GoLabel] = annotation,
	[EV_UserTaskBegin] = annotation,
	[EV_UserTaskEnd] = annotation,
	[EV_UserRegionBegin] = annotation,
	[EV_UserRegionEnd] = annotation,
	[EV_UserLog] = annotation,
	[EV_CPUSample] = sample,
};

int rewrite_event(struct rewrite *c, const struct trace_event *ev)
{
	int kept = steps[ev->type] ? steps[ev->type](c, ev) : 0;

	if (kept < 0)
		return kept;
	c->result->dropped += !kept && c->writing;
	return 0;
}
