// SPDX-License-Identifier: Apache-2.0
/* v2_advance: stop-the-world, GC cycle, sweep and mark assist (docs/traceformat.md, Ranges). */
#include "read/v2_advance.h"

/* The event that begins the range which @type begins, confirms or ends. */
static uint8_t range_type(uint8_t type)
{
	switch (type) {
	case EV_STWEnd:
		return EV_STWBegin;
	case EV_GCSweepActive:
	case EV_GCSweepEnd:
		return EV_GCSweepBegin;
	case EV_GCMarkAssistActive:
	case EV_GCMarkAssistEnd:
		return EV_GCMarkAssistBegin;
	}
	return type;
}

static bool has_range(const struct vec *ranges, uint8_t type, uint64_t desc)
{
	size_t i;

	for (i = 0; i < ranges->len; i++) {
		const struct order_range *r = vec_at(ranges, struct order_range, i);

		if (r->type == type && r->desc == desc)
			return true;
	}
	return false;
}

static void add_range(struct vec *ranges, uint8_t type, uint64_t desc)
{
	struct order_range *r = vec_push(ranges, sizeof(*r));

	r->type = type;
	r->desc = desc;
}

static enum advance advance_range_begin(struct order *o, struct trace_event *ev, struct vec *ranges,
			  uint64_t desc)
{
	if (has_range(ranges, ev->type, desc))
		return advance_fail(o, ev, "discovered event already in-flight for when starting"
				    " event %s", advance_name(o, ev));
	add_range(ranges, ev->type, desc);
	return advance_done(o, ev);
}

/* In the first generation an Active event begins the range; later it must confirm an open one. */
static enum advance advance_range_active(struct order *o, struct trace_event *ev,
					 struct vec *ranges)
{
	uint8_t type = range_type(ev->type);
	bool known = has_range(ranges, type, 0);
	const char *name = o->specs->of[type].name;

	if (o->gen == o->initial_gen) {
		if (known)
			return advance_fail(o, ev, "found named active range already in first"
					    " gen: %s", name);
		add_range(ranges, type, 0);
	} else if (!known) {
		return advance_fail(o, ev, "resource is missing active range: %s", name);
	}
	return advance_done(o, ev);
}

static enum advance advance_range_end(struct order *o, struct trace_event *ev, struct vec *ranges)
{
	uint8_t type = range_type(ev->type);
	size_t i;

	for (i = 0; i < ranges->len; i++) {
		struct order_range *r = vec_at(ranges, struct order_range, i);

		if (r->type != type)
			continue;
		if (type == EV_STWBegin)
			ev->args[0] = r->desc;
		*r = *vec_at(ranges, struct order_range, --ranges->len);
		return advance_done(o, ev);
	}
	return advance_fail(o, ev, "tried to end event %s, but not in-flight",
			    o->specs->of[type].name);
}

/* The current goroutine of an event that needs thread, P and goroutine. */
static struct order_g *user_g(struct order *o, struct trace_event *ev)
{
	struct order_g *g;

	if (!advance_require_user(o, ev))
		return NULL;
	g = advance_g(o, ev);
	if (!g)
		advance_fail(o, ev, "encountered %s without known state for current goroutine"
			     " %lld", advance_name(o, ev), (long long)ev->g);
	return g;
}

static struct vec *advance_range_ranges_of(struct order_open **open)
{
	return &order_open_of(open)->ranges;
}

enum advance advance_go_range_begin(struct order *o, struct trace_event *ev)
{
	struct order_g *g = user_g(o, ev);

	if (!g)
		return ADVANCE_FAIL;
	return advance_range_begin(o, ev, advance_range_ranges_of(&g->open),
				   ev->type == EV_STWBegin ? ev->args[0] : 0);
}

enum advance advance_go_range_end(struct order *o, struct trace_event *ev)
{
	struct order_g *g = user_g(o, ev);

	return g ? advance_range_end(o, ev, advance_range_ranges_of(&g->open)) : ADVANCE_FAIL;
}

/* Like a status, the event may name a goroutine that does not run: no context is needed. */
enum advance advance_go_range_active(struct order *o, struct trace_event *ev)
{
	struct order_g *g = order_find_g(o, ev->args[0]);

