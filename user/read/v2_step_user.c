// SPDX-License-Identifier: Apache-2.0
/* v2_step: metrics, labels, tasks, regions, logs, experiments (wire-v2, B.9). */
#include <stdlib.h>

#include "read/v2_step.h"

enum advance step_annotation(struct step *s)
{
	return step_require_user(s) ? step_done(s) : ADVANCE_FAIL;
}

enum advance step_heap_metric(struct step *s)
{
	return step_require(s, MUST, MUST, MAY) ? step_done(s) : ADVANCE_FAIL;
}

enum advance step_experiment(struct step *s)
{
	return step_require(s, MUST, MAY, MAY) ? step_done(s) : ADVANCE_FAIL;
}

/* The text of string @id, interned; NULL with the fault set if there is none. */
static const char *name_of(struct step *s, uint64_t id)
{
	size_t len;
	const char *text = tables_string(s->tables, id, &len);

	if (!text) {
		step_fail(s, "invalid string ID %llu for %u event", (unsigned long long)id,
			  s->ev->type);
		return NULL;
	}
	return strset_add(s->o->names, text, len);
}

enum advance step_task_begin(struct step *s)
{
	uint64_t id = s->ev->args[0];
	struct order_task *task;
	const char *name;

	if (map64_get(&s->o->tasks, id))
		return step_fail(s, "task ID conflict: %llu", (unsigned long long)id);
	if (!s->ev->args[1])
		s->ev->args[1] = TRACEV2_NO_ID;
	name = name_of(s, s->ev->args[2]);
	if (!name || !step_require_user(s))
		return ADVANCE_FAIL;
	task = xcalloc(1, sizeof(*task));
	task->name = s->ev->text = name;
	task->parent = s->ev->args[1];
	*map64_put(&s->o->tasks, id, NULL) = (uintptr_t)task;
	return step_done(s);
}

/* A task may end in a later generation, whose strings lack its name, or end unbegun. */
enum advance step_task_end(struct step *s)
{
	uint64_t *found = map64_get(&s->o->tasks, s->ev->args[0]);

	if (!step_require_user(s))
		return ADVANCE_FAIL;
	s->ev->args[2] = TRACEV2_NO_ID;
	s->ev->text = NULL;
	if (found) {
		struct order_task *task = (struct order_task *)(uintptr_t)*found;

		s->ev->args[2] = task->parent;
		s->ev->text = task->name;
		map64_del(&s->o->tasks, s->ev->args[0]);
		free(task);
	}
	return step_done(s);
}

/* The current goroutine and the name of the region; NULL with the fault set. */
static struct order_g *region_context(struct step *s, const char **name)
{
	struct order_g *g;

	if (!step_require_user(s))
		return NULL;
	*name = name_of(s, s->ev->args[1]);
	if (!*name)
		return NULL;
	g = step_g(s);
	if (!g)
		step_fail(s, "encountered %s without known state for current goroutine %lld",
			  step_name(s), (long long)s->cur.g);
	return g;
}

enum advance step_region_begin(struct step *s)
{
	struct order_region *region;
	const char *name;
	struct order_g *g = region_context(s, &name);

	if (!g)
		return ADVANCE_FAIL;
	region = vec_push(&g->regions, sizeof(*region));
	region->task = s->ev->args[0];
	region->name = name;
	return step_done(s);
}

/* Regions nest. One that ends unbegun began before the trace. */
enum advance step_region_end(struct step *s)
{
	const struct order_region *inner;
	const char *name;
	struct order_g *g = region_context(s, &name);

	if (!g)
		return ADVANCE_FAIL;
	if (!g->regions.len)
		return step_done(s);
	inner = vec_at(&g->regions, struct order_region, g->regions.len - 1);
	if (inner->task != s->ev->args[0] || inner->name != name)
		return step_fail(s, "misuse of region in goroutine %lld: region end {%llu %.60s}"
				 " when the inner-most active region start event is {%llu %.60s}",
				 (long long)g->id, (unsigned long long)s->ev->args[0], name,
				 (unsigned long long)inner->task, inner->name);
	g->regions.len--;
	return step_done(s);
}
