// SPDX-License-Identifier: Apache-2.0
/* trail: see trail.h. */
#include "why/trail.h"

#include <stdlib.h>

#include "read/view.h"

enum { IN_MEMORY = 24 << 20 };

/* The newest records of a goroutine, in an array by its slot. */
struct turn {
	struct goroutine *g;
	/*
	 * begin of the current piece; INT64_MIN, or earlier than the stay: the piece begins with
	 * the stay
	 */
	int64_t cut;
	/* the window in which @prev was added; in another window there is no record */
	uint32_t window;
	uint32_t prev;
	/* newest part of its thread, and the window in which it was added */
	uint32_t parts_window, parts;
	int64_t parts_until;		/* end of that part */
	uint32_t executing;	/* 1 + index in trail.executing; 0: it does not execute */
	uint8_t flags;
};

struct stop {
	int64_t from;
	uint64_t g;
	const char *reason;
	uint32_t stack;
};

struct trail {
	struct spans *s;
	struct store *store;
	struct parts split;
	bool on;
	uint32_t window;
	struct vec turns;	/* struct turn */
	struct vec executing;	/* uint32_t: slots of goroutines that run or are in a system call */
	struct vec stops;	/* struct stop: open stops */
	uint64_t procs;
	int64_t procs_since;
	struct joins *joins;	/* NULL: waits for the network are not joined */
	uint32_t side;
	struct trail *const *sides;
	size_t nsides;
	struct vec joined;	/* struct trail_join, of this window */
};

/* --- turns --- */

/*
 * Returns the turn of @g. The array does not move if @g lives: trail_on_goroutine() has already
 * made its turn.
 */
static struct turn *turn_of(struct trail *t, const struct goroutine *g)
{
	while (t->turns.len <= g->slot)
		vec_push(&t->turns, sizeof(struct turn));
	return vec_at(&t->turns, struct turn, g->slot);
}

static uint32_t prev_of(const struct trail *t, const struct turn *turn)
{
	return turn->window == t->window ? turn->prev : STORE_NONE;
}

static void trail_add(struct trail *t, struct turn *turn, struct trail_rec *r)
{
	r->prev = prev_of(t, turn);
	turn->prev = store_add(t->store, r);
	turn->window = t->window;
}

static uint32_t parts_of(const struct trail *t, const struct turn *turn)
{
	return turn->parts_window == t->window ? turn->parts : STORE_NONE;
}

/* Adds the states in Linux of the thread of @g's stay up to @time. */
static void take_parts(struct trail *t, struct turn *turn, const struct goroutine *g, int64_t time)
{
	const struct span *span = &g->now;

	if (!t->on || !t->split.oncpu || !go_executing(span->state))
		return;
	if (turn->parts_window != t->window || turn->parts_until < span->from) {
		turn->parts = parts_of(t, turn);
		turn->parts_window = t->window;
		turn->parts_until = span->from;
	}
	if (turn->parts_until >= time)
		return;
	turn->parts = parts_add(&t->split, span->m, turn->parts_until, time, turn->parts);
	turn->parts_until = time;
}

static uint32_t short_id(uint64_t id)
{
	return id < UINT32_MAX ? (uint32_t)id : UINT32_MAX;
}

static uint8_t trail_kind_of(const struct span *span)
{
	switch (span->state) {
	case GO_RUNNING:
		return TRAIL_RUNNING;
	case GO_RUNNABLE:
		return TRAIL_RUNNABLE;
	case GO_SYSCALL:
		return TRAIL_SYSCALL;
	default:
		return span->gap ? TRAIL_GAP : TRAIL_WAITING;
	}
}

static struct trail_object trail_object_of(const struct span *span)
{
	if (!span->wait || span->wait->n != 1)
		return (struct trail_object){0};
	return (struct trail_object){ span->wait->of[0], span->wait->kind };
}

/* Returns the piece of @g's current stay, ending at @time. */
static struct trail_rec trail_piece(struct trail *t, const struct goroutine *g, struct turn *turn,
				    int64_t time)
{
	const struct span *span = &g->now;

	take_parts(t, turn, g, time);
	return (struct trail_rec){
		.from = turn->cut > span->from ? turn->cut : span->from,
		.to = time,
		.g = g->id,
		.name = g->name,
		.reason = span->reason,
		.object = trail_object_of(span),
		.prev = STORE_NONE,
		.stack = span->stack,
		.p = short_id(span->p),
		.other_prev = STORE_NONE,
		.kind = trail_kind_of(span),
		.flags = turn->flags,
		.parts = go_executing(span->state) ? parts_of(t, turn) : STORE_NONE,
	};
}

