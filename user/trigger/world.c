// SPDX-License-Identifier: Apache-2.0
/* world: stw>T, gc, goroutines>N, heap>SIZE: the triggers about the whole program. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/show.h"
#include "trigger/internal.h"

/* --- stw>T: at most one stop at a time; r->more has it --- */

struct stw {
	struct stay stay;
	uint64_t g;		/* goid of the goroutine that stops the world; 0: not known */
	uint64_t stack;
	char kind[64];
};

static void fire_stw(struct rule *r, uint64_t until)
{
	const struct stw *w = r->more;
	struct tap_go *g = tap_find(r->triggers->tap, w->g);
	struct fact_place place = { .time = w->stay.since + r->is->limit,
				    .until = until,
				    .g = g,
				    .stack = w->stack };

	fire(r, &place, "the world is stopped for %s: %s", span_text(until - w->stay.since).text,
	     w->kind);
}

static void world_stw_begin(struct rule *r)
{
	r->more = xcalloc(1, sizeof(struct stw));
}

static void stw_event(struct rule *r, const struct tap_step *s)
{
	const struct sink_event *e = s->event;
	struct stw *w = r->more;
	const struct sink_text *kind;

	if (e->kind == EV_STWEnd) {
		if (w->stay.next && e->time > w->stay.since + r->is->limit)
			fire_stw(r, e->time);
		stay_remove(&w->stay);
		return;
	}
	stay_remove(&w->stay);
	stay_add(&r->stays, &w->stay, e->time);
	kind = sink_arg_text(e->args[0]);
	snprintf(w->kind, sizeof(w->kind), "%.*s", (int)sink_text_len(kind),
		 kind->bytes ? kind->bytes : "");
	w->g = s->by ? s->by->id : 0;
	w->stack = e->args[1];
}

static void stw_seen(struct rule *r, uint64_t time)
{
	if (time > r->is->limit && stay_take(&r->stays, time - r->is->limit))
		fire_stw(r, time);
}

static void stw_gap(struct rule *r, uint64_t time)
{
	stay_remove(&((struct stw *)r->more)->stay);
}

static void world_stw_end(struct rule *r)
{
	free(r->more);
}

const struct family family_stw = {
	.begin = world_stw_begin,
	.event = stw_event,
	.seen = stw_seen,
	.gap = stw_gap,
	.end = world_stw_end,
	.events = { EV_STWBegin, EV_STWEnd },
	.stream = true,
	.lasts = true,
};

/* --- gc --- */

static void gc_event(struct rule *r, const struct tap_step *s)
{
	fire(r, &(struct fact_place){ .time = s->event->time, .g = s->by },
	     "a cycle of the garbage collector has marked all");
}

const struct family family_gc = { .event = gc_event, .events = { EV_GCEnd }, .stream = true };

/* --- goroutines>N, heap>SIZE: one fact each time that the value gets above the limit --- */

static void world_level(struct rule *r, uint64_t n, const struct fact_place *place)
{
	char size[SHOW_SIZE];
	bool above = n > r->is->limit, passes = above && !r->above;

	r->above = above;
	if (!passes)
		return;
	if (r->is->kind == TRIGGER_HEAP)
		fire(r, place, "the heap has %s", show_size(n, size));
	else
		fire(r, place, "there are %" PRIu64 " goroutines, more than %" PRIu64, n,
		     r->is->limit);
}

static void level_born(struct rule *r, struct tap_go *g)
{
	if (r->is->kind == TRIGGER_GOROUTINES)
		world_level(r, tap_live(r->triggers->tap),
			    &(struct fact_place){ .time = g->born, .g = g });
}

/* The tap still counts @g, which ends, among the live goroutines. */
static void level_gone(struct rule *r, struct tap_go *g, uint64_t time)
{
	if (r->is->kind == TRIGGER_GOROUTINES && tap_live(r->triggers->tap) - 1 <= r->is->limit)
		r->above = false;
}

static void level_event(struct rule *r, const struct tap_step *s)
{
	if (r->is->kind == TRIGGER_HEAP)
		world_level(r, s->event->args[0],
			    &(struct fact_place){ .time = s->event->time, .g = s->by });
}

const struct family family_level = {
	.born = level_born,
	.gone = level_gone,
	.event = level_event,
	.events = { EV_HeapAlloc },
	.stream = true,
};
