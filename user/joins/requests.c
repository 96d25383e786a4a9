// SPDX-License-Identifier: Apache-2.0
/*
 * requests: the request that a goroutine serves: a task of group http of its own, or the region
 * of one in which a handler's goroutine works.
 */
#include "joins/internal.h"
#include "read/http.h"

enum {
	REGIONS_LOOKED = 64,	/* open regions of a goroutine that are searched for a request */
};

uint64_t joins_serves_now(const struct joins_g *g)
{
	return g->task.id && g->task.to == INT64_MAX ? g->task.id : g->region;
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

void joins_task_begins(void *ctx, const struct task_span *task)
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

void joins_task_ended(void *ctx, const struct task_span *task)
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
void joins_region_begins(void *ctx, const struct region_span *r)
{
	if (http_is_served(r->task))
		joins_g(ctx, r->g)->region = r->task;
}

void joins_region_ended(void *ctx, const struct region_span *r)
{
	struct joins_g *g;

	if (!http_is_served(r->task))
		return;
	g = joins_g(ctx, r->g);
	g->region = joins_region(r->g);
	if (!joins_serves_now(g))
		g->inner = 0;
}
