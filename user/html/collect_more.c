// SPDX-License-Identifier: Apache-2.0
/* collect_more: tables by function and by stack, ranges, counters and notes. Part of collect.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html/collect_internal.h"
#include "read/labels.h"
#include "read/notes.h"

/* --- by function, by stack --- */

unsigned histogram_bucket(uint64_t ns)
{
	unsigned bits = ns ? 63 - (unsigned)__builtin_clzll(ns) : 0;
	unsigned half = bits ? (unsigned)(ns >> (bits - 1)) & 1 : 0;
	unsigned bucket = 2 * bits + half;

	return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

/*
 * Returns the function, which is added if it is new. Functions beyond the limit share the first
 * entry.
 */
struct function *collect_function(struct html *h, uint32_t name)
{
	uint64_t *number = map64_get(&h->function_numbers, name);
	struct function *f;

	if (number)
		return vec_at(&h->functions, struct function, *number);
	if (h->functions.len >= COLLECT_FUNCTIONS)
		return vec_at(&h->functions, struct function, 0);
	*map64_put(&h->function_numbers, name, NULL) = h->functions.len;
	f = vec_push(&h->functions, sizeof(*f));
	f->name = name;
	return f;
}

void collect_flame(struct html *h, enum flame_kind kind, uint32_t reason, uint32_t stack,
		   uint64_t ns)
{
	uint64_t key = (uint64_t)kind << 56 | (uint64_t)reason << 32 | stack, *number;
	struct flame *f;
	bool is_new;

	if (h->flames.len >= COLLECT_FLAME && !map64_get(&h->flame_numbers, key)) {
		h->flames_dropped++;
		return;
	}
	number = map64_put(&h->flame_numbers, key, &is_new);
	if (is_new) {
		*number = h->flames.len;
		f = vec_push(&h->flames, sizeof(*f));
		*f = (struct flame){ .kind = kind, .reason = reason, .stack = stack };
	}
	f = vec_at(&h->flames, struct flame, *number);
	f->ns += ns;
	f->n++;
}

void collect_sample(void *ctx, const struct trace_event *ev, uint32_t stack)
{
	struct html *h = ctx;

	h->samples++;
	collect_flame(h, FLAME_CPU, 0, stack, 0);
}

uint64_t collect_thread(struct html *h, uint64_t m)
{
	uint64_t *number;
	bool is_new;

	if (m == TRACEV2_NO_ID)
		return 0;
	number = map64_get(&h->thread_numbers, m);
	if (number)
		return *number;
	if (h->threads.len >= COLLECT_THREADS)
		return 0;
	number = map64_put(&h->thread_numbers, m, &is_new);
	*(uint64_t *)vec_push(&h->threads, sizeof(uint64_t)) = m;
	*(struct gap *)vec_push(&h->thread_lives, sizeof(struct gap)) =
		(struct gap){ INT64_MAX, INT64_MIN };
	return *number = h->threads.len;
}

uint64_t collect_thread_span(struct html *h, const struct span *span)
{
	uint64_t number = collect_thread(h, span->m);
	struct gap *life;

	if (!number)
		return 0;
	life = vec_at(&h->thread_lives, struct gap, number - 1);
	life->from = span->from < life->from ? span->from : life->from;
	life->to = span->to > life->to ? span->to : life->to;
	return number;
}

/* --- ranges, regions, tasks --- */

static int64_t collect_more_length_of(const struct object *o)
{
	return o->to - o->from;
}

static void collect_more_swap(struct object *a, struct object *b)
{
	struct object c = *a;

	*a = *b;
	*b = c;
}

static void collect_more_rise(struct object *heap, size_t i)
{
	for (; i && collect_more_length_of(&heap[i]) < collect_more_length_of(&heap[(i - 1) / 2]);
	     i = (i - 1) / 2)
		collect_more_swap(&heap[i], &heap[(i - 1) / 2]);
}

static void collect_more_sink(struct object *heap, size_t n)
{
	size_t i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n &&
		    collect_more_length_of(&heap[child + 1]) < collect_more_length_of(&heap[child]))
			child++;
		if (collect_more_length_of(&heap[i]) <= collect_more_length_of(&heap[child]))
			return;
		collect_more_swap(&heap[i], &heap[child]);
		i = child;
	}
}

