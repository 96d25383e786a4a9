// SPDX-License-Identifier: Apache-2.0
/* links: see links.h. */
#include "read/links.h"

#include <stdlib.h>
#include <string.h>

#include "read/idtab.h"
#include "read/view.h"

/*
 * An open range. Name and reason identify it among the ranges of its owner, as in
 * v2_advance_range.c.
 */
struct range {
	const char *name;
	uint64_t reason;	/* the end of a range has the reason id of its begin */
	struct event_link begin;
};

struct open {
	struct vec ranges;	/* struct range, in no order */
	struct vec regions;	/* struct event_link, the innermost region last */
};

/* A goroutine, a P, or the program. The id must be first, for idtab. */
struct owner {
	uint64_t id;
	struct event_link since;	/* the event that brought it into its state */
	uint8_t state;			/* enum go_state or enum proc_state; 0: not known */
	struct open *open;		/* NULL: it never had one */
};

struct task {
	uint64_t id;
	struct event_link begin;
};

struct links {
	struct idtab owners[RESOURCE_PROC + 1];	/* struct owner, by enum resource */
	struct idtab tasks;			/* struct task */
};

static const struct event_link none;

static struct event_link link_to(const struct trace_event *ev)
{
	return (struct event_link){ ev->time, ev->type };
}

/* --- owners --- */

/* The owner, made if needed. A deleted record keeps its vecs, which are empty, for reuse. */
static struct owner *owner_of(struct links *l, enum resource of, uint64_t id)
{
	struct owner *owner = idtab_find(&l->owners[of], id);

	if (owner)
		return owner;
	owner = idtab_add(&l->owners[of], id);
	owner->since = none;
	owner->state = 0;
	return owner;
}

static void links_close_all(struct owner *owner)
{
	if (!owner->open)
		return;
	vec_free(&owner->open->ranges);
	vec_free(&owner->open->regions);
}

static void end_owner(struct links *l, enum resource of, struct owner *owner)
{
	links_close_all(owner);
	idtab_del(&l->owners[of], owner->id);
}

static struct open *open_of(struct owner *owner)
{
	if (!owner->open)
		owner->open = xcalloc(1, sizeof(*owner->open));
	return owner->open;
}

static void *push_one(struct vec *v, size_t size)
{
	if (!v->data)
		*v = vec_of_one(size);
	return vec_push(v, size);
}

/* --- kinds of events --- */

static struct event_link links_transition(struct links *l, const struct trace_event *ev)
{
	struct trace_transition tr = event_transition(ev);
	struct owner *owner = owner_of(l, tr.of, tr.id);
	struct event_link link = none;

	if (tr.from == tr.to && owner->state == tr.to)
		return none;
	if (owner->state == tr.from)
		link = owner->since;
	owner->since = link_to(ev);
	owner->state = tr.to;
	if (tr.of == RESOURCE_GOROUTINE && tr.to == GO_NOT_EXIST)
		end_owner(l, tr.of, owner);
	return link;
}

static struct range *links_find_range(struct vec *ranges, const struct view_range *range)
{
	size_t i;

	for (i = 0; i < ranges->len; i++) {
		struct range *r = vec_at(ranges, struct range, i);

		if (r->reason == range->reason && !strcmp(r->name, range->name))
			return r;
	}
	return NULL;
}

static struct vec *links_ranges_of(struct links *l, const struct view_range *range)
{
	return &open_of(owner_of(l, range->scope, range->id))->ranges;
}

static struct event_link range_begin(struct links *l, const struct trace_event *ev)
{
	struct view_range range = view_range(ev);
	struct vec *ranges = links_ranges_of(l, &range);
	struct range *r = links_find_range(ranges, &range);

	if (!r)
		r = push_one(ranges, sizeof(*r));
	*r = (struct range){ range.name, range.reason, link_to(ev) };
	return none;
}

/* The link of an Active event: in later generations it confirms a range that has a begin. */
static struct event_link range_active(struct links *l, const struct trace_event *ev)
{
	struct view_range range = view_range(ev);

	return links_find_range(links_ranges_of(l, &range), &range) ? none : range_begin(l, ev);
}

static struct event_link range_end(struct links *l, const struct trace_event *ev)
{
	struct view_range range = view_range(ev);
	struct vec *ranges = links_ranges_of(l, &range);
	struct range *r = links_find_range(ranges, &range);
	struct event_link link;

	if (!r)
		return none;
	link = r->begin;
	*r = *vec_at(ranges, struct range, --ranges->len);
	return link;
}

static struct event_link region_begin(struct links *l, const struct trace_event *ev)
{
	struct vec *regions = &open_of(owner_of(l, RESOURCE_GOROUTINE, ev->g))->regions;

	*(struct event_link *)push_one(regions, sizeof(struct event_link)) = link_to(ev);
	return none;
}

/* The link of a region's end. The reader has checked that it ends the innermost region. */
static struct event_link links_region_end(struct links *l, const struct trace_event *ev)
{
	struct vec *regions = &open_of(owner_of(l, RESOURCE_GOROUTINE, ev->g))->regions;

	return regions->len ? *vec_at(regions, struct event_link, --regions->len) : none;
}

static struct event_link task_begin(struct links *l, const struct trace_event *ev)
{
	uint64_t id = view_task(ev).id;
	struct task *task = idtab_find(&l->tasks, id);

	if (!task)
		task = idtab_add(&l->tasks, id);
	task->begin = link_to(ev);
	return none;
}

static struct event_link links_task_end(struct links *l, const struct trace_event *ev)
{
	struct task *task = idtab_find(&l->tasks, view_task(ev).id);
	struct event_link link;

	if (!task)
		return none;
	link = task->begin;
	idtab_del(&l->tasks, task->id);
	return link;
}

typedef struct event_link link_fn(struct links *l, const struct trace_event *ev);

static link_fn *const link_fns[VIEW_KINDS] = {
	[VIEW_RANGE_BEGIN] = range_begin,
	[VIEW_RANGE_ACTIVE] = range_active,
	[VIEW_RANGE_END] = range_end,
	[VIEW_TASK_BEGIN] = task_begin,
	[VIEW_TASK_END] = links_task_end,
	[VIEW_REGION_BEGIN] = region_begin,
	[VIEW_REGION_END] = links_region_end,
	[VIEW_STATE_TRANSITION] = links_transition,
};

struct event_link links_next(struct links *l, const struct trace_event *ev)
{
	link_fn *fn = link_fns[view_kind(ev)];

	return fn ? fn(l, ev) : none;
}

/* --- begin and end --- */

struct links *links_new(void)
{
	struct links *l = xcalloc(1, sizeof(*l));
	int of;

	for (of = 0; of <= RESOURCE_PROC; of++)
		idtab_init(&l->owners[of], sizeof(struct owner));
	idtab_init(&l->tasks, sizeof(struct task));
	return l;
}

static void free_owners(struct idtab *owners)
{
	uint32_t i;

	for (i = 0; i < owners->made; i++) {
		struct owner *owner = idtab_at(owners, i);

		links_close_all(owner);
		free(owner->open);
	}
	idtab_free(owners);
}

void links_free(struct links *l)
{
	int of;

	if (!l)
		return;
	for (of = 0; of <= RESOURCE_PROC; of++)
		free_owners(&l->owners[of]);
	idtab_free(&l->tasks);
	free(l);
}
