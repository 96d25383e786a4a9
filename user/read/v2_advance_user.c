// SPDX-License-Identifier: Apache-2.0
/*
 * v2_advance: metrics, labels, tasks, regions, logs, experiments (docs/traceformat.md, The rest).
 */
#include <stdlib.h>

#include "read/v2_advance.h"

enum advance advance_annotation(struct order *o, struct trace_event *ev)
{
	return advance_require_user(o, ev) ? advance_done(o, ev) : ADVANCE_FAIL;
}

enum advance advance_heap_metric(struct order *o, struct trace_event *ev)
{
	return advance_require(o, ev, MUST, MUST, MAY) ? advance_done(o, ev) : ADVANCE_FAIL;
}

enum advance advance_experiment(struct order *o, struct trace_event *ev)
{
	return advance_require(o, ev, MUST, MAY, MAY) ? advance_done(o, ev) : ADVANCE_FAIL;
}

/* The interned text of string @id; NULL with the fault set: there is none. */
static const char *advance_user_name_of(struct order *o, struct trace_event *ev, uint64_t id)
{
	size_t len;
	const char *text = tables_string(o->tables, id, &len);

	if (!text) {
		advance_fail(o, ev, "invalid string ID %llu for %u event", (unsigned long long)id,
			     ev->type);
		return NULL;
	}
	return strset_add_bytes(o->names, text, len);
}

enum advance advance_task_begin(struct order *o, struct trace_event *ev)
{
	uint64_t id = ev->args[0];
	struct order_task *task;
	const char *name;

	if (idtab_find(&o->tasks, id))
		return advance_fail(o, ev, "task ID conflict: %llu", (unsigned long long)id);
	if (!ev->args[1])
		ev->args[1] = TRACEV2_NO_ID;
	name = advance_user_name_of(o, ev, ev->args[2]);
	if (!name || !advance_require_user(o, ev))
		return ADVANCE_FAIL;
	task = idtab_add(&o->tasks, id);
	task->name = ev->text = name;
	task->parent = ev->args[1];
	return advance_done(o, ev);
}

/* A task may end in a later generation, which lacks the string of its name, or without a begin. */
enum advance advance_task_end(struct order *o, struct trace_event *ev)
{
	const struct order_task *task = idtab_find(&o->tasks, ev->args[0]);

	if (!advance_require_user(o, ev))
		return ADVANCE_FAIL;
	ev->args[2] = TRACEV2_NO_ID;
	ev->text = NULL;
	if (task) {
		ev->args[2] = task->parent;
		ev->text = task->name;
		idtab_del(&o->tasks, ev->args[0]);
	}
	return advance_done(o, ev);
}

/* The current goroutine and the name of the region; NULL with the fault set. */
static struct order_g *region_context(struct order *o, struct trace_event *ev, const char **name)
{
	struct order_g *g;

	if (!advance_require_user(o, ev))
		return NULL;
	*name = advance_user_name_of(o, ev, ev->args[1]);
	if (!*name)
		return NULL;
	g = advance_g(o, ev);
	if (!g)
		advance_fail(o, ev, "encountered %s without known state for current goroutine"
			     " %lld", advance_name(o, ev), (long long)ev->g);
	return g;
}

enum advance advance_region_begin(struct order *o, struct trace_event *ev)
{
	struct order_region *region;
	const char *name;
	struct order_g *g = region_context(o, ev, &name);

	if (!g)
		return ADVANCE_FAIL;
	region = vec_push(&order_open_of(&g->open)->regions, sizeof(*region));
	region->task = ev->args[0];
	region->name = name;
	return advance_done(o, ev);
}

/* Regions nest. A region that ends without a begin began before the trace. */
enum advance advance_region_end(struct order *o, struct trace_event *ev)
{
	const struct order_region *inner;
	struct vec *regions;
	const char *name;
	struct order_g *g = region_context(o, ev, &name);

	if (!g)
		return ADVANCE_FAIL;
	regions = g->open ? &g->open->regions : NULL;
	if (!regions || !regions->len)
		return advance_done(o, ev);
	inner = vec_at(regions, struct order_region, regions->len - 1);
	if (inner->task != ev->args[0] || inner->name != name)
		return advance_fail(o, ev, "misuse of region in goroutine %lld: region end {%llu"
				    " %.60s} when the inner-most active region start event is"
				    " {%llu %.60s}", (long long)g->id,
				    (unsigned long long)ev->args[0], name,
				    (unsigned long long)inner->task, inner->name);
	regions->len--;
	return advance_done(o, ev);
}
