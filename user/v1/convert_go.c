// SPDX-License-Identifier: Apache-2.0
/* convert_go: turns v1 events of goroutines into steps of the simulated reader. See sim.h. */
#include "v1/convert_internal.h"
#include "v1/words.h"

static void v1_convert_hold_back(struct convert *c, struct sim_g *g)
{
	g->held_back = true;
	*(struct sim_g **)vec_push(&c->held_back, sizeof(g)) = g;
}

void convert_end_start(struct convert *c)
{
	size_t i;

	c->starting = false;
	for (i = 0; i < c->held_back.len; i++) {
		struct sim_g *g = *vec_at(&c->held_back, struct sim_g *, i);

		if (g->held_back && !g->declared)
			sim_g_status(&c->sim, SIM_CONVERTED, g, SIM_RUNNABLE, NULL);
	}
	vec_free(&c->held_back);
}

/* A thread with the event's P and without a goroutine, or with a running one. */
static struct sim_m *v1_convert_creator(struct convert *c, const struct v1_event *ev)
{
	struct sim_p *p = convert_p(c, ev);
	struct sim_m *m;

	if (!p)
		return NULL;
	m = sim_p_hold(&c->sim, p, NULL);
	if (m->g && m->g->status != SIM_RUNNING)
		m = sim_p_move(&c->sim, p, NULL);
	return m;
}

int convert_go_create(struct convert *c, const struct v1_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->args[0]);
	struct sim_m *m;

	if (c->starting || g->declared) {
		v1_convert_hold_back(c, g);
		return 1;
	}
	m = v1_convert_creator(c, ev);
	if (!m) {
		sim_g_status(&c->sim, SIM_CONVERTED, g, SIM_RUNNABLE, NULL);
		return 1;
	}
	sim_put(&c->sim, SIM_CONVERTED, m, EV_GoCreate, g->id, convert_stack(c, ev->args[1]),
		convert_stack(c, ev->stack));
	g->status = SIM_RUNNABLE;
	return 1;
}

/* Writes the begins and ends of ranges that had to wait until the goroutine runs. */
static void settle_ranges(struct convert *c, struct sim_g *g)
{
	if (g->assist_before) {
		sim_put(&c->sim, SIM_ADDED, g->m, EV_GCMarkAssistActive, g->id);
		g->assist_before = false;
		g->assist = true;
	}
	if (g->stw_ends) {
		sim_emit(&c->sim, SIM_CONVERTED, g->m, EV_STWEnd, 0, NULL);
		sim_stw(&c->sim, g, false);
	}
}

/* The thread of P @p, without a goroutine other than @g. */
static struct sim_m *v1_convert_runner(struct convert *c, struct sim_p *p, struct sim_g *g)
{
	struct sim_m *m = sim_p_hold(&c->sim, p, g->last_m);

	if (!m->g)
		return m;
	if (m->g->status == SIM_RUNNING) {
		sim_g_make_runnable(&c->sim, m->g);
		return sim_p_hold(&c->sim, p, m);
	}
	return sim_p_move(&c->sim, p, g->last_m);
}

int convert_go_start(struct convert *c, const struct v1_event *ev)
{
	struct sim *s = &c->sim;
	struct sim_g *g = sim_g(s, ev->g);
	struct sim_p *p = convert_p(c, ev);
	bool first = c->starting && g->status == SIM_UNKNOWN;
	uint64_t label;

	if (!p)
		p = sim_p(s, INT32_MAX);
	if (!first)
		sim_g_make_runnable(s, g);
	if (first)
		sim_g_status(s, SIM_CONVERTED, g, SIM_RUNNING, v1_convert_runner(c, p, g));
	else
		sim_g_start(s, SIM_CONVERTED, g, v1_convert_runner(c, p, g));
	label = ev->type == V1_GO_START_LABEL ? convert_string(c, ev->args[2]) : 0;
	if (label)
		sim_put(s, SIM_CONVERTED, g->m, EV_GoLabel, label);
	settle_ranges(c, g);
	sim_flush_pending(s);
	return 1;
}

int convert_go_end(struct convert *c, const struct v1_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->g);
	bool kept = c->starting || g->stw;	/* held_back, or a P, may point to the goroutine */

	if (g->status != SIM_RUNNING)
		return 0;
	sim_g_leave(&c->sim, SIM_CONVERTED, g, SIM_DEAD, EV_GoDestroy, 0, NULL);
	if (!kept)
		sim_forget_g(&c->sim, g);
	return 1;
}

