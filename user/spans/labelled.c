// SPDX-License-Identifier: Apache-2.0
/* labelled: see labelled.h. */
#include "spans/labelled.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"

enum { PARENTS = 64 };	/* tasks around a task that are looked at */

struct labelled {
	struct spans *s;
	struct labels_asked asked;
	struct labels labels;
	struct map64 texts;	/* address of the labels of a goroutine -> 1 + do they match? */
	struct map64 parents;	/* id of an open task -> id of its parent, 0: none */
	struct map64 tasks;	/* ids of those that have the label */
	struct vec had;		/* bool, by slot of the goroutine */
	uint64_t ended;		/* a task that visitors may still ask about; 0: none */
};

bool labelled_is_valid(const char *label)
{
	const char *equals = strchr(label, '=');

	return equals && equals != label;
}

/* Equal labels have one address, and goroutines have few different ones. */
static bool labelled_match(struct labelled *l, const char *text)
{
	uint64_t *known;
	bool is_new;

	if (!*text)
		return false;
	known = map64_put(&l->texts, (uintptr_t)text, &is_new);
	if (is_new)
		*known = 1 + labels_have(&l->labels, text, strlen(text), &l->asked);
	return *known == 2;
}

static void labelled_mark(struct labelled *l, uint64_t task)
{
	const uint64_t *parent;
	int i;

	for (i = 0; i < PARENTS && task; i++) {
		parent = map64_get(&l->parents, task);
		if (!parent)
			return;
		map64_put(&l->tasks, task, NULL);
		task = *parent;
	}
}

static void labelled_forget(struct labelled *l)
{
	if (!l->ended)
		return;
	map64_del(&l->parents, l->ended);
	map64_del(&l->tasks, l->ended);
	l->ended = 0;
}

/* --- the visitor --- */

static bool *labelled_had_of(struct labelled *l, const struct goroutine *g)
{
	while (l->had.len <= g->slot)
		vec_push(&l->had, sizeof(bool));
	return vec_at(&l->had, bool, g->slot);
}

static void labelled_on_goroutine(void *ctx, struct goroutine *g)
{
	*labelled_had_of(ctx, g) = false;
}

static void labelled_on_task_begin(void *ctx, const struct task_span *t)
{
	const struct goroutine *g;
	struct labelled *l = ctx;

	labelled_forget(l);
	*map64_put(&l->parents, t->id, NULL) = t->parent == TRACEV2_NO_ID ? 0 : t->parent;
	g = spans_goroutine(l->s, t->g);
	if (g && labelled_match(l, g->labels))
		labelled_mark(l, t->id);
}

static void labelled_on_task(void *ctx, const struct task_span *t)
{
	struct labelled *l = ctx;

	labelled_forget(l);
	l->ended = t->id;
}

static void labelled_on_region_begin(void *ctx, const struct region_span *r)
{
	struct labelled *l = ctx;

	if (r->task && labelled_match(l, r->g->labels))
		labelled_mark(l, r->task);
}

static void labelled_on_log(void *ctx, int64_t time, uint64_t id, uint64_t task,
			    const char *category, const char *message)
{
	struct labelled *l = ctx;
	struct goroutine *g = spans_goroutine(l->s, id);
	size_t i;

	if (!g || strcmp(category, LABELS_CATEGORY) || !labelled_match(l, g->labels))
		return;
	*labelled_had_of(l, g) = true;
	for (i = 0; g->regions && i < g->regions->len; i++)
		labelled_mark(l, vec_at(g->regions, struct region_span, i)->task);
}

/* Without it messages about operations would take room among the texts (spans.h). */
static void labelled_on_op_log(void *ctx, int64_t time, uint64_t g, uint64_t task,
			       const char *category, const char *message)
{
}

static void labelled_on_trace(void *ctx, int64_t time)
{
	struct labelled *l = ctx;

	map64_clear(&l->parents);
	map64_clear(&l->tasks);
	l->ended = 0;
}

struct labelled *labelled_new(struct spans *s, const char *label)
{
	return labelled_new_all(s, &(struct labels_asked){ .label = { label }, .n = 1 });
}

struct labelled *labelled_new_all(struct spans *s, const struct labels_asked *labels)
{
	struct labelled *l = xcalloc(1, sizeof(*l));

	l->s = s;
	l->asked = *labels;
	spans_visit(s, &(struct spans_visitor){
		.ctx = l, .trace_begin = labelled_on_trace,
		.goroutine_begin = labelled_on_goroutine, .task_begin = labelled_on_task_begin,
		.task = labelled_on_task, .region_begin = labelled_on_region_begin,
		.log = labelled_on_log, .op_log = labelled_on_op_log });
	return l;
}

void labelled_leave(struct labelled *l)
{
	if (l)
		spans_leave(l->s, l);
}

void labelled_free(struct labelled *l)
{
	if (!l)
		return;
	labels_free(&l->labels);
	map64_free(&l->texts);
	map64_free(&l->parents);
	map64_free(&l->tasks);
	vec_free(&l->had);
	free(l);
}

/* --- questions --- */

bool labelled_has(struct labelled *l, const struct goroutine *g)
{
	return !l || labelled_match(l, g->labels);
}

bool labelled_had(struct labelled *l, const struct goroutine *g)
{
	return !l || *labelled_had_of(l, g) || labelled_match(l, g->labels);
}

bool labelled_task(const struct labelled *l, uint64_t task)
{
	return !l || map64_get(&l->tasks, task);
}
