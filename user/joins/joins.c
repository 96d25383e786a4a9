// SPDX-License-Identifier: Apache-2.0
/* joins: see joins.h. */
#include "joins/joins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "joins/internal.h"
#include "read/http.h"

enum {
	G_ENDS = 4,		/* connections of a goroutine that are told apart */
	/*
	 * ns that a write may begin before the wait that it ends: the goroutine was preempted in
	 * it. A connection that is closed and opened with the same ports takes longer.
	 */
	EARLY = 1000000,
	REGIONS_LOOKED = 64,	/* open regions of a goroutine that are searched for a request */
};

#define NO_END UINT32_MAX

/* A request, as a goroutine serves it. */
struct joins_task {
	uint64_t id, g;
	const char *name;
	int64_t from, to;	/* to: INT64_MAX: open */
};

/* One end of a connection. */
struct joins_end {
	struct trace_socket socket;
	uint32_t member;
	bool shared;		/* another trace has an end with the same addresses */
	struct joins_write write;	/* the last one */
	/*
	 * the last write for another request, and how many requests have had one since the last
	 * wait that a write ended
	 */
	int64_t other_time;
	uint32_t requests;
	bool fresh;		/* no wait was ended by @write yet */
	/* goroutines of HTTP/2 have served it: @tasks; several can be open */
	bool multiplexed;
	struct vec tasks;	/* struct joins_task */
	/* those that had no room in @tasks: open ones, and ended ones, the last at @more_to */
	uint32_t more_open, more_ended;
	int64_t more_to;
};

/* A live goroutine, in an array by its slot. */
struct joins_g {
	uint64_t id;
	uint32_t ends[G_ENDS];	/* numbers of ends that it has waited for */
	uint8_t n;
	bool has_more;		/* and for further ones */
	uint32_t served;	/* the one that net/http serves in it; NO_END: none */
	uint64_t creator;
	/* the last request that it served; id 0: none. Tasks that begin meanwhile are part of it */
	struct joins_task task;
	uint32_t more;		/* the end that counts @task in more_open; NO_END: none */
	uint64_t inner;		/* the innermost open one of those, or call; 0: none */
	/*
	 * the request of the innermost open region of one, in a goroutine that a handler has
	 * created; 0: none
	 */
	uint64_t region;
	/* a write that ended its last wait, for which it has woken no goroutine yet */
	bool pending;
	int64_t from, to;	/* of that wait */
	struct joins_write write;
};

struct joins_member {
	struct joins *j;
	uint32_t number;
	struct spans *s;
	joins_mark_fn *mark;
	void *ctx;
	struct origin origin;
	const char *process;	/* NULL: not made yet */
	char stand_in[16];
	struct vec gs;		/* struct joins_g */
	struct vec stacks;	/* uint8_t, see joins_stack() */
};

struct joins {
	struct joins_member members[JOINS_MEMBERS];
	uint32_t n;
	struct vec ends;	/* struct joins_end */
	struct map64 index;	/* hash of addresses -> number of the end */
	uint64_t counts[JOINS_FOUNDS];
	uint64_t dropped;
	joins_call_fn *call;
	void *call_ctx;
	/* the wait that was looked up last, for the other visitors of that span */
	struct {
		uint32_t member;
		uint64_t g;
		int64_t to;
		struct joins_wait wait;
	} last;
};

/* --- ends of connections --- */

static bool joins_same_socket(const struct trace_socket *a, const struct trace_socket *b)
{
	return a->protocol == b->protocol && a->local_port == b->local_port &&
	       a->remote_port == b->remote_port &&
	       !memcmp(a->local, b->local, sizeof(a->local)) &&
	       !memcmp(a->remote, b->remote, sizeof(a->remote));
}

