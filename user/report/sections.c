// SPDX-License-Identifier: Apache-2.0
/*
 * sections: regions and tasks by type, and what their goroutine did meanwhile: its sums at the end
 * minus its sums at the begin. Nested sections, and many sections at one time, therefore cost no
 * more than others. Part of tables.c.
 */
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"

enum { SNAPSHOT_BYTES = 32 << 20 };

/* --- snapshots --- */

static size_t size_of(const struct snapshot *s)
{
	return sizeof(*s) + s->sums.cap * sizeof(*s->sums.waits);
}

static struct snapshot sections_take(struct tables *t, const struct goroutine *g, int64_t time)
{
	struct snapshot s = {0};

	if (t->state->snapshots >= SNAPSHOT_BYTES)
		return s;
	s.sums = tally_sums(t, g, time);
	s.there = true;
	t->state->snapshots += size_of(&s);
	return s;
}

static void sections_drop(struct tables *t, struct snapshot *s)
{
	if (s->there)
		t->state->snapshots -= size_of(s);
	sums_free(&s->sums);
}

/* Sets @s to the sums of the goroutine since @s was taken. */
static void sections_since(struct tables *t, const struct goroutine *g, struct snapshot *s,
			   int64_t time)
{
	struct sums now = tally_sums(t, g, time);

	t->state->snapshots -= size_of(s);
	sums_subtract(&s->sums, &now);
	t->state->snapshots += size_of(s);
	sums_free(&now);
}

/* --- rows --- */

static struct type_row *type_row(struct rows *rows, struct vec *vec, const char *type,
				 uint32_t stack)
{
	struct type_row *row;
	bool is_new;
	uint32_t n = rows_find(rows, vec, sizeof(*row), TABLES_TYPES, &type, &is_new);

	row = vec_at(vec, struct type_row, n - 1);
	if (is_new) {
		row->type = type;
		row->others = rows_is_others(type);
		row->stack = row->others ? 0 : stack;
	}
	return row;
}

static void add_ns(struct stay_sums *s, uint32_t stay, int64_t ns)
{
	if (stay >= s->n) {
		s->ns = xrealloc(s->ns, stay + 1, sizeof(*s->ns));
		memset(s->ns + s->n, 0, (stay + 1 - s->n) * sizeof(*s->ns));
		s->n = stay + 1;
	}
	if (__builtin_add_overflow(s->ns[stay], ns, &s->ns[stay]))
		s->ns[stay] = INT64_MAX;
}

static void add_sums(struct type_row *row, const struct sums *s)
{
	uint32_t i;

	for (i = 0; i < STAY_LINUX; i++)
		if (s->ns[i])
			add_ns(&row->sums, i, s->ns[i]);
	for (i = 0; i < s->nwaits; i++)
		if (s->waits[i].ns)
			add_ns(&row->sums, s->waits[i].stay, s->waits[i].ns);
}

static void sections_count(struct type_row *row, const struct moment *m)
{
	if (!m->open) {
		dist_add_of(&row->whole, m->to - m->from, m->g, m->from, m->trace);
		return;
	}
	row->open++;
	row->open_ns += m->to - m->from;
}

static void sections_unwatched(struct type_row *row, int64_t ns)
{
	row->unwatched++;
	row->unwatched_ns += ns;
}

/* --- regions --- */

static void sections_add_region(struct tables *t, const struct region_span *region,
				struct snapshot *s)
{
	struct type_row *row =
		type_row(&t->state->regions, &t->regions, region->type, region->stack);
	struct moment m = {
		.from = region->from,
		.to = region->to,
		.g = region->g->id,
		.function = region->g->name,
		.text = row->type,
		.stack = region->stack,
		.trace = t->state->trace,
		.open = region->open_begin || region->open_end,
	};

	sections_count(row, &m);
	longest_add(&t->region, t->options.top, &m);
	if (s->there) {
		sections_since(t, region->g, s, region->to);
		add_sums(row, &s->sums);
	} else {
		sections_unwatched(row, m.to - m.from);
	}
}

static struct vec *vec_in(struct vec **vec)
{
	if (!*vec)
		*vec = xcalloc(1, sizeof(**vec));
	return *vec;
}

void section_region_begin(void *ctx, const struct region_span *region)
{
	struct tables *t = ctx;
	struct vec *open = vec_in(&tables_tally_of(t, region->g)->regions);
	struct snapshot s = sections_take(t, region->g, region->from);

	*(struct snapshot *)vec_push(open, sizeof(s)) = s;
}

/*
 * Returns the sums of the goroutine at the begin of the region. They are 0 for a region from before
 * the trace: it counts from the time at which its goroutine became known.
 */
static struct snapshot sections_begin_of(struct tables *t, const struct region_span *region)
{
	struct vec *open = tables_tally_of(t, region->g)->regions;
	struct snapshot none = { .there = true };

	if (!region->open_begin && open && open->len)
		return *vec_at(open, struct snapshot, --open->len);
	t->state->snapshots += size_of(&none);
	return none;
}

