// SPDX-License-Identifier: Apache-2.0
/*
 * goroutines: their transitions, which end one span and begin the next. Part of spans.c.
 */
#include <stdlib.h>
#include <string.h>

#include "spans/internal.h"

static const struct span_edge no_edge = { .g = TRACEV2_NO_ID,
					  .p = TRACEV2_NO_ID,
					  .m = TRACEV2_NO_ID };

static struct span_edge edge_of(struct spans *s, const struct trace_event *ev)
{
	return (struct span_edge){ ev->type, ev->g, ev->p, ev->m,
				   names_stack(&s->names, view_stack(ev)) };
}

/* --- goroutines --- */

/*
 * Adds a goroutine with an id that no live goroutine has. The new one gets the record and the slot
 * of a goroutine that has ended, if such a record is free.
 */
static struct goroutine *spans_add(struct spans *s, uint64_t id)
{
	/*
	 * spans_goroutine() never finds TRACEV2_NO_ID: the table may already have a record for it
	 */
	struct goroutine *g = id == TRACEV2_NO_ID ? idtab_find(&s->goroutines, id) : NULL;
	uint32_t slot;

	if (!g)
		g = idtab_add(&s->goroutines, id);
	slot = g->slot ? g->slot : ++s->slots;
	*g = (struct goroutine){
		.id = id, .slot = slot, .alive = true, .labels = "",
		.name = id ? "" : s->stand_in, .named = !id,
		.creator = TRACEV2_NO_ID, .ranges = g->ranges, .regions = g->regions,
		.wait = g->wait,
	};
	return g;
}

/* Names @g after the function at the root of its first stack, as Go's Summarizer does. */
static void name_it(struct spans *s, struct goroutine *g, uint32_t stack)
{
	const struct stack_frame *root = stack_set_root(s->names.stacks, stack);

	if (!root || !g->id)
		return;
	g->name = root->func;
	g->named = true;
}

bool spans_is_system(const char *name)
{
	return (!strncmp(name, "runtime.", 8) && strcmp(name, "runtime.main")) ||
	       !strcmp(name, SPANS_STAND_IN);
}

/*
 * Sets the creator of @g. @g has the labels of its creator, unless it is a goroutine of the
 * runtime, as runtime.newproc1 does.
 */
static void spans_created(struct spans *s, struct goroutine *g, const struct trace_event *ev,
			  uint32_t stack)
{
	const struct goroutine *creator = spans_goroutine(s, ev->g);

	g->created = true;
	g->since = ev->time;
	g->creator = ev->g;
	g->created_at = names_stack(&s->names, view_stack(ev));
	name_it(s, g, stack);
	if (creator && !spans_is_system(g->name))
		g->labels = creator->labels;
}

static void spans_forget(struct spans *s, struct goroutine *g)
{
	uint64_t id = g->id;

	idtab_del(&s->goroutines, id);
}

/*
 * Adds a goroutine of which nothing was known: it has been in its state since the trace or the
 * current generation began.
 */
static struct goroutine *spans_found(struct spans *s, uint64_t id)
{
	struct goroutine *g = spans_add(s, id);

	g->since = s->sync;
	return g;
}

/* --- spans --- */

static void spans_end_span(struct spans *s, struct goroutine *g, int64_t time, struct span_edge end)
{
	struct span *span = &g->now;

	span->to = time;
	span->end = end;
	if (span->state == GO_RUNNING && end.g == g->id && end.p != TRACEV2_NO_ID) {
		span->p = end.p;
		span->m = end.m;
	}
	SHOW(s, span, span);
}

/* What @g waits for after @ev; NULL: not known. */
static const struct trace_wait *spans_wait(struct spans *s, struct goroutine *g,
					   const struct trace_event *ev)
{
	struct trace_wait wait;

	if (!trace_reader_wait(s->reader, ev, &wait))
		return NULL;
	if (!g->wait)
		g->wait = xcalloc(1, sizeof(*g->wait));
	*g->wait = wait;
	return g->wait;
}

/* Begins a span. @stack: where @g is from now on; 0: @g is where it was before. */
static void begin_span(struct spans *s, struct goroutine *g, uint8_t state, uint32_t stack,
		       const char *reason, const struct trace_event *ev, struct span_edge edge)
{
	struct span *now = &g->now;
	bool on = go_executing(state);

	/*
	 * Set field by field: this function runs once for each span, and zeroing the struct first
	 * took a fifth of a report's time.
	 */
	now->g = g;
	now->state = state;
	now->gap = reason == s->gap;
	now->from = ev->time;
	now->to = INT64_MAX;
	now->reason = reason;
	if (stack)
		now->stack = stack;
	now->p = on ? ev->p : TRACEV2_NO_ID;
	now->m = on ? ev->m : TRACEV2_NO_ID;
	now->p_until = INT64_MAX;
	now->wait = s->waits && state == GO_WAITING ? spans_wait(s, g, ev) : NULL;
	now->begin = edge;
	now->end = (struct span_edge){0};
	g->starts += state == GO_RUNNING;
	SHOW(s, span_begin, &g->now);
}