uint64_t joins_hash(const struct trace_socket *s)
{
	uint64_t h = hash64_seeded((uint64_t)s->protocol << 32 | (uint64_t)s->local_port << 16 |
				   s->remote_port), word[4];
	size_t i;

	memcpy(word, s->local, 16);
	memcpy(word + 2, s->remote, 16);
	for (i = 0; i < 4; i++)
		h = hash64_seeded(h ^ word[i]);
	return h;
}

static struct joins_end *joins_end_at(struct joins *j, uint32_t number)
{
	return vec_at(&j->ends, struct joins_end, number);
}

/* The number of the end with these addresses; NO_END: none. */
static uint32_t joins_find(struct joins *j, const struct trace_socket *socket, uint64_t *key)
{
	uint64_t *found;

	*key = joins_hash(socket);
	while ((found = map64_get(&j->index, *key))) {
		if (joins_same_socket(&joins_end_at(j, (uint32_t)*found)->socket, socket))
			return (uint32_t)*found;
		++*key;
	}
	return NO_END;
}

bool joins_is_connected(const struct trace_socket *s)
{
	return s->protocol != TRACE_NO_SOCKET && (s->remote_port || s->protocol == TRACE_UNIX);
}

struct trace_socket joins_other_end(const struct trace_socket *s)
{
	struct trace_socket other = { .protocol = s->protocol, .local_port = s->remote_port,
				      .remote_port = s->local_port };

	memcpy(other.local, s->remote, sizeof(other.local));
	memcpy(other.remote, s->local, sizeof(other.remote));
	return other;
}

static uint32_t joins_put(struct joins *j, uint32_t member, const struct trace_socket *socket)
{
	uint64_t key;
	uint32_t number = joins_find(j, socket, &key);

	if (number != NO_END) {
		joins_end_at(j, number)->shared |= joins_end_at(j, number)->member != member;
		return number;
	}
	if (j->ends.len >= JOINS_ENDS) {
		j->dropped++;
		return NO_END;
	}
	number = (uint32_t)j->ends.len;
	*(struct joins_end *)vec_push(&j->ends, sizeof(struct joins_end)) =
		(struct joins_end){ .socket = *socket, .member = member };
	*map64_put(&j->index, key, NULL) = number;
	return number;
}

/* --- goroutines --- */

static struct joins_g *joins_g(struct joins_member *m, const struct goroutine *g)
{
	struct joins_g *mine;

	while (m->gs.len <= g->slot)
		*(struct joins_g *)vec_push(&m->gs, sizeof(*mine)) =
			(struct joins_g){ .id = TRACEV2_NO_ID };
	mine = vec_at(&m->gs, struct joins_g, g->slot);
	if (mine->id != g->id)
		*mine = (struct joins_g){ .id = g->id, .creator = g->creator, .served = NO_END,
					  .more = NO_END };
	return mine;
}

static struct joins_g *joins_creator(struct joins_member *m, uint64_t creator)
{
	const struct goroutine *g = spans_goroutine(m->s, creator);

	return g ? joins_g(m, g) : NULL;
}

static void joins_attach(struct joins_g *g, uint32_t end)
{
	unsigned i;

	for (i = 0; i < g->n; i++)
		if (g->ends[i] == end)
			return;
	if (g->n < G_ENDS)
		g->ends[g->n++] = end;
	else
		g->has_more = true;
}

bool joins_socket_of(const struct span *span, struct trace_socket *ret)
{
	if (span->state != GO_WAITING || !span->wait || span->wait->kind != WAIT_NETWORK)
		return false;
	*ret = span->wait->network.socket;
	return true;
}

