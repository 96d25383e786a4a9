// SPDX-License-Identifier: Apache-2.0
/*
 * calls: which write has ended a wait for the network, and for which call of a goroutine that was.
 */
#include <string.h>

#include "joins/internal.h"

enum {
	/*
	 * ns that a write may begin before the wait that it ends: the goroutine was preempted in
	 * it. A connection that is closed and opened with the same ports takes longer.
	 */
	EARLY = 1000000,
};

/* --- the end of a wait --- */

/* Two processes with addresses of the loopback in two network namespaces are not connected. */
static bool joins_same_network(const struct joins *j, const struct joins_end *e, uint32_t member)
{
	static const uint8_t loopback[16] = { [15] = 1 },
			     mapped[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };
	const char *a = j->members[e->member].origin.facts[ORIGIN_NETNS],
		   *b = j->members[member].origin.facts[ORIGIN_NETNS];

	if (memcmp(e->socket.local, mapped, sizeof(mapped)) &&
	    memcmp(e->socket.local, loopback, sizeof(loopback)))
		return true;
	return !a || !b || !strcmp(a, b);
}

/* HTTP/2: the only request that was open since the last wait's end, or that there are several. */
static void joins_choose(struct joins_end *e, struct joins_wait *w)
{
	const struct joins_task *t = e->tasks.data;

	w->of = (uint32_t)e->tasks.len + e->more_open + e->more_ended;
	if (w->of > 1) {
		w->found = JOINS_SEVERAL;
	} else if (w->of == 1) {
		w->write.task = t->id;
		w->write.request = t->name;
		w->write.task_from = t->from;
	}
	joins_tasks_drop(e, e->write.time);
}

static struct joins_wait joins_look_up(struct joins *j, uint32_t member, const struct span *wait)
{
	struct trace_socket socket, other;
	struct joins_end *e;
	struct joins_wait w = { .found = JOINS_NO_ADDRESS };
	uint32_t number;
	uint64_t key;

	if (!joins_socket_of(wait, &socket) || !joins_is_connected(&socket))
		return w;
	other = joins_other_end(&socket);
	number = joins_end_find(j, &other, &key);
	w.found = JOINS_NO_PEER;
	if (number == NO_END || !joins_same_network(j, joins_end_at(j, number), member))
		return w;
	e = joins_end_at(j, number);
	w.found = JOINS_SEVERAL;
	w.of = 2;
	if (e->shared)
		return w;
	w.found = JOINS_NO_WRITE;
	if (!e->fresh || e->write.time < wait->from - EARLY)
		return w;
	e->fresh = false;
	/* one that wrote before the wait began was read without a wait */
	w.of = e->other_time >= wait->from ? e->requests : 1;
	w.found = w.of > 1 ? JOINS_SEVERAL : JOINS_ONE;
	w.write = e->write;
	if (e->multiplexed)
		joins_choose(e, &w);
	return w;
}

/* A wait that had begun before the trace has no reason, but its socket. */
static bool joins_is_for_network(const struct span *wait)
{
	struct trace_socket socket;

	return !strcmp(wait->reason, "network") ||
	       (!wait->reason[0] && joins_socket_of(wait, &socket));
}

struct joins_wait joins_ended(struct joins *j, uint32_t member, const struct span *wait)
{
	struct joins_member *m = &j->members[member];
	struct joins_wait w = { .found = JOINS_NO_READ };

	if (j->last.member == member && j->last.g == wait->g->id && j->last.to == wait->to)
		return j->last.wait;

	if (wait->state != GO_WAITING || !wait->end.type || !joins_is_for_network(wait) ||
	    !(joins_stack(&m->stacks, spans_stacks(m->s), wait->stack) & JOINS_READS))
		return w;
	w = joins_look_up(j, member, wait);
	j->counts[w.found]++;
	j->last.member = member;
	j->last.g = wait->g->id;
	j->last.to = wait->to;
	j->last.wait = w;
	return w;
}

/* --- calls --- */

/* @by has waited for the network for @g, which made a call. */
static void joins_take_call(struct joins_member *m, struct joins_g *g, struct joins_g *by)
{
	struct joins_call call = { m->number, g->id, joins_serves_now(g), g->inner, by->from,
				   by->to, by->write };

	if (!call.inner || !call.task)
		call.inner = call.task;
	by->pending = false;
	if (m->j->call)
		m->j->call(m->j->call_ctx, &call);
}

static bool joins_awaits_response(struct joins_member *m, uint32_t stack)
{
	return stack && joins_stack(&m->stacks, spans_stacks(m->s), stack) & JOINS_CALLS;
}

/*
 * A wait of @span ended by another goroutine. That one has read the response for which @span's has
 * waited; or @span's has read it, and has waited until the one that made the call took it.
 */
static void joins_handed_on(struct joins_member *m, const struct span *span)
{
	const struct goroutine *other = spans_goroutine(m->s, span->end.g);
	struct joins_g *a, *b;

	if (!other || other == span->g)
		return;
	joins_g(m, other);	/* the array may move */
	a = joins_g(m, span->g);
	b = joins_g(m, other);
	if (b->pending && joins_awaits_response(m, span->stack)) {
		if (span->from > b->from)	/* the response can be older than the wait */
			b->from = span->from < b->write.time ? span->from : b->write.time;
		joins_take_call(m, a, b);
	} else if (a->pending && joins_awaits_response(m, span->end.stack))
		joins_take_call(m, b, a);
}

void joins_span_ended(void *ctx, const struct span *span)
{
	struct joins_member *m = ctx;
	struct joins_wait w;
	struct joins_g *g;

	if (span->state != GO_WAITING || !span->end.type)
		return;
	w = joins_ended(m->j, m->number, span);
	if (w.found == JOINS_NO_READ) {
		joins_handed_on(m, span);
		return;
	}
	g = joins_g(m, span->g);
	/* one that reads a request is no call */
	g->pending = w.found == JOINS_ONE &&
		     !(joins_stack(&m->stacks, spans_stacks(m->s), span->stack) & JOINS_SERVES);
	if (!g->pending)
		return;
	g->from = span->from;
	g->to = span->to;
	g->write = w.write;
	if (joins_serves_now(g))
		joins_take_call(m, g, g);
}

void joins_calls(struct joins *j, joins_call_fn *fn, void *ctx)
{
	j->call = fn;
	j->call_ctx = ctx;
}
