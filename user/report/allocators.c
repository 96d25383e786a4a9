// SPDX-License-Identifier: Apache-2.0
/* allocators: see allocators.h. */
#include "report/allocators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"
#include "read/alloc.h"

/* The bytes of a normal distribution to both sides of its mean: 95 %. */
#define DEVIATIONS 1.96

/* Kinds of live samples of a trace that are known; the ends of others are foreign. */
enum { LIVE_MOST = 1 << 20 };

/* Rows by a key; the last one has those without room. */
struct allocator_table {
	struct map64 by_key;
	struct vec rows;	/* struct allocator */
};

struct allocators {
	struct spans *spans;
	struct allocator total;
	struct allocator_table functions, types;
	struct map64 by_stack;	/* number of the row of the stack's function, from 1 on */
	/* allocations of this trace that no end was found of, by allocators_key(): their number */
	struct map64 live;
	uint64_t cycles;	/* collections that began in this trace */
	uint64_t foreign;
	struct allocators_gc gc;
};

/* --- rows --- */

/* The number of the row, from 1 on. */
static uint32_t allocators_row(struct allocator_table *t, uint64_t key, const char *name)
{
	bool is_new;
	uint64_t *slot;
	struct allocator *row;

	if (t->rows.len >= ALLOCATORS_MOST && !map64_get(&t->by_key, key))
		return ALLOCATORS_MOST;
	slot = map64_put(&t->by_key, key, &is_new);
	if (!is_new)
		return (uint32_t)*slot;
	row = vec_push(&t->rows, sizeof(*row));
	*row = (struct allocator){ .name = name, .file = "", .caller = "" };
	if (t->rows.len == ALLOCATORS_MOST)
		row->name = ALLOCATORS_OTHERS;
	*slot = t->rows.len;
	return (uint32_t)t->rows.len;
}

static struct allocator *allocators_at(const struct allocator_table *t, uint32_t row)
{
	return vec_at(&t->rows, struct allocator, row - 1);
}

static uint32_t allocators_function_row(struct allocators *a, uint32_t stack)
{
	const struct stack_frame *leaf = stack_set_at(spans_stacks(a->spans), stack, 0);
	uint32_t own = spans_own_frame(a->spans, stack);
	const char *caller = own ? stack_set_at(spans_stacks(a->spans), stack, own)->func : "";
	uint64_t key = leaf ? (uintptr_t)leaf->func ^ hash64(own ? (uintptr_t)caller : 0) : 0;
	uint32_t n = allocators_row(&a->functions, key, leaf ? leaf->func : ALLOCATORS_UNKNOWN);
	struct allocator *row = allocators_at(&a->functions, n);

	if (leaf && !row->samples && strcmp(row->name, ALLOCATORS_OTHERS)) {
		row->file = leaf->file;
		row->line = leaf->line;
		row->caller = caller;
	}
	return n;
}

static struct allocator *allocators_by_function(struct allocators *a, uint32_t stack)
{
	bool is_new;
	uint64_t *slot = map64_put(&a->by_stack, stack, &is_new);
	uint32_t n;

	if (is_new) {
		n = allocators_function_row(a, stack);
		*slot = n;
	}
	return allocators_at(&a->functions, (uint32_t)*slot);
}

static struct allocator *allocators_by_type(struct allocators *a, const char *type)
{
	return allocators_at(&a->types,
			     allocators_row(&a->types, (uintptr_t)type,
					    *type ? type : ALLOCATORS_UNKNOWN));
}

/* --- events --- */

static void allocator_add(struct allocator *row, const struct alloc_event *e)
{
	double weight = alloc_weight(e->size, e->rate), size = (double)e->size;

	row->samples++;
	row->unscaled += !e->rate;
	row->objects += weight;
	row->bytes += weight * size;
	row->variance += weight * (weight - 1) * size * size;
}

static void allocator_free(struct allocator *row, const struct alloc_event *e)
{
	row->lives[e->collections < ALLOCATORS_LIVES ? e->collections : ALLOCATORS_LIVES]++;
	row->freed++;
}

/* What an end says of its allocation: stack, size, and the collections that had begun before it. */
static uint64_t allocators_key(const struct alloc_event *e, uint64_t cycles)
{
	return hash64(hash64(hash64(cycles) ^ e->stack) ^ e->size);
}

static void allocators_live(struct allocators *a, const struct alloc_event *e)
{
	uint64_t key = allocators_key(e, a->cycles);

	if (a->live.len < LIVE_MOST || map64_get(&a->live, key))
		++*map64_put(&a->live, key, NULL);
}

