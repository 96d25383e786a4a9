// SPDX-License-Identifier: Apache-2.0
/* v2_step: events of goroutines (wire-v2, B.2 and B.5). */
#include "read/v2_step.h"

/* A goroutine in a syscall on the thread @mid, which need not be the one that says so. */
static bool bind_syscall(struct step *s, uint64_t gid, uint64_t mid)
{
	struct order_m *m;

	if (mid == TRACEV2_NO_ID) {
		step_fail(s, "found goroutine %lld in syscall without a thread", (long long)gid);
		return false;
	}
	if (mid == s->cur.m) {
		if (s->gen != s->o->initial_gen && s->cur.g != gid)
			goto inconsistent;
		s->next.g = gid;
		return true;
	}
	m = order_find_m(s->o, mid);
	if (!m) {
		/* Never seen: it has been sitting in this syscall since before the trace. */
		order_add_m(s->o, mid)->g = gid;
		s->cur.m = mid;
		return true;
	}
	s->cur.g = m->g;
	if (m->g != gid)
		goto inconsistent;
	s->cur.m = mid;
	return true;
inconsistent:
	step_fail(s, "inconsistent thread for syscalling goroutine %lld: thread has goroutine %lld",
		  (long long)gid, (long long)s->cur.g);
	return false;
}

enum advance step_go_status(struct step *s)
{
	uint64_t gid = s->ev->args[0];
	uint8_t status = (uint8_t)s->ev->args[2];	/* Go's GoStatus is 8 bits wide */
	struct order_g *g = order_find_g(s->o, gid);

	if (status > G_WAITING)
		return step_fail(s, "invalid status for goroutine %lld: %u", (long long)gid,
				 status);
	s->ev->args[2] = status;
	s->ev->old_state = gstatus_state(status);
	if (!g && s->gen != s->o->initial_gen)
		return step_fail(s, "found goroutine status for new goroutine after the first"
				 " generation: id=%lld status=%s", (long long)gid,
				 gstatus_name(status));
	if (g && g->status != status)
		return step_fail(s, "inconsistent status for goroutine %lld: old %s vs. new %s",
				 (long long)gid, gstatus_name(g->status), gstatus_name(status));
	if (!g) {
		g = order_add_g(s->o, gid, status, s->gen);
		s->ev->old_state = GO_UNDETERMINED;
	}
	g->seq = (struct order_seq){ .gen = s->gen };
	if (status == G_RUNNING)
		s->next.g = gid;
	else if (status == G_SYSCALL && !bind_syscall(s, gid, s->ev->args[1]))
		return ADVANCE_FAIL;
	return step_done(s);
}

enum advance step_go_create(struct step *s)
{
	bool blocked = s->ev->type == EV_GoCreateBlocked;
	uint64_t gid = s->ev->args[0];
	struct order_g *g;

	if (!step_require(s, MUST, MUST, MAY))
		return ADVANCE_FAIL;
	g = step_g(s);
	if (g && g->status != G_RUNNING)
		return step_fail(s, "%s event for goroutine that's not Running", step_name(s));
	if (order_find_g(s->o, gid))
		return step_fail(s, "tried to create goroutine (%lld) that already exists",
				 (long long)gid);
	order_add_g(s->o, gid, blocked ? G_WAITING : G_RUNNABLE, s->gen);
	return step_done(s);
}

/* GoStart, GoUnblock, GoSwitch: the goroutine they name, once it is its turn. */
static struct order_g *target(struct step *s, uint8_t want)
{
	uint64_t gid = s->ev->args[0], seq = s->ev->args[1];
	struct order_g *g = order_find_g(s->o, gid);

	if (!g)
		step_wait(s, "G %lld is not known yet", (long long)gid);
	else if (g->status != want)
		step_wait(s, "G %lld is %s, not %s", (long long)gid, gstatus_name(g->status),
			  gstatus_name(want));
	else if (!seq_follows(&g->seq, s->gen, seq))
		step_wait(s, "G %lld is at seq %llu (gen %llu), not at %llu", (long long)gid,
			  (unsigned long long)g->seq.n, (unsigned long long)g->seq.gen,
			  (unsigned long long)seq - 1);
	else
		return g;
	return NULL;
}

enum advance step_go_start(struct step *s)
{
	struct order_g *g = target(s, G_RUNNABLE);

	if (!g)
		return ADVANCE_WAIT;
	if (!step_require(s, MUST, MUST, MUST_NOT))
		return ADVANCE_FAIL;
	g->status = G_RUNNING;
	g->seq.n = s->ev->args[1];
	s->next.g = g->id;
	s->m->last_g = g;
	return step_done(s);
}

/* Anybody may wake a goroutine: no context is needed. */
enum advance step_go_unblock(struct step *s)
{
	struct order_g *g = target(s, G_WAITING);

	if (!g)
		return ADVANCE_WAIT;
	g->status = G_RUNNABLE;
	g->seq.n = s->ev->args[1];
	return step_done(s);
}

/* GoStop, GoBlock, GoDestroy: the thread's own goroutine, so it can never have to wait. */
enum advance step_go_stop(struct step *s)
{
	struct order_g *g;

	if (!step_require_user(s))
		return ADVANCE_FAIL;
	g = step_running_g(s);
	if (!g)
		return ADVANCE_FAIL;
	if (s->ev->type == EV_GoDestroy)
		order_del_g(s->o, g);
	else
		g->status = s->ev->type == EV_GoStop ? G_RUNNABLE : G_WAITING;
	s->next.g = TRACEV2_NO_ID;
	return step_done(s);
}

/*
 * A coroutine switch is three steps at once: wake the next goroutine, block
 * (or end) this one, start the next. The event itself is shown as the first.
 */
enum advance step_go_switch(struct step *s)
{
	struct order_g *g, *next;
	struct trace_event *start;

	if (!step_require_user(s))
		return ADVANCE_FAIL;
	g = step_running_g(s);
	if (!g)
		return ADVANCE_FAIL;
	next = target(s, G_WAITING);
	if (!next)
		return ADVANCE_WAIT;
	step_done(s);
	if (s->ev->type == EV_GoSwitch) {
		g->status = G_WAITING;
		step_queue(s, EV_GoBlock, s->cur.g);
	} else {
		order_del_g(s->o, g);
		step_queue(s, EV_GoDestroy, s->cur.g);
	}
	next->status = G_RUNNING;
	next->seq.n = s->ev->args[1];
	s->next.g = next->id;
	start = step_queue(s, EV_GoStart, TRACEV2_NO_ID);
	start->args[0] = next->id;
	start->args[1] = s->ev->args[1];
	return ADVANCE_DONE;
}