static void collect_more_dropped(struct objects *list, const struct object *o)
{
	list->dropped++;
	if (collect_more_length_of(o) > list->dropped_longest)
		list->dropped_longest = collect_more_length_of(o);
}

static void collect_more_add_object(struct html *h, const struct object *o)
{
	static const uint32_t limits[OBJECTS] = {
		[OBJECT_GC] = 8000,    [OBJECT_STW] = 8000,   [OBJECT_ASSIST] = 12000,
		[OBJECT_SWEEP] = 6000, [OBJECT_RANGE] = 2000, [OBJECT_REGION] = 30000,
		[OBJECT_TASK] = 16000,
	};
	struct objects *list = &h->objects[o->kind];
	struct object *heap = list->v.data;

	if (list->v.len < limits[o->kind]) {
		*(struct object *)vec_push(&list->v, sizeof(*o)) = *o;
		collect_more_rise(list->v.data, list->v.len - 1);
		return;
	}
	if (collect_more_length_of(o) <= collect_more_length_of(&heap[0])) {
		collect_more_dropped(list, o);
		return;
	}
	collect_more_dropped(list, &heap[0]);
	heap[0] = *o;
	collect_more_sink(heap, list->v.len);
}

static enum object_kind collect_more_kind_of(const struct range_span *range)
{
	static const struct { const char *name; enum object_kind kind; } kinds[] = {
		{ "GC concurrent mark phase", OBJECT_GC }, { "stop-the-world", OBJECT_STW },
		{ "GC mark assist", OBJECT_ASSIST }, { "GC incremental sweep", OBJECT_SWEEP },
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(range->name, kinds[i].name, strlen(kinds[i].name)))
			return kinds[i].kind;
	return OBJECT_RANGE;
}

/*
 * Adds a range. Its goroutine is the one that assists; for a sweep, which belongs to a P, the one
 * that began the sweep.
 */
void collect_range(void *ctx, const struct range_span *range)
{
	struct html *h = ctx;
	struct object o = {
		.kind = (uint8_t)collect_more_kind_of(range),
		.name = collect_text(h, range->name),
		.reason = collect_text(h, range->reason),
		.stack = range->stack,
		.from = range->from,
		.to = range->to,
		.open_begin = range->open_begin,
		.open_end = range->open_end,
		.g = range->scope == RESOURCE_GOROUTINE ? range->id : range->g,
	};

	if (o.kind == OBJECT_STW)
		collect_longest(h->stw, o.from, o.to, o.g);
	collect_more_add_object(h, &o);
}

void collect_region(void *ctx, const struct region_span *region)
{
	struct html *h = ctx;

	collect_more_add_object(h, &(struct object){
					   .kind = OBJECT_REGION,
					   .name = collect_text(h, region->type),
					   .stack = region->stack,
					   .depth = region->depth,
					   .from = region->from,
					   .to = region->to,
					   .g = region->g->id,
					   .task = region->task,
					   .open_begin = region->open_begin,
					   .open_end = region->open_end,
				   });
}

void collect_task(void *ctx, const struct task_span *task)
{
	struct html *h = ctx;

	collect_more_add_object(h, &(struct object){
					   .kind = OBJECT_TASK,
					   .name = collect_text(h, task->type),
					   .from = task->from,
					   .to = task->to,
					   .g = task->g,
					   .task = task->id,
					   .parent = task->parent,
					   .open_begin = task->open_begin,
					   .open_end = task->open_end,
				   });
}

/* --- counters --- */

