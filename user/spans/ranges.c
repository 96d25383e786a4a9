// SPDX-License-Identifier: Apache-2.0
/* ranges: GC cycles, stop-the-world, assists and sweeps; regions and tasks. Part of spans.c. */
#include <stdlib.h>
#include <string.h>

#include "spans/internal.h"

struct vec *spans_vec_of(struct vec **vec)
{
	if (!*vec)
		*vec = xcalloc(1, sizeof(**vec));
	return *vec;
}

void spans_vec_free(struct vec **vec)
{
	if (*vec)
		vec_free(*vec);
	free(*vec);
	*vec = NULL;
}

/* --- ranges --- */

/*
 * Returns the open ranges of the goroutine, P or program of @r; NULL if its goroutine or P does not
 * live.
 */
static struct vec *ranges_owner_of(struct spans *s, const struct view_range *r)
{
	struct goroutine *g;
	struct proc *p;

	switch (r->scope) {
	case RESOURCE_GOROUTINE:
		g = spans_goroutine(s, r->id);
		return g ? spans_vec_of(&g->ranges) : NULL;
	case RESOURCE_PROC:
		p = spans_find_proc(s, r->id);
		return p ? spans_vec_of(&p->ranges) : NULL;
	default:
		return &s->program_ranges;
	}
}

/*
 * Returns the open range with @name. The reader guarantees that an owner has at most one, except
 * for stop-the-world, of which one per reason can be open.
 */
static struct range_span *ranges_find(struct vec *ranges, const char *name)
{
	size_t i;

	for (i = ranges->len; i--; )
		if (!strcmp(vec_at(ranges, struct range_span, i)->name, name))
			return vec_at(ranges, struct range_span, i);
	return NULL;
}

static void ranges_begin(struct spans *s, const struct trace_event *ev, const struct view_range *r,
		  struct vec *ranges, bool open)
{
	struct range_span *range = vec_push(ranges, sizeof(*range));

	*range = (struct range_span){
		.name = r->name, .reason = r->has_reason ? names_string(&s->names, r->reason) : "",
		.scope = r->scope, .id = r->id, .g = open ? TRACEV2_NO_ID : ev->g,
		.stack = open ? 0 : names_stack(&s->names, view_stack(ev)), .open_begin = open,
		.from = open ? s->sync : ev->time, .to = INT64_MAX,
	};
}

/*
 * Ends a range. A range of which no begin is known began before the trace, and no event at the
 * begin of the trace named it: such a range is not shown.
 */
static void ranges_end(struct spans *s, const struct trace_event *ev, const struct view_range *r,
		struct vec *ranges)
{
	struct range_span *range = ranges_find(ranges, r->name), ended;
	unsigned i;

	if (!range)
		return;
	ended = *range;
	*range = *vec_at(ranges, struct range_span, --ranges->len);
	ended.to = ev->time;
	for (i = 0; i < r->nattrs && i < 2; i++)
		ended.attrs[i] = r->attrs[i].value;
	SHOW(s, range, &ended);
}

void spans_range(struct spans *s, const struct trace_event *ev, enum view_kind kind)
{
	struct view_range r = view_range(ev);
	struct vec *ranges = ranges_owner_of(s, &r);

	if (!ranges)
		return;
	if (kind == VIEW_RANGE_BEGIN)
		ranges_begin(s, ev, &r, ranges, false);
	else if (kind == VIEW_RANGE_END)
		ranges_end(s, ev, &r, ranges);
	else if (!ranges_find(ranges, r.name))
		ranges_begin(s, ev, &r, ranges, true);
}

void spans_end_ranges(struct spans *s, struct vec *ranges, int64_t time)
{
	size_t i;

	for (i = 0; i < ranges->len; i++) {
		struct range_span *range = vec_at(ranges, struct range_span, i);

		range->to = time;
		range->open_end = true;
		SHOW(s, range, range);
	}
	ranges->len = 0;
}

/* --- regions --- */