/* A goroutine begins to wait for a socket: it is one that reads there, or its creator is. */
static void joins_waits(struct joins_member *m, const struct span *span)
{
	uint8_t does = joins_stack(&m->stacks, spans_stacks(m->s), span->stack);
	struct trace_socket socket;
	struct joins_g *creator;
	uint32_t end;

	if (!(does & JOINS_READS) || !joins_socket_of(span, &socket) ||
	    !joins_is_connected(&socket))
		return;
	end = joins_put(m->j, m->number, &socket);
	if (end == NO_END)
		return;
	joins_attach(joins_g(m, span->g), end);
	if (does & JOINS_SERVES)
		joins_g(m, span->g)->served = end;
	if (!joins_reads_for_creator(span->g->name))
		return;
	creator = joins_creator(m, span->g->creator);
	if (!creator)
		return;
	joins_attach(creator, end);
	creator->served = end;
	if (!(does & JOINS_SERVES))
		joins_end_at(m->j, end)->multiplexed = true;
}

/*
 * The end to which a goroutine writes; NO_END: not known. One that serves a connection of net/http
 * and has others, too, is known by its stack.
 */
static uint32_t joins_written(struct joins_member *m, const struct span *span, uint8_t does)
{
	struct joins_g *g = joins_g(m, span->g), *creator;

	if (does & (JOINS_SERVES | JOINS_RESPONDS))
		return g->served;
	if (does & JOINS_COPIES)	/* it reads one socket and writes to another */
		return NO_END;
	if (g->n == 1 && !g->has_more)
		return g->ends[0];
	if (g->n == 2 && !g->has_more && g->served != NO_END)
		return g->ends[g->ends[0] == g->served];
	if (g->n || !joins_writes_for_creator(span->g->name))
		return NO_END;
	creator = joins_creator(m, g->creator);
	return creator ? creator->served : NO_END;
}

/* --- requests --- */

/* HTTP/1: the request that @g serves, or has served last, if this write is of it. */
static struct joins_task joins_task_of(const struct joins_end *e, const struct joins_g *g)
{
	if (e->multiplexed || !g->task.id)
		return (struct joins_task){ .name = "" };
	return g->task;
}

/* HTTP/2: forgets the requests that had ended before the last write that ended a wait. */
static void joins_tasks_drop(struct joins_end *e, int64_t before)
{
	struct joins_task *t = e->tasks.data;
	size_t i, kept = 0;

	for (i = 0; i < e->tasks.len; i++)
		if (t[i].to >= before)
			t[kept++] = t[i];
	e->tasks.len = kept;
	if (e->more_to < before)
		e->more_ended = 0;
}

static void joins_take_write(struct joins_member *m, const struct span *span)
{
	uint8_t does = joins_stack(&m->stacks, spans_stacks(m->s), span->stack);
	struct joins_task task;
	struct joins_end *e;
	uint32_t end;

	if (!(does & JOINS_WRITES))
		return;
	end = joins_written(m, span, does);
	if (end == NO_END)
		return;
	e = joins_end_at(m->j, end);
	task = joins_task_of(e, joins_g(m, span->g));
	if (e->write.task != task.id || e->write.g != span->g->id) {
		e->other_time = e->write.time;
		e->requests++;
	}
	if (!e->fresh)
		e->requests = 1;
	e->fresh = true;
	e->write = (struct joins_write){
		.member = m->number, .g = span->g->id, .name = span->g->name, .time = span->from,
		.mark = m->mark ? m->mark(m->ctx, span->g) : 0,
		.task = task.id, .request = task.name, .task_from = task.from,
	};
}

/* The request that @g works for now: one that it serves, or that of its creator. */
static uint64_t joins_serves_now(const struct joins_g *g)
{
	return g->task.id && g->task.to == INT64_MAX ? g->task.id : g->region;
}

/* --- the visitor --- */

static void joins_on_span_begin(void *ctx, const struct span *span)
{
	if (span->state == GO_WAITING)
		joins_waits(ctx, span);
	else if (span->state == GO_SYSCALL)
		joins_take_write(ctx, span);
}

static void joins_on_goroutine(void *ctx, struct goroutine *g)
{
	joins_g(ctx, g)->id = TRACEV2_NO_ID;	/* the slot may have been that of another one */
	joins_g(ctx, g);
}