static void collect_more_fold(struct series *s)
{
	unsigned i;

	for (i = 0; i < SERIES_BUCKETS; i++) {
		unsigned a = 2 * i, b = a + 1;
		bool has_a = a < SERIES_BUCKETS && s->has[a],
		     has_b = b < SERIES_BUCKETS && s->has[b];

		s->more[i] = (a < SERIES_BUCKETS ? s->more[a] : 0) +
			     (b < SERIES_BUCKETS ? s->more[b] : 0);
		s->has[i] = has_a || has_b;
		if (!s->has[i])
			continue;
		s->low[i] = !has_b || (has_a && s->low[a] < s->low[b]) ? s->low[a] : s->low[b];
		s->high[i] = !has_b || (has_a && s->high[a] > s->high[b]) ? s->high[a] : s->high[b];
		s->last[i] = has_b ? s->last[b] : s->last[a];
	}
}

static unsigned collect_more_bucket_of(struct html *h, int64_t time)
{
	uint64_t since = time > h->first ? (uint64_t)(time - h->first) : 0;
	size_t i;

	while (since >> h->series_shift >= SERIES_BUCKETS) {
		for (i = 0; i < h->series.len; i++)
			collect_more_fold(*vec_at(&h->series, struct series *, i));
		h->series_shift++;
	}
	return (unsigned)(since >> h->series_shift);
}

static struct series *add_series(struct html *h, const char *name)
{
	struct series *s = xcalloc(1, sizeof(*s));

	s->name = collect_text(h, name);
	*(struct series **)vec_push(&h->series, sizeof(s)) = s;
	return s;
}

static void more_put(struct html *h, struct series *s, int64_t time, double value)
{
	unsigned i = collect_more_bucket_of(h, time);

	if (!s->has[i]) {
		s->has[i] = true;
		s->low[i] = s->high[i] = value;
	}
	if (value < s->low[i])
		s->low[i] = value;
	if (value > s->high[i])
		s->high[i] = value;
	s->last[i] = value;
}

/* Each name is a constant of the reader's table, which has only a few metrics. */
void collect_metric(void *ctx, int64_t time, const char *name, uint64_t value)
{
	struct html *h = ctx;
	uint32_t number = collect_text(h, name);
	size_t i;

	for (i = 0; i < h->series.len; i++)
		if ((*vec_at(&h->series, struct series *, i))->name == number)
			break;
	more_put(h,
		 i < h->series.len ? *vec_at(&h->series, struct series *, i) : add_series(h, name),
		 time, (double)value);
}

/*
 * Counts a change. A goroutine that is found has existed during events that were already counted:
 * it is added to each bucket from its begin on.
 */
static void collect_more_change(struct html *h, struct series **s, const char *name, int64_t *n,
				struct collect_change c)
{
	unsigned i = collect_more_bucket_of(h, c.time);

	if (!*s)
		*s = add_series(h, name);
	if (!c.found)
		*n += c.by;
	else
		(*s)->more[i] += c.by;
	if (!c.found)
		more_put(h, *s, c.time, (double)*n);
	else if (!i && !(*s)->has[0])
		more_put(h, *s, c.time, 0);
}

void collect_alive(struct html *h, struct collect_change c)
{
	collect_more_change(h, &h->alive_series, "goroutines", &h->alive, c);
}

void collect_runnable(struct html *h, struct collect_change c)
{
	collect_more_change(h, &h->runnable_series, "runnable goroutines", &h->runnable, c);
}

/* --- times that were not recorded --- */

/*
 * Adds a gap. All goroutines that ran have a wait for the same gap, with begins and ends that
 * differ by some ns.
 */
void collect_gap(struct html *h, int64_t from, int64_t to)
{
	struct gap *last = h->gaps.len ? vec_at(&h->gaps, struct gap, h->gaps.len - 1) : NULL;

	if (last && from <= last->to && to >= last->from) {
		if (from < last->from)
			last->from = from;
		if (to > last->to)
			last->to = to;
		return;
	}
	if (h->gaps.len < COLLECT_NOTES)
		*(struct gap *)vec_push(&h->gaps, sizeof(*last)) = (struct gap){ from, to };
}

