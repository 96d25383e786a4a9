// SPDX-License-Identifier: Apache-2.0
/* rewrite_go: events of goroutines, as steps of the simulated reader. See event.c. */
#include <errno.h>

#include "rewrite/internal.h"

/* A thread that can run @g. If thread @id is not free in the written trace, an invented thread. */
static struct sim_m *rewrite_go_free_thread(struct rewrite *c, uint64_t id)
{
	struct sim_m *m = id == TRACEV2_NO_ID ? NULL : sim_m(&c->sim, id);

	return m && !m->g ? m : sim_made_up(&c->sim);
}

/* Keeps what @g waits for from the event on, for the statuses of further generations. */
static const struct trace_wait *rewrite_go_wait(struct rewrite *c, struct sim_g *g,
						const struct trace_event *ev)
{
	struct trace_wait wait;

	sim_g_waits(g, trace_reader_wait(c->r, ev, &wait) ? &wait : NULL);
	return g->wait;
}

int rewrite_go_status(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_named(c, ev);

	if (g && (g->status == SIM_UNKNOWN || g->status == SIM_WAITING))
		rewrite_go_wait(c, g, ev);
	if (!g || g->status != SIM_UNKNOWN)
		return 1;
	if (c->later)		/* only a first generation may have a status of a new goroutine */
		return 0;
	if (ev->type == EV_GoStatusStack)
		g->start_stack = rewrite_stack_key(c, ev->args[3]);
	switch (ev->args[2]) {
	case G_RUNNING:
		sim_g_status(&c->sim, SIM_CONVERTED, g, SIM_RUNNING,
			     rewrite_go_free_thread(c, ev->m));
		return 1;
	case G_SYSCALL:
		sim_g_status(&c->sim, SIM_CONVERTED, g, SIM_SYSCALL,
			     rewrite_go_free_thread(c, ev->args[1]));
		return 1;
	default:
		sim_g_status(&c->sim, SIM_CONVERTED, g,
			     ev->args[2] == G_WAITING ? SIM_WAITING : SIM_RUNNABLE, NULL);
		return 1;
	}
}

/*
 * A goroutine that was created blocked. Before header 1.23 the format has no such event: the
 * goroutine appears when it is first woken.
 */
static void rewrite_go_hold_back(struct rewrite *c, struct sim_g *g, const struct trace_event *ev)
{
	g->held_back = c->writing;
	g->create_stack = rewrite_stack_key(c, ev->args[2]);
	g->status = SIM_WAITING;
}

int rewrite_go_create(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_named(c, ev);
	struct sim_m *m = rewrite_thread(c, ev);

	if (!g)
		return 1;
	if (!m || !m->p || g->status != SIM_UNKNOWN)
		return 0;
	g->start_stack = rewrite_stack_key(c, ev->args[1]);
	g->seq = 0;
	if (ev->type == EV_GoCreateBlocked && c->version < 23) {
		rewrite_go_hold_back(c, g, ev);
		return 1;
	}
	sim_put(&c->sim, SIM_CONVERTED, m, ev->type, g->id, rewrite_stack(c, ev->args[1]),
		rewrite_stack(c, ev->args[2]));
	g->status = ev->type == EV_GoCreate ? SIM_RUNNABLE : SIM_WAITING;
	return 1;
}

int rewrite_go_create_syscall(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_named(c, ev);
	struct sim_m *m;

	if (!g)
		return 1;
	if (g->status != SIM_UNKNOWN)
		return 0;
	m = rewrite_go_free_thread(c, ev->m);
	sim_put(&c->sim, SIM_CONVERTED, m, EV_GoCreateSyscall, g->id);
	sim_g_bind(&c->sim, g, m, SIM_SYSCALL);
	g->seq = 0;
	return 1;
}

int rewrite_go_destroy_syscall(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_wanted(c, ev->g) ? sim_g(&c->sim, ev->g) : NULL;

	if (!g || g->status != SIM_SYSCALL)
		return 1;
	if (g->m->p)
		sim_p_stop(&c->sim, SIM_ADDED, g->m->p);
	sim_g_leave(&c->sim, SIM_CONVERTED, g, SIM_WAITING, EV_GoDestroySyscall, 0, NULL);
	sim_forget_g(&c->sim, g);
	return 1;
}

int rewrite_go_start(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_named(c, ev);
	struct sim_m *m = rewrite_thread(c, ev);

	if (!g)
		return 1;
	if (g->status != SIM_RUNNABLE || !m || !m->p || m->g)
		return 0;
	sim_g_start(&c->sim, SIM_CONVERTED, g, m);
	if (c->writing && g->assist_before) {
		if (c->later)
			sim_put(&c->sim, SIM_ADDED, m, EV_GCMarkAssistBegin, 0);
		else
			sim_put(&c->sim, SIM_ADDED, m, EV_GCMarkAssistActive, g->id);
		g->assist_before = false;
		g->assist = true;
	}
	sim_flush_pending(&c->sim);
	return 1;
}

int rewrite_go_stop(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);
	const struct trace_wait *wait;
	uint64_t reason;

	if (!g)
		return 1;
	reason = rewrite_string(c, ev->args[0]);
	wait = rewrite_go_wait(c, g, ev);
	if (wait && reason)
		reason = tracefile_reason(c->tf, reason, wait);
	sim_g_leave(&c->sim, SIM_CONVERTED, g,
		    ev->type == EV_GoStop ? SIM_RUNNABLE : SIM_WAITING, ev->type, 2,
		    (const uint64_t[]){ reason, rewrite_stack(c, ev->args[1]) });
	if (wait)
		sim_socket(&c->sim, wait);
	return 1;
}

int rewrite_go_destroy(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);

	if (!g)
		return 1;
	sim_g_leave(&c->sim, SIM_CONVERTED, g, SIM_DEAD, EV_GoDestroy, 0, NULL);
	sim_forget_g(&c->sim, g);
	return 1;
}

static int create_held_back(struct rewrite *c, const struct trace_event *ev, struct sim_g *g)
{
	struct sim_m *m = rewrite_thread(c, ev);

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

/* GoUnblock, and the first step of a switch. */
int rewrite_go_unblock(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_named(c, ev);
	uint64_t stack = ev->type == EV_GoUnblock ? ev->args[2] : 0;

	if (!g)
		return 1;
	if (g->status != SIM_WAITING)
		return 0;
	if (g->held_back)
		return create_held_back(c, ev, g);
	sim_g_waits(g, NULL);
	sim_put(&c->sim, SIM_CONVERTED, rewrite_thread(c, ev), EV_GoUnblock, g->id, ++g->seq,
		rewrite_stack(c, stack));
	g->status = SIM_RUNNABLE;
	return 1;
}

/* --- system calls --- */

int rewrite_syscall_begin(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_own(c, ev);

	if (!g)
		return 1;
	sim_put(&c->sim, SIM_CONVERTED, g->m, EV_GoSyscallBegin, ++g->m->p->seq,
		rewrite_stack(c, ev->args[1]));
	g->status = SIM_SYSCALL;
	g->m->p->in_syscall = true;
	c->sim.nrunning--;
	return 1;
}

int rewrite_syscall_end(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_wanted(c, ev->g) ? sim_g(&c->sim, ev->g) : NULL;

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

int rewrite_syscall_end_blocked(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_wanted(c, ev->g) ? sim_g(&c->sim, ev->g) : NULL;

	if (!g)
		return 1;
	if (g->status != SIM_SYSCALL)
		return 0;
	sim_g_exit(&c->sim, SIM_CONVERTED, g);
	return 1;
}
