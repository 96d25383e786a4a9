// SPDX-License-Identifier: Apache-2.0
/* rounds: see rounds.h. */
#include "whatif/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* of the completions, in percent; TAIL_LEAST: so many durations have a 99th percentile */
enum { MEASURE_FROM = 10, MEASURE_TO = 80, MEASURE_LEAST = 10, TAIL_LEAST = 500 };

struct rounds_seeker {
	struct rounds *r;
	const struct programs *p;
	struct units *u;
	struct unit_spot spot;
	struct map64 tasks;	/* id of a task that has begun -> instance */
};

static uint32_t rounds_new(struct rounds *r)
{
	*(int64_t *)vec_push(&r->from, sizeof(int64_t)) = ROUND_NONE;
	*(int64_t *)vec_push(&r->to, sizeof(int64_t)) = ROUND_NONE;
	return (uint32_t)r->n++;
}

static void rounds_begin(struct rounds *r, uint32_t i, uint32_t op, int64_t time)
{
	r->begins[op] = i + 1;
	*vec_at(&r->from, int64_t, i) = time;
}

static void rounds_end(struct rounds *r, uint32_t i, uint32_t op, int64_t time)
{
	r->ends[op] = i + 1;
	*vec_at(&r->to, int64_t, i) = time;
}

/* --- lives of goroutines --- */

static void rounds_of_lives(struct rounds_seeker *k)
{
	uint32_t i;

	for (i = 1; i < k->p->ops.len; i++) {
		const struct op *op = op_at(k->p, i);
		const struct program *child;

		if (op->kind != OP_CREATE)
			continue;
		child = program_at(k->p, op->partner);
		if (child->name != k->spot.root || !child->last ||
		    op_at(k->p, child->last)->kind != OP_END)
			continue;
		rounds_begin(k->r, rounds_new(k->r), i, op->time);
		rounds_end(k->r, (uint32_t)k->r->n - 1, child->last,
			   op_at(k->p, child->last)->time);
	}
}

/* --- waits at one place --- */

/* The work of a request is named by the first of its stacks that has code of the program. */
static const char *rounds_handler(struct rounds_seeker *k, const struct op *op, const char *now)
{
	return now || !op->stack ? now : units_handler_at(k->u, op->stack);
}

static bool rounds_is_place(struct rounds_seeker *k, const struct op *op)
{
	return op->kind == OP_WAIT && op->by != ENDED_NEVER && op->stack &&
	       units_line_at(k->u, op->stack) == k->spot.at;
}

static void rounds_of_waits(struct rounds_seeker *k, const struct program *program)
{
	const char *handler = NULL;
	uint32_t i, before = 0;

	for (i = program->first; i; i = op_at(k->p, i)->next) {
		const struct op *op = op_at(k->p, i);
		int64_t ended = op->time + op->ns;

		if (!rounds_is_place(k, op)) {
			handler = rounds_handler(k, op, handler);
			continue;
		}
		if (before && (!k->spot.handler || handler == k->spot.handler)) {
			const struct op *first = op_at(k->p, before);

			rounds_begin(k->r, rounds_new(k->r), before, first->time + first->ns);
			rounds_end(k->r, (uint32_t)k->r->n - 1, i,
				   k->r->at_arrival ? op->time : ended);
		}
		before = i;
		handler = NULL;
	}
}

/* --- tasks and regions --- */

static void rounds_of_mark(struct rounds_seeker *k, const struct mark *mark, uint64_t key)
{
	uint64_t *open;

	if (strcmp(mark->type, k->spot.root))
		return;
	if (mark->begins) {
		open = map64_put(&k->tasks, key, NULL);
		*open = rounds_new(k->r);
		rounds_begin(k->r, (uint32_t)*open, mark->op, op_at(k->p, mark->op)->time);
		return;
	}
	open = map64_get(&k->tasks, key);
	if (!open)
		return;
	rounds_end(k->r, (uint32_t)*open, mark->op, op_at(k->p, mark->op)->time);
	map64_del(&k->tasks, key);
}

static void rounds_of_tasks(struct rounds_seeker *k)
{
	size_t i;

	for (i = 0; i < k->p->marks.len; i++) {
		const struct mark *mark = vec_at(&k->p->marks, struct mark, i);

		if (mark->task)
			rounds_of_mark(k, mark, mark->task);
	}
	map64_free(&k->tasks);
}

/* Regions of one goroutine are not open at one time: only outer ones have marks. */
static void rounds_of_regions(struct rounds_seeker *k, const struct program *program)
{
	uint32_t i;

	for (i = program->first; i; i = op_at(k->p, i)->next) {
		const struct op *op = op_at(k->p, i);
		const struct mark *mark = op->kind == OP_MARK ?
			vec_at(&k->p->marks, struct mark, op->partner) : NULL;

		if (mark && !mark->task)
			rounds_of_mark(k, mark, 1);
	}
	map64_free(&k->tasks);
}

