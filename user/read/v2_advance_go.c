// SPDX-License-Identifier: Apache-2.0
/* v2_advance: events of goroutines (docs/traceformat.md, Goroutine status and Goroutines). */
#include "read/v2_advance.h"

/* Binds a goroutine in a syscall to thread @mid, which need not be the thread of the event. */
static bool bind_syscall(struct order *o, struct trace_event *ev, uint64_t gid, uint64_t mid)
{
	struct order_m *m;

	if (mid == TRACEV2_NO_ID) {
		advance_fail(o, ev, "found goroutine %lld in syscall without a thread",
			     (long long)gid);
		return false;
	}
	if (mid == ev->m) {
		if (o->gen != o->initial_gen && ev->g != gid)
			goto inconsistent;
		bind_g(o, gid);
		return true;
	}
	m = order_find_m(o, mid);
	if (!m) {
		/* The thread is new: it has been in this syscall since before the trace. */
		order_add_m(o, mid)->g = gid;
		ev->m = mid;
		return true;
	}
	ev->g = m->g;
	if (m->g != gid)
		goto inconsistent;
	ev->m = mid;
	return true;
inconsistent:
	advance_fail(o, ev, "inconsistent thread for syscalling goroutine %lld: thread has"
		     " goroutine %lld", (long long)gid, (long long)ev->g);
	return false;
}

enum advance advance_go_status(struct order *o, struct trace_event *ev)
{
	uint64_t gid = ev->args[0];
	uint8_t status = (uint8_t)ev->args[2];	/* Go's GoStatus has 8 bits */
	struct order_g *g = order_find_g(o, gid);

	if (status > G_WAITING)
		return advance_fail(o, ev, "invalid status for goroutine %lld: %u", (long long)gid,
				    status);
	ev->args[2] = status;
	ev->old_state = gstatus_state(status);
	if (!g && o->gen != o->initial_gen)
		return advance_fail(o, ev, "found goroutine status for new goroutine after the"
				    " first generation: id=%lld status=%s", (long long)gid,
				    gstatus_name(status));
	if (g && g->status != status)
		return advance_fail(o, ev, "inconsistent status for goroutine %lld: old %s vs."
				    " new %s", (long long)gid, gstatus_name(g->status),
				    gstatus_name(status));
	if (!g) {
		g = order_add_g(o, gid, status, o->gen);
		ev->old_state = GO_UNDETERMINED;
	}
	g->seq = (struct order_seq){ .gen = o->gen };
	if (status == G_RUNNING)
		bind_g(o, gid);
	else if (status == G_SYSCALL && !bind_syscall(o, ev, gid, ev->args[1]))
		return ADVANCE_FAIL;
	return advance_done(o, ev);
}

enum advance advance_go_create(struct order *o, struct trace_event *ev)
{
	bool blocked = ev->type == EV_GoCreateBlocked;
	uint64_t gid = ev->args[0];
	struct order_g *g;

	if (!advance_require(o, ev, MUST, MUST, MAY))
		return ADVANCE_FAIL;
	g = advance_g(o, ev);
	if (g && g->status != G_RUNNING)
		return advance_fail(o, ev, "%s event for goroutine that's not Running",
				    advance_name(o, ev));
	if (order_find_g(o, gid))
		return advance_fail(o, ev, "tried to create goroutine (%lld) that already exists",
				    (long long)gid);
	order_add_g(o, gid, blocked ? G_WAITING : G_RUNNABLE, o->gen);
	return advance_done(o, ev);
}

/*
 * GoStart, GoUnblock, GoSwitch: the goroutine that the event names, if its sequence number is the
 * next one.
 */
static inline __attribute__((always_inline))
struct order_g *target(struct order *o, struct trace_event *ev, uint8_t want)
{
	uint64_t gid = ev->args[0], seq = ev->args[1];
	struct order_g *g = order_find_g(o, gid);

	if (!g)
		advance_wait(o, "G %lld is not known yet", (long long)gid);
	else if (g->status != want)
		advance_wait(o, "G %lld is %s, not %s", (long long)gid, gstatus_name(g->status),
			     gstatus_name(want));
	else if (!seq_follows(&g->seq, o->gen, seq))
		advance_wait(o, "G %lld is at seq %llu (gen %llu), not at %llu", (long long)gid,
			     (unsigned long long)g->seq.n, (unsigned long long)g->seq.gen,
			     (unsigned long long)seq - 1);
	else
		return g;
	return NULL;
}

enum advance advance_go_start(struct order *o, struct trace_event *ev)
{
	struct order_g *g = target(o, ev, G_RUNNABLE);

	if (!g)
		return ADVANCE_WAIT;
	if (!advance_require(o, ev, MUST, MUST, MUST_NOT))
		return ADVANCE_FAIL;
	g->status = G_RUNNING;
	g->seq.n = ev->args[1];
	bind_g(o, g->id);
	return advance_done(o, ev);
}

/* Any thread may wake a goroutine: no context is needed. */
enum advance advance_go_unblock(struct order *o, struct trace_event *ev)
{
	struct order_g *g = target(o, ev, G_WAITING);

	if (!g)
		return ADVANCE_WAIT;
	g->status = G_RUNNABLE;
	g->seq.n = ev->args[1];
	return advance_done(o, ev);
}

/* GoStop, GoBlock, GoDestroy: they concern the thread's own goroutine, so they never wait. */
enum advance advance_go_stop(struct order *o, struct trace_event *ev)
{
	struct order_g *g;

	if (!advance_require_user(o, ev))
		return ADVANCE_FAIL;
	g = advance_running_g(o, ev);
	if (!g)
		return ADVANCE_FAIL;
	if (ev->type == EV_GoDestroy)
		order_del_g(o, g);
	else
		g->status = ev->type == EV_GoStop ? G_RUNNABLE : G_WAITING;
	bind_g(o, TRACEV2_NO_ID);
	return advance_done(o, ev);
}

/*
 * A coroutine switch has three steps: it wakes the next goroutine, blocks or ends the current one,
 * and starts the next one. The event itself is returned as the first step.
 */
enum advance advance_go_switch(struct order *o, struct trace_event *ev)
{
	struct order_g *g, *next;
	struct trace_event *start;

	if (!advance_require_user(o, ev))
		return ADVANCE_FAIL;
	g = advance_running_g(o, ev);
	if (!g)
		return ADVANCE_FAIL;
	next = target(o, ev, G_WAITING);
	if (!next)
		return ADVANCE_WAIT;
	advance_done(o, ev);
	if (ev->type == EV_GoSwitch) {
		g->status = G_WAITING;
		advance_queue(o, ev, EV_GoBlock, ev->g);
	} else {
		order_del_g(o, g);
		advance_queue(o, ev, EV_GoDestroy, ev->g);
	}
	next->status = G_RUNNING;
	next->seq.n = ev->args[1];
	bind_g(o, next->id);
	start = advance_queue(o, ev, EV_GoStart, TRACEV2_NO_ID);
	start->args[0] = next->id;
	start->args[1] = ev->args[1];
	return ADVANCE_DONE;
}