/* The end that a goroutine of HTTP/2 serves: its creator reads there. */
static struct joins_end *joins_multiplexed(struct joins_member *m, const struct joins_g *g)
{
	struct joins_g *creator = joins_creator(m, g->creator);

	if (!creator || creator->served == NO_END ||
	    !joins_end_at(m->j, creator->served)->multiplexed)
		return NULL;
	return joins_end_at(m->j, creator->served);
}

/* The request that @g begins to serve finds no room among those of @e, the end @number. */
static void joins_more_begins(struct joins_end *e, struct joins_g *g, uint32_t number)
{
	e->more_open++;
	g->more = number;
}

static void joins_on_task_begin(void *ctx, const struct task_span *task)
{
	struct joins_member *m = ctx;
	const struct goroutine *g = spans_goroutine(m->s, task->g);
	struct joins_end *e;
	struct joins_g *mine;

	if (!g || task->id <= HTTP_TASKS)
		return;
	mine = joins_g(m, g);
	if (!http_is_served(task->id) || (mine->task.id && mine->task.to == INT64_MAX)) {
		mine->inner = task->id;
		return;
	}
	mine->inner = 0;
	mine->task = (struct joins_task){ task->id, g->id, task->type, task->from, INT64_MAX };
	e = joins_multiplexed(m, mine);
	if (!e)
		return;
	if (e->tasks.len < JOINS_CANDIDATES)
		*(struct joins_task *)vec_push(&e->tasks, sizeof(mine->task)) = mine->task;
	else
		joins_more_begins(e, mine, (uint32_t)(e - joins_end_at(m->j, 0)));
}

/* The last request of @g has ended. */
static void joins_more_ended(struct joins *j, struct joins_g *g)
{
	struct joins_end *e;

	if (g->more == NO_END)
		return;
	e = joins_end_at(j, g->more);
	e->more_open--;
	e->more_ended++;
	e->more_to = g->task.to;
	g->more = NO_END;
}

static void joins_on_task(void *ctx, const struct task_span *task)
{
	struct joins_member *m = ctx;
	const struct goroutine *g = spans_goroutine(m->s, task->g);
	struct joins_g *mine = g ? joins_g(m, g) : NULL;
	struct joins_end *e;
	size_t i;

	if (mine && mine->inner == task->id)
		mine->inner = task->parent == joins_serves_now(mine) ||
			      task->parent == TRACEV2_NO_ID ? 0 : task->parent;
	if (!mine || mine->task.id != task->id)
		return;
	mine->inner = 0;
	mine->task.to = task->to;
	mine->task.name = task->type;	/* the route may have been found meanwhile */
	joins_more_ended(m->j, mine);
	e = joins_multiplexed(m, mine);
	for (i = 0; e && i < e->tasks.len; i++)
		if (vec_at(&e->tasks, struct joins_task, i)->id == task->id)
			*vec_at(&e->tasks, struct joins_task, i) = mine->task;
}

static void joins_on_origin(void *ctx, int64_t time, const char *text)
{
	struct joins_member *m = ctx;

	origin_take(&m->origin, text);
}

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
	number = joins_find(j, &other, &key);
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

static void joins_on_span(void *ctx, const struct span *span)
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

/* The request of the innermost open region of one; 0: none, or it is far out. */
static uint64_t joins_region(const struct goroutine *g)
{
	size_t n = g->regions ? g->regions->len : 0, i;
	const struct region_span *r;

	for (i = 1; i <= n && i <= REGIONS_LOOKED; i++) {
		r = vec_at(g->regions, struct region_span, n - i);
		if (http_is_served(r->task))
			return r->task;
	}
	return 0;
}

/* The region of a call is of its own task: @region is that of the request around it. */
static void joins_on_region_begin(void *ctx, const struct region_span *r)
{
	if (http_is_served(r->task))
		joins_g(ctx, r->g)->region = r->task;
}