static int v1_convert_leave(struct convert *c, const struct v1_event *ev, enum sim_status status,
		 enum tracev2_event type, const char *reason)
{
	struct sim_g *g = sim_g(&c->sim, ev->g);

	if (g->status != SIM_RUNNING)
		return 0;
	sim_g_leave(&c->sim, SIM_CONVERTED, g, status, type, 2,
		    (const uint64_t[]){ tracefile_string(c->sim.tf, reason),
					convert_stack(c, ev->stack) });
	return 1;
}

int convert_go_sched(struct convert *c, const struct v1_event *ev)
{
	return v1_convert_leave(c, ev, SIM_RUNNABLE, EV_GoStop,
		     ev->type == V1_GO_SCHED ? "runtime.Gosched" : "preempted");
}

int convert_go_block(struct convert *c, const struct v1_event *ev)
{
	return v1_convert_leave(c, ev, SIM_WAITING, EV_GoBlock, v1_block_reason(ev->type));
}

int convert_go_unblock(struct convert *c, const struct v1_event *ev)
{
	struct sim *s = &c->sim;
	struct sim_g *g = sim_g(s, ev->args[0]);
	struct sim_p *p = convert_p(c, ev);

	if (g->status == SIM_UNKNOWN)
		sim_g_status(s, SIM_ADDED, g, SIM_WAITING, NULL);
	if (ev->repaired && sim_g_thread(g))	/* the event GoBlock of the goroutine is lost */
		sim_g_leave(s, SIM_ADDED, g, SIM_WAITING, EV_GoBlock, 2,
			    (const uint64_t[]){ 0, 0 });
	if (g->status == SIM_SYSCALL) {
		sim_g_exit(s, SIM_CONVERTED, g);
		return 1;
	}
	if (g->status != SIM_WAITING)
		return 0;
	sim_put(s, SIM_CONVERTED, p ? p->m : NULL, EV_GoUnblock, g->id, ++g->seq,
		convert_stack(c, ev->stack));
	g->status = SIM_RUNNABLE;
	return 1;
}

int convert_go_waiting(struct convert *c, const struct v1_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->g);

	if (g->status != SIM_UNKNOWN)
		return 0;
	sim_g_status(&c->sim, SIM_CONVERTED, g, SIM_WAITING, NULL);
	return 1;
}

int convert_go_in_syscall(struct convert *c, const struct v1_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->g);

	if (g->status != SIM_UNKNOWN)
		return 0;
	sim_g_status(&c->sim, SIM_CONVERTED, g, SIM_SYSCALL, sim_made_up(&c->sim));
	return 1;
}

static void syscall_begin(struct convert *c, enum sim_origin origin, struct sim_g *g,
			  uint64_t stack)
{
	struct sim *s = &c->sim;
	struct sim_p *p = g->m->p;

	sim_put(s, origin, g->m, EV_GoSyscallBegin, ++p->seq, stack);
	g->status = SIM_SYSCALL;
	p->in_syscall = true;
	s->nrunning--;
}

/*
 * A system call without an exit event: v1 has none for fast exits, so the call takes a nanosecond.
 */
static void syscall_end(struct convert *c, struct sim_g *g)
{
	struct sim *s = &c->sim;

	s->now++;
	sim_emit(s, SIM_CONVERTED, g->m, EV_GoSyscallEnd, 0, NULL);
	g->status = SIM_RUNNING;
	g->m->p->in_syscall = false;
	s->nrunning++;
}

int convert_go_syscall(struct convert *c, const struct v1_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->g);

	if (!sim_g_thread(g))
		return 0;
	syscall_begin(c, SIM_CONVERTED, g, convert_stack(c, ev->stack));
	if (!ev->sys_blocks)
		syscall_end(c, g);
	return 1;
}

/* The system call has begun already. The thread loses the P at a ProcStop or at the exit. */
int convert_go_sysblock(struct convert *c, const struct v1_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->g);

	if (sim_g_thread(g))
		syscall_begin(c, SIM_ADDED, g, 0);
	return 1;
}

int convert_go_sysexit(struct convert *c, const struct v1_event *ev)
{
	struct sim_g *g = sim_g(&c->sim, ev->g);

	if (g->status == SIM_UNKNOWN)
		sim_g_status(&c->sim, SIM_ADDED, g, SIM_SYSCALL, sim_made_up(&c->sim));
	if (g->status != SIM_SYSCALL)
		return 0;
	sim_g_exit(&c->sim, SIM_CONVERTED, g);
	return 1;
}