	if (!g)
		return advance_fail(o, ev, "uninitialized goroutine %lld found during %s",
				    (long long)ev->args[0], advance_name(o, ev));
	return advance_range_active(o, ev, advance_range_ranges_of(&g->open));
}

/* The P of a sweep event: a sweep belongs to the P. */
static struct order_p *sweeping_p(struct order *o, struct trace_event *ev)
{
	struct order_p *p;

	if (!advance_require(o, ev, MUST, MUST, MAY))
		return NULL;
	p = advance_p(o, ev);
	if (!p)
		advance_fail(o, ev, "encountered %s for unknown proc %lld", advance_name(o, ev),
			     (long long)ev->p);
	return p;
}

enum advance advance_sweep_begin(struct order *o, struct trace_event *ev)
{
	struct order_p *p = sweeping_p(o, ev);

	return p ? advance_range_begin(o, ev, advance_range_ranges_of(&p->open), 0) : ADVANCE_FAIL;
}

enum advance advance_sweep_end(struct order *o, struct trace_event *ev)
{
	struct order_p *p = sweeping_p(o, ev);

	return p ? advance_range_end(o, ev, advance_range_ranges_of(&p->open)) : ADVANCE_FAIL;
}

enum advance advance_sweep_active(struct order *o, struct trace_event *ev)
{
	struct order_p *p = order_find_p(o, ev->args[0]);

	if (!p)
		return advance_fail(o, ev, "encountered GCSweepActive for unknown proc %lld",
				    (long long)ev->args[0]);
	return advance_range_active(o, ev, advance_range_ranges_of(&p->open));
}

/*
 * Begin and end of a GC cycle may be on different threads, so both have a sequence number that
 * counts over the whole trace. GCActive has the number, too.
 */
static enum advance gc_step(struct order *o, struct trace_event *ev, enum gc_state after)
{
	o->gc_seq = ev->args[0];
	o->gc = after;
	return advance_done(o, ev);
}

static bool gc_turn(struct order *o, struct trace_event *ev)
{
	if (ev->args[0] == o->gc_seq + 1)
		return true;
	advance_wait(o, "the GC is at seq %llu, not at %llu", (unsigned long long)o->gc_seq,
		     (unsigned long long)ev->args[0] - 1);
	return false;
}

enum advance advance_gc_active(struct order *o, struct trace_event *ev)
{
	if (o->gen == o->initial_gen) {
		if (o->gc != GC_UNDETERMINED)
			return advance_fail(o, ev, "GCActive in the first generation isn't first"
					    " GC event");
		return gc_step(o, ev, GC_RUNNING);
	}
	if (!gc_turn(o, ev))
		return ADVANCE_WAIT;
	if (o->gc != GC_RUNNING)
		return advance_fail(o, ev, "encountered GCActive while GC was not in progress");
	return advance_require_user(o, ev) ? gc_step(o, ev, GC_RUNNING) : ADVANCE_FAIL;
}

enum advance advance_gc_begin(struct order *o, struct trace_event *ev)
{
	if (o->gc == GC_UNDETERMINED)
		return gc_step(o, ev, GC_RUNNING);
	if (!gc_turn(o, ev))
		return ADVANCE_WAIT;
	if (o->gc == GC_RUNNING)
		return advance_fail(o, ev, "encountered GCBegin while GC was already in progress");
	return advance_require_user(o, ev) ? gc_step(o, ev, GC_RUNNING) : ADVANCE_FAIL;
}

enum advance advance_gc_end(struct order *o, struct trace_event *ev)
{
	if (!gc_turn(o, ev))
		return ADVANCE_WAIT;
	if (o->gc == GC_NOT_RUNNING)
		return advance_fail(o, ev, "encountered GCEnd when GC was not in progress");
	if (o->gc == GC_UNDETERMINED)
		return advance_fail(o, ev,
				    "encountered GCEnd when GC was in an undetermined state");
	if (!advance_require_user(o, ev))
		return ADVANCE_FAIL;
	return gc_step(o, ev, GC_NOT_RUNNING);
}