/*
 * Cuts a system call that has lost its P into two pieces. The first piece gets TRAIL_LATE, since
 * records with a later end may have been added before it.
 */
static void cut_syscall(struct trail *t, struct turn *turn, const struct goroutine *g)
{
	const struct span *span = &g->now;
	struct trail_rec r;

	if (span->state != GO_SYSCALL || span->p_until == INT64_MAX || turn->cut >= span->p_until)
		return;
	r = trail_piece(t, g, turn, span->p_until);
	r.flags |= TRAIL_LATE;
	turn->cut = span->p_until;
	if (t->on && r.from < r.to)
		trail_add(t, turn, &r);
}

/*
 * Makes a piece of a system call without a P a SYSCALL_BARE. A goroutine that had no P when the
 * trace began (spans.h: p) has none until the call ends.
 */
static void without_p(struct trail_rec *r, const struct span *span)
{
	if (r->kind != TRAIL_SYSCALL || (span->p != TRACEV2_NO_ID && span->p_until > r->from))
		return;
	r->kind = TRAIL_SYSCALL_BARE;
	r->p = UINT32_MAX;
}

struct trail_rec trail_now(struct trail *t, const struct goroutine *g, int64_t time, uint32_t stack)
{
	struct turn *turn = turn_of(t, g);
	struct trail_rec r;

	cut_syscall(t, turn, g);
	r = trail_piece(t, g, turn, time);
	without_p(&r, &g->now);
	r.end_stack = stack;
	r.prev = prev_of(t, turn);
	return r;
}

uint32_t trail_newest(struct trail *t, const struct goroutine *g)
{
	return prev_of(t, turn_of(t, g));
}

/* --- who woke, who created --- */

/* Adds a record WOKE or CREATED, with the state of the other goroutine at @time. */
static void add_edge(struct trail *t, struct turn *turn, uint8_t kind, int64_t time, uint8_t how,
		     uint64_t by, uint32_t stack, uint8_t flags)
{
	const struct goroutine *other = spans_goroutine(t->s, by);
	struct trail_rec r = { .from = time,
			       .g = by,
			       .name = "",
			       .reason = "",
			       .p = UINT32_MAX,
			       .other_kind = TRAIL_WOKE,
			       .other_prev = STORE_NONE,
			       .parts = STORE_NONE };

	if (other) {
		r = trail_now(t, other, time, stack);
		r.other_kind = r.kind;
		r.other_prev = r.prev;
	}
	r.to = time;
	r.end_stack = stack;
	r.kind = kind;
	r.how = how;
	r.flags = flags;
	trail_add(t, turn, &r);
}

/* --- the other ends of connections --- */

/* The newest record of a goroutine that writes, with the window in which it is valid. */
static uint64_t trail_newest_mark(void *ctx, const struct goroutine *g)
{
	struct trail *t = ctx;

	return (uint64_t)t->window << 32 | trail_newest(t, g);
}

static uint32_t trail_marked(const struct trail *t, const struct joins_write *w)
{
	return (uint32_t)(w->mark >> 32) == t->sides[w->member]->window ? (uint32_t)w->mark :
									  STORE_NONE;
}

static void add_joined(struct trail *t, struct turn *turn, const struct span *span,
		       const struct joins_write *w)
{
	struct trail_rec r = {
		.from = w->time,
		.to = span->to,
		.g = w->g,
		.name = w->name,
		.reason = "",
		.stack = (uint32_t)t->joined.len,
		.p = UINT32_MAX,
		.other_prev = trail_marked(t, w),
		.parts = STORE_NONE,
		.kind = TRAIL_WOKE,
		.flags = TRAIL_JOINED,
		.how = span->end.type,
		.other_kind = TRAIL_RUNNING,
	};

	*(struct trail_join *)vec_push(&t->joined, sizeof(struct trail_join)) =
		(struct trail_join){ w->member, joins_process(t->joins, w->member), w->request,
				     w->task };
	trail_add(t, turn, &r);
}

/* Adds who ended the wait @span, which has ended. */
static void add_woke(struct trail *t, struct turn *turn, const struct span *span)
{
	struct joins_wait w = {0};

	if (t->joins)	/* also outside of the window: joins counts writes from wait to wait */
		w = joins_ended(t->joins, t->side, span);
	if (!t->on)
		return;
	if (w.found == JOINS_ONE)
		add_joined(t, turn, span, &w.write);
	else
		add_edge(t, turn, TRAIL_WOKE, span->to, span->end.type, span->end.g,
			 span->end.stack, w.found == JOINS_SEVERAL ? TRAIL_SEVERAL : 0);
}

/* --- spans --- */