static void end_goroutine(struct spans *s, struct goroutine *g, int64_t time, bool ended)
{
	if (g->ranges)
		spans_end_ranges(s, g->ranges, time);
	spans_end_regions(s, g, time);
	SHOW(s, goroutine_end, g, time, ended);
	g->alive = false;
}

static bool spans_is_status(const struct trace_event *ev)
{
	return ev->type == EV_GoStatus || ev->type == EV_GoStatusStack;
}

static void begin_found(struct spans *s, struct goroutine *g, uint8_t state, uint32_t stack,
			const struct trace_event *ev)
{
	struct trace_event since = *ev;

	name_it(s, g, stack);
	SHOW(s, goroutine_begin, g);
	since.time = s->sync;
	if (state != GO_SYSCALL && state != GO_RUNNING)
		since.p = since.m = TRACEV2_NO_ID;
	else if (spans_is_status(ev) && ev->args[1] != ev->m) {
		/*
		 * Another thread wrote the status, when the generation ended
		 * (runtime.traceAdvance): ev->p is the P of that thread.
		 */
		since.p = TRACEV2_NO_ID;
		since.m = ev->args[1];
	}
	begin_span(s, g, state, stack, "", &since, no_edge);
}

/* --- transitions --- */

/* A repeated status has no news, except for a goroutine of which no stack was known. */
static void spans_repeated(struct spans *s, struct goroutine *g, uint32_t stack)
{
	if (!stack)
		return;
	if (!g->now.stack)
		g->now.stack = stack;
	if (!g->named)
		name_it(s, g, stack);
}

static void spans_appears(struct spans *s, const struct trace_event *ev,
			  const struct view_transition *tr, uint32_t stack)
{
	struct goroutine *g;

	if (tr->to == GO_NOT_EXIST || tr->to == GO_UNDETERMINED)
		return;
	if (tr->from != GO_NOT_EXIST) {
		g = spans_found(s, tr->id);
		begin_found(s, g, tr->to, stack, ev);
	} else {
		g = spans_add(s, tr->id);
		spans_created(s, g, ev, stack);
		SHOW(s, goroutine_begin, g);
		begin_span(s, g, tr->to, stack, "", ev, edge_of(s, ev));
	}
	if (tr->to == GO_SYSCALL)
		spans_syscall_begin(s, spans_is_status(ev) ? ev->args[1] : ev->m, g->id);
}

static void spans_moves(struct spans *s, const struct trace_event *ev,
			const struct view_transition *tr, struct goroutine *g, uint32_t stack)
{
	struct span_edge edge = edge_of(s, ev);

	if (g->now.state == GO_SYSCALL)
		spans_syscall_end(s, g->now.m, g->id);
	spans_end_span(s, g, ev->time, edge);
	if (tr->to == GO_NOT_EXIST) {
		end_goroutine(s, g, ev->time, true);
		spans_forget(s, g);
		return;
	}
	if (!g->named)
		name_it(s, g, stack);
	begin_span(s, g, tr->to, stack, tr->reason ? names_string(&s->names, tr->reason) : "", ev,
		   edge);
	if (tr->to == GO_SYSCALL)
		spans_syscall_begin(s, ev->m, g->id);
}

void spans_transition(struct spans *s, const struct trace_event *ev)
{
	struct view_transition tr = view_transition(ev);
	struct goroutine *g = spans_goroutine(s, tr.id);
	uint32_t stack = tr.stack ? names_stack(&s->names, tr.stack) : 0;

	if (!g)
		spans_appears(s, ev, &tr, stack);
	else if (tr.from == tr.to)
		spans_repeated(s, g, stack);
	else
		spans_moves(s, ev, &tr, g, stack);
}

/* --- begin and end --- */

void spans_goroutines_end(struct spans *s)
{
	uint32_t i;

	for (i = 0; i < s->goroutines.made; i++) {
		struct goroutine *g = idtab_at(&s->goroutines, i);

		if (!g->alive)
			continue;
		spans_end_span(s, g, s->last, no_edge);
		end_goroutine(s, g, s->last, false);
	}
}

void spans_goroutines_free(struct spans *s)
{
	uint32_t i;

	for (i = 0; i < s->goroutines.made; i++) {
		struct goroutine *g = idtab_at(&s->goroutines, i);

		spans_vec_free(&g->ranges);
		spans_vec_free(&g->regions);
		free(g->wait);
	}
	idtab_free(&s->goroutines);
	s->slots = 0;
}