void spans_region(struct spans *s, const struct trace_event *ev, bool begins)
{
	struct goroutine *g = spans_goroutine(s, ev->g);
	struct region_span *region, ended;
	struct vec *regions;

	if (!g)
		return;
	regions = spans_vec_of(&g->regions);
	if (begins) {
		region = vec_push(regions, sizeof(*region));
		*region = (struct region_span){
			.g = g, .task = ev->args[0], .type = names_string(&s->names, ev->args[1]),
			.depth = (uint32_t)regions->len - 1, .from = ev->time, .to = INT64_MAX,
			.stack = names_stack(&s->names, view_stack(ev)),
		};
		SHOW(s, region_begin, region);
		return;
	}
	ended = regions->len ? *vec_at(regions, struct region_span, --regions->len) :
			       (struct region_span){ .g = g,
						     .task = ev->args[0],
						     .open_begin = true,
						     .from = g->since,
						     .type = names_string(&s->names, ev->args[1]) };
	ended.to = ev->time;
	ended.open_end = ended.left;
	SHOW(s, region, &ended);
}

void spans_leave_region(struct spans *s, uint64_t id)
{
	struct goroutine *g = spans_goroutine(s, id);

	if (g && g->regions && g->regions->len)
		vec_at(g->regions, struct region_span, g->regions->len - 1)->left = true;
}

void spans_end_regions(struct spans *s, struct goroutine *g, int64_t time)
{
	while (g->regions && g->regions->len) {
		struct region_span *region =
			vec_at(g->regions, struct region_span, --g->regions->len);

		region->to = time;
		region->open_end = true;
		SHOW(s, region, region);
	}
}

/* --- tasks --- */

static void ranges_task_begin(struct spans *s, const struct trace_event *ev,
			      const struct view_task *t)
{
	struct task *task = idtab_find(&s->tasks, t->id);

	if (!task)
		task = idtab_add(&s->tasks, t->id);
	task->alive = true;
	task->now = (struct task_span){
		.id = t->id,
		.parent = t->parent,
		.type = names_text(&s->names, t->type.s, t->type.len),
		.g = ev->g,
		.from = ev->time,
		.to = INT64_MAX,
	};
	SHOW(s, task_begin, &task->now);
}

bool spans_has_task(struct spans *s, uint64_t id)
{
	return idtab_find(&s->tasks, id);
}

/* The open region of @task that has its name: gotap makes one of each request. */
static void ranges_name_region(struct spans *s, const struct task_span *task, const char *name)
{
	struct goroutine *g = spans_goroutine(s, task->g);
	struct region_span *region;
	size_t i;

	for (i = 0; g && g->regions && i < g->regions->len; i++) {
		region = vec_at(g->regions, struct region_span, i);
		if (region->task == task->id && region->type == task->type) {
			region->type = name;
			break;
		}
	}
}

void spans_name_task(struct spans *s, uint64_t id, const char *name)
{
	struct task *task = idtab_find(&s->tasks, id);

	if (!task)
		return;
	ranges_name_region(s, &task->now, name);
	task->now.type = name;
}

static void ranges_task_end(struct spans *s, const struct trace_event *ev,
			    const struct view_task *t)
{
	struct task *task = idtab_find(&s->tasks, t->id);
	struct task_span ended = {
		.id = t->id,
		.parent = TRACEV2_NO_ID,
		.type = "",
		.g = TRACEV2_NO_ID,
		.open_begin = true,
		.from = s->first,
	};

	if (task) {
		ended = task->now;
		task->alive = false;
		idtab_del(&s->tasks, t->id);
	}
	ended.to = ev->time;
	SHOW(s, task, &ended);
}

void spans_task(struct spans *s, const struct trace_event *ev, bool begins)
{
	struct view_task t = view_task(ev);

	(begins ? ranges_task_begin : ranges_task_end)(s, ev, &t);
}

void spans_tasks_end(struct spans *s)
{
	uint32_t i;

	for (i = 0; i < s->tasks.made; i++) {
		struct task *task = idtab_at(&s->tasks, i);

		if (!task->alive)
			continue;
		task->alive = false;
		task->now.to = s->last;
		task->now.open_end = true;
		SHOW(s, task, &task->now);
	}
}