static void trail_on_goroutine(void *ctx, struct goroutine *g)
{
	struct trail *t = ctx;
	struct turn *turn = turn_of(t, g);

	*turn = (struct turn){ .g = g,
			       .cut = INT64_MIN,
			       .prev = STORE_NONE,
			       .window = t->window,
			       .parts = STORE_NONE,
			       .parts_window = t->window,
			       .parts_until = INT64_MIN };
	if (t->on && g->created)
		add_edge(t, turn, TRAIL_CREATED, g->since, EV_GoCreate, g->creator, g->created_at,
			 0);
}

static void trail_on_span_begin(void *ctx, const struct span *span)
{
	struct trail *t = ctx;
	struct turn *turn = turn_of(t, span->g);

	if (!go_executing(span->state) || turn->executing)
		return;
	*(uint32_t *)vec_push(&t->executing, sizeof(uint32_t)) = span->g->slot;
	turn->executing = (uint32_t)t->executing.len;
}

static void executes_no_more(struct trail *t, struct turn *turn)
{
	uint32_t last;

	if (!turn->executing)
		return;
	last = *vec_at(&t->executing, uint32_t, --t->executing.len);
	*vec_at(&t->executing, uint32_t, turn->executing - 1) = last;
	vec_at(&t->turns, struct turn, last)->executing = turn->executing;
	turn->executing = 0;
}

static void trail_on_span(void *ctx, const struct span *span)
{
	struct trail *t = ctx;
	struct turn *turn = turn_of(t, span->g);
	struct trail_rec r;

	executes_no_more(t, turn);
	if (t->on) {
		cut_syscall(t, turn, span->g);
		r = trail_piece(t, span->g, turn, span->to);
		without_p(&r, span);
		r.end_stack = span->end.stack && span->end.g == span->g->id ? span->end.stack : 0;
		r.how = span->end.type;
		trail_add(t, turn, &r);
	}
	if (span->state == GO_WAITING && span->end.type)
		add_woke(t, turn, span);
}

/* --- assists, sweeps, stops of the world, GOMAXPROCS --- */

/*
 * An assist, a sweep or a stop of the goroutine @id begins or ends: its stay is cut at the event.
 */
static void trail_mark(struct trail *t, uint64_t id, uint8_t flag, bool begins,
		       const struct trace_event *ev)
{
	const struct goroutine *g = spans_goroutine(t->s, id);
	struct turn *turn;
	struct trail_rec r;

	if (!g)
		return;
	turn = turn_of(t, g);
	if (!(turn->flags & flag) == !begins)
		return;
	if (g->now.state == GO_RUNNING) {
		r = trail_now(t, g, ev->time, view_arg_at(ev, view_specs[ev->type].stack) ?
			      spans_stack(t->s, view_stack(ev)) : 0);
		if (t->on && r.from < r.to)
			trail_add(t, turn, &r);
		turn->cut = ev->time;
	}
	turn->flags ^= flag;
}

static void stop_begins(struct trail *t, const struct trace_event *ev)
{
	*(struct stop *)vec_push(&t->stops, sizeof(struct stop)) = (struct stop){
		ev->time, ev->g, spans_string(t->s, ev->args[0]), spans_stack(t->s, view_stack(ev)),
	};
	trail_mark(t, ev->g, TRAIL_STOPS, true, ev);
}

static struct trail_rec stop_rec(const struct stop *stop, int64_t time)
{
	return (struct trail_rec){
		.kind = TRAIL_STOPPED,
		.from = stop->from,
		.to = time,
		.g = stop->g,
		.name = "",
		.reason = stop->reason,
		.stack = stop->stack,
		.prev = STORE_NONE,
		.p = UINT32_MAX,
		.parts = STORE_NONE,
	};
}

/* Ends a stop of the world. A stop of which the begin is not known began before the trace. */
static void stop_ends(struct trail *t, const struct trace_event *ev)
{
	struct stop stop = { spans_first(t->s), ev->g, spans_string(t->s, ev->args[0]), 0 };
	struct trail_rec r;
	size_t i;

	trail_mark(t, ev->g, TRAIL_STOPS, false, ev);
	for (i = t->stops.len; i--; ) {
		if (vec_at(&t->stops, struct stop, i)->g != ev->g)
			continue;
		stop = *vec_at(&t->stops, struct stop, i);
		*vec_at(&t->stops, struct stop, i) =
			*vec_at(&t->stops, struct stop, --t->stops.len);
		break;
	}
	r = stop_rec(&stop, ev->time);
	if (t->on)
		store_add(t->store, &r);
}

static struct trail_rec procs_rec(const struct trail *t, int64_t time)
{
	return (struct trail_rec){
		.kind = TRAIL_PROCS, .from = t->procs_since, .to = time, .g = t->procs, .name = "",
		.reason = "", .prev = STORE_NONE, .p = UINT32_MAX, .parts = STORE_NONE,
	};
}