/* --- all --- */

void rounds_find(struct rounds *r, const struct programs *p, struct units *u, size_t unit)
{
	struct rounds_seeker k = { .r = r, .p = p, .u = u, .spot = units_spot(u, unit) };
	bool waits = k.spot.kind == UNIT_ROUND || k.spot.kind == UNIT_REQUEST ||
		     k.spot.kind == UNIT_CYCLE;
	size_t i;

	*r = (struct rounds){ .at_arrival = k.spot.kind == UNIT_ROUND ||
					    k.spot.kind == UNIT_REQUEST };
	r->begins = xcalloc(p->ops.len, sizeof(uint32_t));
	r->ends = xcalloc(p->ops.len, sizeof(uint32_t));
	if (k.spot.kind == UNIT_GOROUTINE)
		rounds_of_lives(&k);
	if (k.spot.kind == UNIT_TASK)
		rounds_of_tasks(&k);
	for (i = 0; i < p->list.len; i++) {
		if (waits && program_at(p, (uint32_t)i)->name == k.spot.root)
			rounds_of_waits(&k, program_at(p, (uint32_t)i));
		if (k.spot.kind == UNIT_REGION)
			rounds_of_regions(&k, program_at(p, (uint32_t)i));
	}
}

void rounds_free(struct rounds *r)
{
	free(r->begins);
	free(r->ends);
	vec_free(&r->from);
	vec_free(&r->to);
}

/* --- measuring --- */

static int rounds_by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static double rounds_quantile(const struct vec *sorted, double q)
{
	size_t at = (size_t)(q * (double)sorted->len);

	if (!sorted->len)
		return NAN;
	return (double)*vec_at(sorted, int64_t, at < sorted->len ? at : sorted->len - 1);
}

static void rounds_durations(struct measured *m, const int64_t *from, const int64_t *to, size_t n)
{
	struct vec all = {0};
	size_t i;

	for (i = 0; i < n; i++)
		if (from[i] != ROUND_NONE && to[i] != ROUND_NONE && to[i] >= m->from &&
		    to[i] <= m->to)
			*(int64_t *)vec_push(&all, sizeof(int64_t)) = to[i] - from[i];
	vec_sort(&all, sizeof(int64_t), rounds_by_value);
	m->value[ROUNDS_P50] = rounds_quantile(&all, 0.5);
	if (all.len >= TAIL_LEAST / 10)
		m->value[ROUNDS_P90] = rounds_quantile(&all, 0.9);
	if (all.len >= TAIL_LEAST)
		m->value[ROUNDS_P99] = rounds_quantile(&all, 0.99);
	vec_free(&all);
}

/* The rate between two of the sorted completions @ends. */
static double rounds_rate(const struct vec *ends, size_t first, size_t last)
{
	int64_t ns = *vec_at(ends, int64_t, last) - *vec_at(ends, int64_t, first);

	return last > first && ns > 0 ? (double)(last - first) / (double)ns * 1e9 : NAN;
}

static void rounds_rates(struct measured *m, const struct vec *ends)
{
	size_t first = ends->len * MEASURE_FROM / 100, last = ends->len * MEASURE_TO / 100, i;

	m->n = last - first;
	m->from = *vec_at(ends, int64_t, first);
	m->to = *vec_at(ends, int64_t, last);
	m->value[ROUNDS_RATE] = rounds_rate(ends, first, last);
	for (i = 0; i < ROUNDS_PARTS; i++)
		m->parts[i] = rounds_rate(ends, first + m->n * i / ROUNDS_PARTS,
					  first + m->n * (i + 1) / ROUNDS_PARTS);
}

struct measured rounds_measure(const int64_t *from, const int64_t *to, size_t n, int64_t begin,
			       int64_t end)
{
	struct measured m = { .value = { NAN, NAN, NAN, NAN } };
	struct vec ends = {0};
	size_t i;

	for (i = 0; i < n; i++)
		if (to[i] != ROUND_NONE)
			*(int64_t *)vec_push(&ends, sizeof(int64_t)) = to[i];
	vec_sort(&ends, sizeof(int64_t), rounds_by_value);
	m.done = ends.len;
	if (ends.len >= MEASURE_LEAST) {
		rounds_rates(&m, &ends);
		rounds_durations(&m, from, to, n);
	}
	if (ends.len && end > begin)
		m.spread = (double)(*vec_at(&ends, int64_t, ends.len - 1) -
				    *vec_at(&ends, int64_t, 0)) / (double)(end - begin);
	vec_free(&ends);
	return m;
}