/*
 * Parses a note like "lost 5 records on CPU 1 from 0.877067 s to 2.865531 s", with times since the
 * begin of the trace. A snapshot of a flight recording may begin later than the recording: " of
 * CLOCK_MONOTONIC" then follows, and the times are of that clock.
 */
static void more_lost(struct html *h, const char *message)
{
	unsigned long long n;
	unsigned cpu;
	double from, to;
	struct gap gap;
	int64_t begin;

	if (sscanf(message, "lost %llu records on CPU %u from %lf s to %lf s", &n, &cpu, &from,
		   &to) != 4)
		return;
	h->losses += n;
	begin = strstr(message, " of CLOCK_MONOTONIC") ? 0 : h->first;
	if (h->gaps.len >= COLLECT_NOTES || !(from >= 0 && to >= from && to < 1e9))
		return;
	gap = (struct gap){ begin + (int64_t)(from * 1e9), begin + (int64_t)(to * 1e9) };
	if (gap.from < h->first)
		gap.from = h->first;
	if (gap.to >= gap.from)
		*(struct gap *)vec_push(&h->gaps, sizeof(gap)) = gap;
}

void collect_origin(void *ctx, int64_t time, const char *text)
{
	struct html *h = ctx;

	origin_take(&h->origin, text);
}

/* There are far too many for marks on the timeline. */
void collect_alloc(void *ctx, const struct alloc_event *e)
{
}

void collect_log(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
		 const char *message)
{
	struct html *h = ctx;
	bool ours = !strcmp(category, NOTES_CATEGORY);

	if (!strcmp(category, LABELS_CATEGORY))
		return;
	if (ours)
		more_lost(h, message);
	if (h->notes.len >= COLLECT_NOTES) {
		h->notes_dropped++;
		return;
	}
	*(struct note *)vec_push(&h->notes, sizeof(struct note)) = (struct note){
		.time = time,
		.g = g,
		.ours = ours,
		.text = *category && !ours ? xasprintf("%.60s: %.400s", category, message) :
					     xasprintf("%.500s", message),
	};
}

void collect_free(struct html *h)
{
	size_t i;

	spill_free(&h->spool);
	map64_free(&h->text_numbers);
	map64_free(&h->function_numbers);
	map64_free(&h->flame_numbers);
	map64_free(&h->thread_numbers);
	map64_free(&h->procs);
	for (i = 0; i < OBJECTS; i++)
		vec_free(&h->objects[i].v);
	for (i = 0; i < h->series.len; i++)
		free(*vec_at(&h->series, struct series *, i));
	for (i = 0; i < h->notes.len; i++)
		free(vec_at(&h->notes, struct note, i)->text);
	origin_free(&h->origin);
	vec_free(&h->texts);
	vec_free(&h->rows);
	vec_free(&h->slots);
	vec_free(&h->functions);
	vec_free(&h->flames);
	vec_free(&h->series);
	vec_free(&h->threads);
	vec_free(&h->thread_lives);
	vec_free(&h->notes);
	vec_free(&h->gaps);
}

uint32_t collect_text(struct html *h, const char *text)
{
	bool is_new;
	uint64_t *number;

	if (!text || !*text)
		return 0;
	number = map64_get(&h->text_numbers, (uintptr_t)text);
	if (number)
		return (uint32_t)*number;
	if (h->texts.len >= COLLECT_TEXTS)
		return 1;
	number = map64_put(&h->text_numbers, (uintptr_t)text, &is_new);
	*number = h->texts.len;
	*(const char **)vec_push(&h->texts, sizeof(char *)) = text;
	return (uint32_t)*number;
}

void collect_longest(struct longest list[LONGEST], int64_t from, int64_t to, uint64_t g)
{
	int i;

	if (to - from <= list[LONGEST - 1].to - list[LONGEST - 1].from)
		return;
	for (i = LONGEST - 1; i && list[i - 1].to - list[i - 1].from < to - from; i--)
		list[i] = list[i - 1];
	list[i] = (struct longest){ from, to, g };
}
