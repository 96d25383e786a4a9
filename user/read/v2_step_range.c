// SPDX-License-Identifier: Apache-2.0
/* v2_step: stop-the-world, GC cycle, sweep and mark assist (wire-v2, B.8). */
#include "read/v2_step.h"

/* The event that opens the range which @type opens, confirms or closes. */
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

static enum advance begin(struct step *s, struct vec *ranges, uint64_t desc)
{
	if (has_range(ranges, s->ev->type, desc))
		return step_fail(s, "discovered event already in-flight for when starting event %s",
				 step_name(s));
	add_range(ranges, s->ev->type, desc);
	return step_done(s);
}

/* In the first generation "active" opens the range; later it only says what must be so. */
static enum advance active(struct step *s, struct vec *ranges)
{
	uint8_t type = range_type(s->ev->type);
	bool known = has_range(ranges, type, 0);
	const char *name = s->o->specs->of[type].name;

	if (s->gen == s->o->initial_gen) {
		if (known)
			return step_fail(s, "found named active range already in first gen: %s",
					 name);
		add_range(ranges, type, 0);
	} else if (!known) {
		return step_fail(s, "resource is missing active range: %s", name);
	}
	return step_done(s);
}

static enum advance end(struct step *s, struct vec *ranges)
{
	uint8_t type = range_type(s->ev->type);
	size_t i;

	for (i = 0; i < ranges->len; i++) {
		struct order_range *r = vec_at(ranges, struct order_range, i);

		if (r->type != type)
			continue;
		if (type == EV_STWBegin)
			s->ev->args[0] = r->desc;
		*r = *vec_at(ranges, struct order_range, --ranges->len);
		return step_done(s);
	}
	return step_fail(s, "tried to end event %s, but not in-flight",
			 s->o->specs->of[type].name);
}

/* The current goroutine of an event in user context. */
static struct order_g *user_g(struct step *s)
{
	struct order_g *g;

	if (!step_require_user(s))
		return NULL;
	g = step_g(s);
	if (!g)
		step_fail(s, "encountered %s without known state for current goroutine %lld",
			  step_name(s), (long long)s->cur.g);
	return g;
}

enum advance step_go_range_begin(struct step *s)
{
	struct order_g *g = user_g(s);

	if (!g)
		return ADVANCE_FAIL;
	return begin(s, &g->ranges, s->ev->type == EV_STWBegin ? s->ev->args[0] : 0);
}

enum advance step_go_range_end(struct step *s)
{
	struct order_g *g = user_g(s);

	return g ? end(s, &g->ranges) : ADVANCE_FAIL;
}

/* Like a status it may name a goroutine that is not running: no context is needed. */
enum advance step_go_range_active(struct step *s)
{
	struct order_g *g = order_find_g(s->o, s->ev->args[0]);

	if (!g)
		return step_fail(s, "uninitialized goroutine %lld found during %s",
				 (long long)s->ev->args[0], step_name(s));
	return active(s, &g->ranges);
}

/* A sweep belongs to the P. */
static struct order_p *sweeping_p(struct step *s)
{
	struct order_p *p;

	if (!step_require(s, MUST, MUST, MAY))
		return NULL;
	p = step_p(s);
	if (!p)
		step_fail(s, "encountered %s for unknown proc %lld", step_name(s),
			  (long long)s->cur.p);
	return p;
}

enum advance step_sweep_begin(struct step *s)
{
	struct order_p *p = sweeping_p(s);

	return p ? begin(s, &p->ranges, 0) : ADVANCE_FAIL;
}

enum advance step_sweep_end(struct step *s)
{
	struct order_p *p = sweeping_p(s);

	return p ? end(s, &p->ranges) : ADVANCE_FAIL;
}

enum advance step_sweep_active(struct step *s)
{
	struct order_p *p = order_find_p(s->o, s->ev->args[0]);

	if (!p)
		return step_fail(s, "encountered GCSweepActive for unknown proc %lld",
				 (long long)s->ev->args[0]);
	return active(s, &p->ranges);
}

/*
 * Begin and end of a GC cycle may lie on different threads, so they carry one
 * number line over the whole trace, which GCActive counts along.
 */
static enum advance gc_step(struct step *s, enum gc_state after)
{
	s->o->gc_seq = s->ev->args[0];
	s->o->gc = after;
	return step_done(s);
}

static bool gc_turn(struct step *s)
{
	if (s->ev->args[0] == s->o->gc_seq + 1)
		return true;
	step_wait(s, "the GC is at seq %llu, not at %llu", (unsigned long long)s->o->gc_seq,
		  (unsigned long long)s->ev->args[0] - 1);
	return false;
}

enum advance step_gc_active(struct step *s)
{
	if (s->gen == s->o->initial_gen) {
		if (s->o->gc != GC_UNDETERMINED)
			return step_fail(s, "GCActive in the first generation isn't first GC event");
		return gc_step(s, GC_RUNNING);
	}
	if (!gc_turn(s))
		return ADVANCE_WAIT;
	if (s->o->gc != GC_RUNNING)
		return step_fail(s, "encountered GCActive while GC was not in progress");
	return step_require_user(s) ? gc_step(s, GC_RUNNING) : ADVANCE_FAIL;
}

enum advance step_gc_begin(struct step *s)
{
	if (s->o->gc == GC_UNDETERMINED)
		return gc_step(s, GC_RUNNING);
	if (!gc_turn(s))
		return ADVANCE_WAIT;
	if (s->o->gc == GC_RUNNING)
		return step_fail(s, "encountered GCBegin while GC was already in progress");
	return step_require_user(s) ? gc_step(s, GC_RUNNING) : ADVANCE_FAIL;
}

enum advance step_gc_end(struct step *s)
{
	if (!gc_turn(s))
		return ADVANCE_WAIT;
	if (s->o->gc == GC_NOT_RUNNING)
		return step_fail(s, "encountered GCEnd when GC was not in progress");
	if (s->o->gc == GC_UNDETERMINED)
		return step_fail(s, "encountered GCEnd when GC was in an undetermined state");
	return step_require_user(s) ? gc_step(s, GC_NOT_RUNNING) : ADVANCE_FAIL;
}