/* Is the allocation in this trace? That of an end in a part of a recording may be before it. */
static bool allocators_knows(struct allocators *a, const struct alloc_event *e)
{
	uint64_t key, *n;

	if (!e->collections || !e->stack || e->collections > a->cycles)
		return false;
	key = allocators_key(e, a->cycles - e->collections);
	n = map64_get(&a->live, key);
	if (n && !--*n)
		map64_del(&a->live, key);
	return n;
}

static void allocators_on_event(void *ctx, const struct trace_event *ev)
{
	((struct allocators *)ctx)->cycles += ev->type == EV_GCBegin;
}

static void allocators_on_trace(void *ctx, int64_t time)
{
	struct allocators *a = ctx;

	map64_clear(&a->live);
	a->cycles = 0;
}

static void allocators_on_alloc(void *ctx, const struct alloc_event *e)
{
	struct allocators *a = ctx;
	void (*add)(struct allocator *row, const struct alloc_event *e) =
		e->freed ? allocator_free : allocator_add;

	if (e->freed && !allocators_knows(a, e)) {
		a->foreign++;
		return;
	}
	if (!e->freed)
		allocators_live(a, e);
	add(&a->total, e);
	add(allocators_by_function(a, e->stack), e);
	add(allocators_by_type(a, e->type), e);
}

/* --- the collector --- */

static int64_t allocators_overlap(const struct range_span *range, int64_t from, int64_t to)
{
	return to - (range->from > from ? range->from : from);
}

/* A running span has ended; an assist of its goroutine may be open. */
static void allocators_on_span(void *ctx, const struct span *span)
{
	struct allocators *a = ctx;
	const struct vec *open = span->g->ranges;
	size_t i;

	if (span->state != GO_RUNNING)
		return;
	if (!strcmp(span->g->name, "runtime.gcBgMarkWorker"))
		a->gc.mark += span->to - span->from;
	else if (!strcmp(span->g->name, "runtime.bgsweep"))
		a->gc.sweep += span->to - span->from;
	for (i = 0; open && i < open->len; i++)
		if (vec_at(open, struct range_span, i)->scope == RESOURCE_GOROUTINE)
			a->gc.assist += allocators_overlap(vec_at(open, struct range_span, i),
							   span->from, span->to);
}

static void allocators_on_range(void *ctx, const struct range_span *range)
{
	struct allocators *a = ctx;
	const struct goroutine *g;

	if (range->scope == RESOURCE_PROC)
		a->gc.sweep += range->to - range->from;
	if (range->scope != RESOURCE_GOROUTINE)
		return;
	g = spans_goroutine(a->spans, range->id);
	if (g && g->now.state == GO_RUNNING && g->now.to == INT64_MAX)
		a->gc.assist += allocators_overlap(range, g->now.from, range->to);
}

struct allocators_gc allocators_gc(const struct allocators *a)
{
	return a->gc;
}

struct allocators *allocators_new(struct spans *s)
{
	struct allocators *a = xcalloc(1, sizeof(*a));

	a->spans = s;
	a->total.name = a->total.file = a->total.caller = "";
	spans_visit(s, &(struct spans_visitor){ .ctx = a, .trace_begin = allocators_on_trace,
					       .event = allocators_on_event,
					       .alloc = allocators_on_alloc,
					       .span = allocators_on_span,
					       .range = allocators_on_range });
	return a;
}

void allocators_free(struct allocators *a)
{
	if (!a)
		return;
	map64_free(&a->functions.by_key);
	map64_free(&a->types.by_key);
	map64_free(&a->by_stack);
	map64_free(&a->live);
	vec_free(&a->functions.rows);
	vec_free(&a->types.rows);
	free(a);
}

/* --- answers --- */

const struct allocator *allocators_total(const struct allocators *a)
{
	return &a->total;
}

uint64_t allocators_foreign(const struct allocators *a)
{
	return a->foreign;
}

static int allocators_by_bytes(const void *x, const void *y)
{
	const struct allocator *a = *(const struct allocator *const *)x;
	const struct allocator *b = *(const struct allocator *const *)y;

	return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

void allocators_rows(const struct allocators *a, bool by_type, struct vec *ret)
{
	const struct vec *rows = by_type ? &a->types.rows : &a->functions.rows;
	size_t i;

	for (i = 0; i < rows->len; i++)
		*(const struct allocator **)vec_push(ret, sizeof(void *)) =
			vec_at(rows, struct allocator, i);
	vec_sort(ret, sizeof(void *), allocators_by_bytes);
}

double allocator_error(const struct allocator *row)
{
	return DEVIATIONS * sqrt(row->variance);
}

unsigned int allocator_quantile(const struct allocator *row, double q)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 1; i <= ALLOCATORS_LIVES && row->freed; i++) {
		sum += row->lives[i];
		if ((double)sum >= q * (double)row->freed)
			return i;
	}
	return 0;
}