void section_region(void *ctx, const struct region_span *region)
{
	struct tables *t = ctx;
	struct snapshot s = sections_begin_of(t, region);

	if (labelled_has(t->options.only, region->g))
		sections_add_region(t, region, &s);
	sections_drop(t, &s);
}

/* --- tasks --- */

static struct open_task *find_task(struct tables *t, uint64_t id)
{
	uint64_t *found = map64_get(&t->state->open_tasks, id);

	return found ? (struct open_task *)(uintptr_t)*found : NULL;
}

static void leave_goroutine(struct tables *t, const struct open_task *task)
{
	struct vec *tasks = vec_at(&t->state->tallies, struct tally, task->slot)->tasks;
	struct open_task **place = vec_at(tasks, struct open_task *, task->place);

	*place = *vec_at(tasks, struct open_task *, --tasks->len);
	(*place)->place = task->place;
}

static void drop_task(struct tables *t, struct open_task *task)
{
	if (!task->done)
		leave_goroutine(t, task);
	map64_del(&t->state->open_tasks, task->id);
	sections_drop(t, &task->at);
	free(task);
}

void section_task_begin(void *ctx, const struct task_span *span)
{
	struct tables *t = ctx;
	struct goroutine *g = spans_goroutine(t->spans, span->g);
	struct open_task *task = find_task(t, span->id);
	struct vec *tasks;

	if (task)
		drop_task(t, task);
	if (!g || t->state->open_tasks.len >= TABLES_OPEN)
		return;
	tasks = vec_in(&tables_tally_of(t, g)->tasks);
	task = xcalloc(1, sizeof(*task));
	*task = (struct open_task){
		.id = span->id, .slot = g->slot, .g = g, .place = (uint32_t)tasks->len
	};
	task->at = sections_take(t, g, span->from);
	*(struct open_task **)vec_push(tasks, sizeof(task)) = task;
	*map64_put(&t->state->open_tasks, span->id, NULL) = (uintptr_t)task;
}

static void free_regions(struct tables *t, struct tally *tally)
{
	while (tally->regions && tally->regions->len)
		sections_drop(t, vec_at(tally->regions, struct snapshot, --tally->regions->len));
	if (tally->regions)
		vec_free(tally->regions);
	free(tally->regions);
	tally->regions = NULL;
}

void sections_goroutine_end(struct tables *t, const struct goroutine *g, int64_t time)
{
	struct tally *tally = tables_tally_of(t, g);
	struct vec *tasks = tally->tasks;
	size_t i;

	free_regions(t, tally);
	for (i = 0; tasks && i < tasks->len; i++) {
		struct open_task *task = *vec_at(tasks, struct open_task *, i);

		task->done = true;
		if (task->at.there)
			sections_since(t, g, &task->at, time);
	}
	if (tasks)
		vec_free(tasks);
	free(tasks);
	tally->tasks = NULL;
}

static void add_task(struct tables *t, struct type_row *row, const struct task_span *span,
		     struct open_task *task)
{
	int64_t ns = span->to - span->from;

	if (!task && !span->open_begin && span->g != TRACEV2_NO_ID)
		sections_unwatched(row, ns);
	else if (!task)
		row->elsewhere += ns;
	else if (!task->at.there)
		sections_unwatched(row, ns);
	if (!task || !task->at.there)
		return;
	if (!task->done)
		sections_since(t, task->g, &task->at, span->to);
	add_sums(row, &task->at.sums);
	row->elsewhere += ns - sums_states(&task->at.sums);
}

static void sections_add_task(struct tables *t, const struct task_span *span,
			      struct open_task *task)
{
	struct type_row *row = type_row(&t->state->tasks, &t->tasks, span->type, 0);
	const struct goroutine *g = task && !task->done ? task->g : NULL;
	struct moment m = {
		.from = span->from,
		.to = span->to,
		.g = span->g,
		.function = g ? g->name : "",
		.text = row->type,
		.trace = t->state->trace,
		.open = span->open_begin || span->open_end,
	};

	sections_count(row, &m);
	longest_add(&t->task, t->options.top, &m);
	add_task(t, row, span, task);
}

void section_task(void *ctx, const struct task_span *span)
{
	struct tables *t = ctx;
	struct open_task *task = find_task(t, span->id);

	if (labelled_task(t->options.only, span->id))
		sections_add_task(t, span, task);
	if (task)
		drop_task(t, task);
}

/* --- the end --- */

static void free_rows(struct vec *rows)
{
	size_t i;

	for (i = 0; i < rows->len; i++) {
		struct type_row *row = vec_at(rows, struct type_row, i);

		dist_free(&row->whole);
		free(row->sums.ns);
	}
	vec_free(rows);
}

void sections_free(struct tables *t)
{
	free_rows(&t->regions);
	free_rows(&t->tasks);
	map64_free(&t->state->open_tasks);
}