static void trail_procs_change(struct trail *t, const struct trace_event *ev)
{
	struct trail_rec r = procs_rec(t, ev->time);

	if (t->procs == ev->args[0])
		return;
	if (!t->procs)
		t->procs_since = spans_first(t->s);
	else {
		t->procs_since = ev->time;
		if (t->on)
			store_add(t->store, &r);
	}
	t->procs = ev->args[0];
}

static void trail_on_event(void *ctx, const struct trace_event *ev)
{
	struct trail *t = ctx;

	switch (ev->type) {
	case EV_GCMarkAssistActive:
		trail_mark(t, ev->args[0], TRAIL_ASSIST, true, ev);
		break;
	case EV_GCMarkAssistBegin:
	case EV_GCMarkAssistEnd:
		trail_mark(t, ev->g, TRAIL_ASSIST, ev->type == EV_GCMarkAssistBegin, ev);
		break;
	case EV_GCSweepBegin:
	case EV_GCSweepEnd:
		trail_mark(t, ev->g, TRAIL_SWEEP, ev->type == EV_GCSweepBegin, ev);
		break;
	case EV_STWBegin:
		stop_begins(t, ev);
		break;
	case EV_STWEnd:
		stop_ends(t, ev);
		break;
	case EV_ProcsChange:
		trail_procs_change(t, ev);
		break;
	default:
		break;
	}
}

void trail_open(struct trail *t, int64_t time, trail_fn *fn, void *ctx)
{
	struct trail_rec r;
	size_t i;

	for (i = 0; i < t->executing.len; i++) {
		uint32_t slot = *vec_at(&t->executing, uint32_t, i);

		r = trail_now(t, vec_at(&t->turns, struct turn, slot)->g, time, 0);
		fn(ctx, &r);
	}
	for (i = 0; i < t->stops.len; i++) {
		r = stop_rec(vec_at(&t->stops, struct stop, i), time);
		fn(ctx, &r);
	}
	r = procs_rec(t, time);
	if (t->procs)
		fn(ctx, &r);
}

/* --- begin and end --- */

/* Another trace begins: drops slots, stops and Ps of the trace before. */
static void trail_on_trace(void *ctx, int64_t time)
{
	struct trail *t = ctx;

	t->turns.len = t->executing.len = t->stops.len = 0;
	t->procs = 0;
	if (!t->side)
		trail_end(t);
}

struct trail *trail_new(struct spans *s)
{
	struct trail *t = xcalloc(1, sizeof(*t));

	t->s = s;
	t->store = store_new(sizeof(struct trail_rec), IN_MEMORY);
	parts_init(&t->split, s);
	spans_visit(s, &(struct spans_visitor){
			       .ctx = t,
			       .waits = true,
			       .trace_begin = trail_on_trace,
			       .event = trail_on_event,
			       .goroutine_begin = trail_on_goroutine,
			       .span_begin = trail_on_span_begin,
			       .span = trail_on_span,
		       });
	return t;
}

void trail_free(struct trail *t)
{
	if (!t)
		return;
	store_free(t->store);
	parts_free(&t->split);
	vec_free(&t->turns);
	vec_free(&t->executing);
	vec_free(&t->stops);
	vec_free(&t->joined);
	free(t);
}

void trail_begin(struct trail *t)
{
	size_t i;

	t->on = true;
	for (i = 1; !t->side && i < t->nsides; i++)
		t->sides[i]->on = true;
}

static void trail_drop(struct trail *t)
{
	t->on = false;
	t->window++;
	t->joined.len = 0;
	store_empty(t->store);
	store_empty(t->split.store);
}

void trail_end(struct trail *t)
{
	size_t i;

	trail_drop(t);
	for (i = 1; !t->side && i < t->nsides; i++)
		trail_drop(t->sides[i]);
}

void trail_join(struct trail *t, struct joins *j, struct trail *const *sides, size_t n)
{
	t->joins = j;
	t->sides = sides;
	t->nsides = n;
	t->side = joins_add(j, t->s, trail_newest_mark, t);
}

void trail_part(struct trail *t)
{
	if (t->joins)
		joins_leave(t->joins, t->side);
	t->joins = NULL;
	t->sides = NULL;
	t->nsides = 0;
}

const struct trail_join *trail_joined(const struct trail *t, const struct trail_rec *r)
{
	return vec_at(&t->joined, struct trail_join, r->stack);
}

struct store *trail_store(struct trail *t)
{
	return t->store;
}

struct parts *trail_parts(struct trail *t)
{
	return &t->split;
}
