// SPDX-License-Identifier: Apache-2.0
/* downstream: see downstream.h. */
#include "requests/downstream.h"

#include <stdlib.h>

#include "base/map64.h"
#include "base/vec.h"

enum { CALLS_LOOKED = 64 };	/* last calls of a request that are searched */

struct downstream {
	struct spans *s;
	struct joins *joins;
	struct spans_beside *others;
	size_t n;
	struct vec found;	/* struct request_call */
	struct map64 last;	/* task that is open -> 1 + index of its last call */
	uint64_t dropped, outside;
};

/* --- calls --- */

static struct request_call *downstream_call(struct downstream *d, size_t i)
{
	return vec_at(&d->found, struct request_call, i);
}

/* The call that had a part of its response before; NULL: it is another one. */
static struct request_call *downstream_same(struct downstream *d, uint32_t last,
					    const struct joins_call *call)
{
	struct request_call *c;
	unsigned i;

	if (!call->write.task)
		return NULL;
	for (i = 0; last && i < CALLS_LOOKED; last = c->before, i++) {
		c = downstream_call(d, last - 1);
		if (c->there == call->write.task && c->side == call->write.member)
			return c;
	}
	return NULL;
}

static void downstream_take(void *ctx, const struct joins_call *call)
{
	struct downstream *d = ctx;
	const struct joins_write *w = &call->write;
	struct request_call *c;
	uint64_t *last;
	int64_t from = call->from;

	if (call->member)
		return;
	if (!call->task) {
		d->outside++;
		return;
	}
	last = map64_put(&d->last, call->task, NULL);
	c = downstream_same(d, (uint32_t)*last, call);
	if (c) {
		c->to = w->time;
		return;
	}
	if (d->found.len >= DOWNSTREAM_MOST) {
		d->dropped++;
		return;
	}
	if (w->task)
		from = w->task_from;
	*(struct request_call *)vec_push(&d->found, sizeof(*c)) = (struct request_call){
		.task = call->task, .call = call->inner, .name = "", .g = call->g,
		.side = w->member,
		.process = joins_process(d->joins, w->member), .there = w->task,
		.request = w->request, .from = from, .to = w->time, .before = (uint32_t)*last,
	};
	*last = d->found.len;
}

/* The name of a request is known for sure at its end. */
static void downstream_on_task(void *ctx, const struct task_span *task)
{
	struct downstream *d = ctx;
	const uint64_t *last = map64_get(&d->last, task->id);
	uint32_t i = last ? (uint32_t)*last : 0;

	for (; i; i = downstream_call(d, i - 1)->before)
		downstream_call(d, i - 1)->name = task->type;
	map64_del(&d->last, task->id);
}

/* --- begin and end --- */

struct downstream *downstream_new(struct trace_reader *const *others, size_t n)
{
	struct downstream *d = xcalloc(1, sizeof(*d));
	size_t i;

	d->s = spans_new();
	d->joins = joins_new();
	d->others = xcalloc(n + 1, sizeof(*d->others));
	d->n = n;
	joins_add(d->joins, d->s, NULL, NULL);
	joins_calls(d->joins, downstream_take, d);
	spans_visit(d->s, &(struct spans_visitor){ .ctx = d, .task = downstream_on_task });
	for (i = 0; i < n; i++) {
		d->others[i].s = spans_new_beside(d->s);
		d->others[i].reader = others[i];
		joins_add(d->joins, d->others[i].s, NULL, NULL);
	}
	return d;
}

void downstream_free(struct downstream *d)
{
	size_t i;

	if (!d)
		return;
	for (i = 0; i < d->n; i++)
		spans_free(d->others[i].s);
	spans_free(d->s);
	joins_free(d->joins);
	free(d->others);
	vec_free(&d->found);
	map64_free(&d->last);
	free(d);
}

int downstream_read(struct downstream *d, struct trace_reader *r, struct error *err)
{
	return spans_read_beside(d->s, r, d->others, d->n, err);
}

size_t downstream_count(const struct downstream *d)
{
	return d->found.len;
}

const struct request_call *downstream_at(const struct downstream *d, size_t i)
{
	return vec_at(&d->found, struct request_call, i);
}

uint64_t downstream_dropped(const struct downstream *d)
{
	return d->dropped;
}

uint64_t downstream_outside(const struct downstream *d)
{
	return d->outside;
}

const uint64_t *downstream_waits(const struct downstream *d)
{
	return joins_counts(d->joins);
}