static void joins_on_region(void *ctx, const struct region_span *r)
{
	struct joins_g *g;

	if (!http_is_served(r->task))
		return;
	g = joins_g(ctx, r->g);
	g->region = joins_region(r->g);
	if (!joins_serves_now(g))
		g->inner = 0;
}

void joins_calls(struct joins *j, joins_call_fn *fn, void *ctx)
{
	j->call = fn;
	j->call_ctx = ctx;
}

struct joins_wait joins_ended(struct joins *j, uint32_t member, const struct span *wait)
{
	struct joins_member *m = &j->members[member];
	struct joins_wait w = { .found = JOINS_NO_READ };

	if (j->last.member == member && j->last.g == wait->g->id && j->last.to == wait->to)
		return j->last.wait;

	if (wait->state != GO_WAITING || !wait->end.type || strcmp(wait->reason, "network") ||
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

/* --- texts --- */

const char *joins_process(const struct joins *j, uint32_t member)
{
	struct joins_member *m = (struct joins_member *)&j->members[member];
	const char *program = m->origin.facts[ORIGIN_PROGRAM], *pid = m->origin.facts[ORIGIN_PID];
	const char *slash = program ? strrchr(program, '/') : NULL;
	_cleanup_free_ char *text = NULL;

	if (m->process)
		return m->process;
	if (!program && !pid)
		return spans_text(m->s, m->stand_in, strlen(m->stand_in));
	text = xasprintf("%.100s (pid %s)", slash ? slash + 1 : program ? program : "?",
			 pid ? pid : "?");
	if (program && pid)
		m->process = spans_text(m->s, text, strlen(text));
	return program && pid ? m->process : spans_text(m->s, text, strlen(text));
}

const char *joins_place(struct joins *j, const struct joins_write *w)
{
	const char *process = joins_process(j, w->member);
	_cleanup_free_ char *text = NULL;

	if (!*w->request)
		return process;
	text = xasprintf("%s, %.200s", process, w->request);
	return spans_text(j->members[w->member].s, text, strlen(text));
}

const uint64_t *joins_counts(const struct joins *j)
{
	return j->counts;
}

uint64_t joins_dropped(const struct joins *j)
{
	return j->dropped;
}

/* --- begin and end --- */

struct joins *joins_new(void)
{
	struct joins *j = xcalloc(1, sizeof(*j));

	j->last.g = TRACEV2_NO_ID;
	return j;
}

uint32_t joins_add(struct joins *j, struct spans *s, joins_mark_fn *mark, void *ctx)
{
	struct joins_member *m = &j->members[j->n];

	*m = (struct joins_member){ .j = j, .number = j->n, .s = s, .mark = mark, .ctx = ctx };
	snprintf(m->stand_in, sizeof(m->stand_in), "trace %u", j->n + 1);
	spans_visit(s, &(struct spans_visitor){
			       .ctx = m,
			       .waits = true,
			       .goroutine_begin = joins_on_goroutine,
			       .span_begin = joins_on_span_begin,
			       .span = joins_on_span,
			       .region_begin = joins_on_region_begin,
			       .region = joins_on_region,
			       .task_begin = joins_on_task_begin,
			       .task = joins_on_task,
			       .origin = joins_on_origin,
		       });
	return j->n++;
}

void joins_leave(struct joins *j, uint32_t member)
{
	spans_leave(j->members[member].s, &j->members[member]);
}

static void joins_free_member(struct joins_member *m)
{
	origin_free(&m->origin);
	vec_free(&m->gs);
	vec_free(&m->stacks);
}

void joins_free(struct joins *j)
{
	uint32_t i;
	size_t k;

	if (!j)
		return;
	for (i = 0; i < j->n; i++)
		joins_free_member(&j->members[i]);
	for (k = 0; k < j->ends.len; k++)
		vec_free(&joins_end_at(j, (uint32_t)k)->tasks);
	vec_free(&j->ends);
	map64_free(&j->index);
	free(j);
}
