// SPDX-License-Identifier: Apache-2.0
/* instances: see instances.h. */
#include "why/instances.h"

#include "base/map64.h"
#include "read/view.h"
#include "why/walk.h"

/*
 * A key for an instance: no two instances of one kind and one goroutine end at the same time,
 * except regions that end with it.
 */
static uint64_t instance_key(int64_t to, uint64_t id, uint8_t of)
{
	return (uint64_t)to ^ hash64(id * 8 + of);
}

static struct instance *instance_at(const struct instances *i, size_t n)
{
	return vec_at(&i->picked, struct instance, n);
}

/*
 * Begins the instances that begin up to @time. The trail begins with the first of them, even if its
 * goroutine appears only later (spans.h).
 */
static void instances_begin(struct instances *i, int64_t time)
{
	for (; i->next < i->picked.len; i->next++) {
		const struct instance *in = instance_at(i, i->next);

		if (in->trace > i->trace || (in->trace == i->trace && in->from > time))
			break;
		if (in->trace < i->trace)
			continue;
		if (!i->open.len)
			trail_begin(i->trail);
		*map64_put(&i->open, instance_key(in->from + in->ns, in->g, in->of), NULL) =
			i->next;
		if (in->of == WHY_PART)
			i->part = in;
	}
}

static const struct instance *instances_open(const struct instances *i, uint8_t of, int64_t from,
					     int64_t to, uint64_t id)
{
	const uint64_t *found = i->open.len ? map64_get(&i->open, instance_key(to, id, of)) : NULL;
	const struct instance *in = found ? instance_at(i, *found) : NULL;

	return in && in->g == id && in->of == of && in->from + in->ns == to &&
			       (from == INT64_MIN || in->from == from) ?
		       in :
		       NULL;
}

static void instance_end(struct instances *i, const struct instance *in, const struct trail_rec *at)
{
	i->ends(i->ctx, in, at);
	map64_del(&i->open, instance_key(in->from + in->ns, in->g, in->of));
	if (!i->open.len)
		trail_end(i->trail);
	if (!--i->left)
		spans_stop(i->s);
}

/* Ends an instance of @g at @time, at which nothing of @g but its newest record is known. */
static void instance_end_newest(struct instances *i, const struct instance *in,
				const struct goroutine *g, int64_t time)
{
	struct trail_rec at = walk_from_end(g->id, g->name, time, trail_newest(i->trail, g));

	instance_end(i, in, &at);
}

static void instances_on_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct instances *i = ctx;
	const struct instance *in = instances_open(i, WHY_FUNC, g->since, time, g->id);

	if (in)
		instance_end_newest(i, in, g, time);
}

/* A round ends where its goroutine begins to wait. */
static void instances_on_span_begin(void *ctx, const struct span *span)
{
	struct instances *i = ctx;
	const struct instance *in;

	if (span->state != GO_WAITING)
		return;
	in = instances_open(i, WHY_ROUND, INT64_MIN, span->from, span->g->id);
	if (in)
		instance_end_newest(i, in, span->g, span->from);
}

static void instances_on_span(void *ctx, const struct span *span)
{
	struct instances *i = ctx;
	const struct instance *in;

	if (span->state != GO_WAITING)
		return;
	in = instances_open(i, WHY_CYCLE, INT64_MIN, span->to, span->g->id);
	if (in)
		instance_end_newest(i, in, span->g, span->to);
	in = instances_open(i, WHY_WAIT, span->from, span->to, span->g->id);
	if (in)
		instance_end_newest(i, in, span->g, span->to);
}

/* Ends a region. A region that its goroutine left open ends with the last stay of the goroutine. */
static void instances_on_region(void *ctx, const struct region_span *r)
{
	struct instances *i = ctx;
	const struct instance *in = r->open_begin ? NULL :
		instances_open(i, WHY_REGION, r->from, r->to, r->g->id);
	struct trail_rec at;

	if (!in)
		return;
	if (r->open_end) {
		instance_end_newest(i, in, r->g, r->to);
		return;
	}
	at = trail_now(i->trail, r->g, r->to, i->stack);
	instance_end(i, in, &at);
}

/* A task ends on the goroutine that calls End(). */
static void instances_task_ends(struct instances *i, const struct trace_event *ev)
{
	struct trail_rec at = walk_from_end(TRACEV2_NO_ID, "", ev->time, STORE_NONE);
	const struct instance *in = instances_open(i, WHY_TASK, INT64_MIN, ev->time, ev->args[0]);
	const struct goroutine *g;

	if (!in)
		return;
	g = spans_goroutine(i->s, ev->g);
	if (g)
		at = trail_now(i->trail, g, ev->time, spans_stack(i->s, view_stack(ev)));
	instance_end(i, in, &at);
}

/* Ends the part of a goroutine before the first event that is later. It may have ended by then. */
static void instances_part_ends(struct instances *i, int64_t time)
{
	const struct instance *in = i->part;
	const struct goroutine *g;
	struct trail_rec at;

	if (!in || in->from + in->ns > time)
		return;
	i->part = NULL;
	g = spans_goroutine(i->s, in->g);
	at = g && g->since <= in->from ?
		     trail_now(i->trail, g, in->from + in->ns, 0) :
		     walk_from_end(in->g, "", in->from + in->ns, STORE_NONE);
	instance_end(i, in, &at);
}

static void instances_on_event(void *ctx, const struct trace_event *ev)
{
	struct instances *i = ctx;

	instances_begin(i, ev->time);
	instances_part_ends(i, ev->time);
	if (!i->open.len)
		return;
	if (ev->type == EV_UserRegionEnd)
		i->stack = spans_stack(i->s, view_stack(ev));
	else if (ev->type == EV_UserTaskEnd)
		instances_task_ends(i, ev);
}

void instances_init(struct instances *i, struct spans *s, struct trail *trail, void *ctx,
		    instance_fn *ends)
{
	*i = (struct instances){ .s = s, .trail = trail, .ctx = ctx, .ends = ends };
	spans_visit(s, &(struct spans_visitor){
			       .ctx = i,
			       .event = instances_on_event,
			       .goroutine_end = instances_on_goroutine_end,
			       .span_begin = instances_on_span_begin,
			       .span = instances_on_span,
			       .region = instances_on_region,
		       });
}

void instances_free(struct instances *i)
{
	vec_free(&i->picked);
	map64_free(&i->open);
}

static int instances_by_begin(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

void instances_sort(struct instances *i)
{
	vec_sort(&i->picked, sizeof(struct instance), instances_by_begin);
}

size_t instances_in(const struct instances *i, uint32_t trace)
{
	size_t k, n = 0;

	for (k = 0; k < i->picked.len; k++)
		n += instance_at(i, k)->trace == trace;
	return n;
}

void instances_trace(struct instances *i, uint32_t trace)
{
	i->trace = trace;
	i->left = instances_in(i, trace);
	i->part = NULL;
	map64_clear(&i->open);
}
