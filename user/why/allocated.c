// SPDX-License-Identifier: Apache-2.0
/* allocated: see allocated.h. */
#include "why/allocated.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/alloc.h"

/* The samples and collections of a trace that are kept: of more, the older half is dropped. */
enum { SAMPLES_KEPT = 1 << 18, CYCLES_KEPT = 1 << 14 };

struct allocated_sample {
	int64_t time;
	uint64_t g;
	double bytes;
	uint32_t frame;
};

struct allocated {
	struct spans *spans;
	struct vec samples;	/* struct allocated_sample, by time */
	struct vec cycles;	/* int64_t: begins of collections */
	/* the last sample, and the last begin, that were dropped; INT64_MIN: none was */
	int64_t sample_dropped, cycle_dropped;
};

/* --- reading --- */

/* Each element begins with its time, or is that. */
static void *allocated_push(struct vec *v, size_t size, size_t most, int64_t *dropped)
{
	if (v->len >= most) {
		memcpy(dropped, (char *)v->data + (most / 2 - 1) * size, sizeof(*dropped));
		memmove(v->data, (char *)v->data + most / 2 * size, (v->len - most / 2) * size);
		v->len -= most / 2;
	}
	return vec_push(v, size);
}

static uint32_t allocated_frame(struct spans *s, uint32_t stack)
{
	uint32_t n, own = spans_own_frame(s, stack);
	const uint32_t *frames = stack_set_of(spans_stacks(s), stack, &n);

	return own < n ? frames[own] : 0;
}

static void allocated_on_alloc(void *ctx, const struct alloc_event *e)
{
	struct allocated *a = ctx;

	if (e->freed)
		return;
	*(struct allocated_sample *)allocated_push(&a->samples, sizeof(struct allocated_sample),
						   SAMPLES_KEPT,
						   &a->sample_dropped) = (struct allocated_sample){
		.time = e->time, .g = e->g, .frame = allocated_frame(a->spans, e->stack),
		.bytes = alloc_weight(e->size, e->rate) * (double)e->size,
	};
}

static void allocated_on_event(void *ctx, const struct trace_event *ev)
{
	struct allocated *a = ctx;

	if (ev->type == EV_GCBegin)
		*(int64_t *)allocated_push(&a->cycles, sizeof(int64_t), CYCLES_KEPT,
					   &a->cycle_dropped) = ev->time;
}

void allocated_trace(struct allocated *a)
{
	a->samples.len = a->cycles.len = 0;
	a->sample_dropped = a->cycle_dropped = INT64_MIN;
}

struct allocated *allocated_new(struct spans *s)
{
	struct allocated *a = xcalloc(1, sizeof(*a));

	a->spans = s;
	allocated_trace(a);
	spans_visit(s, &(struct spans_visitor){ .ctx = a, .alloc = allocated_on_alloc,
					       .event = allocated_on_event });
	return a;
}

void allocated_free(struct allocated *a)
{
	if (!a)
		return;
	vec_free(&a->samples);
	vec_free(&a->cycles);
	free(a);
}

/* --- answers --- */

static int allocated_by_bytes(const void *a, const void *b)
{
	const struct allocated_site *x = a, *y = b;

	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/* @index: number of the row by frame, from 1 on. */
static void allocated_add(struct allocated_sum *sum, struct map64 *index,
			  const struct allocated_sample *sample)
{
	bool is_new;
	uint64_t *slot = map64_put(index, sample->frame, &is_new);
	struct allocated_site *site;

	if (is_new) {
		site = vec_push(&sum->sites, sizeof(*site));
		*site = (struct allocated_site){ .frame = sample->frame };
		*slot = sum->sites.len;
	}
	site = vec_at(&sum->sites, struct allocated_site, *slot - 1);
	site->samples++;
	site->bytes += sample->bytes;
	sum->samples++;
	sum->bytes += sample->bytes;
}

/* @g TRACEV2_NO_ID: of all goroutines. */
static void allocated_fill(const struct allocated *a, int64_t from, int64_t to, uint64_t g,
			   struct allocated_sum *sum)
{
	struct map64 index = {0};
	size_t i;

	for (i = 0; i < a->samples.len; i++) {
		const struct allocated_sample *s =
			vec_at(&a->samples, struct allocated_sample, i);

		if (s->time >= from && s->time <= to && (g == TRACEV2_NO_ID || s->g == g))
			allocated_add(sum, &index, s);
	}
	map64_free(&index);
	vec_sort(&sum->sites, sizeof(struct allocated_site), allocated_by_bytes);
}

/*
 * The begin of the collection before the one that runs at @time: since then the program has
 * allocated what that one runs for.
 */
static int64_t allocated_since(const struct allocated *a, int64_t time)
{
	size_t i, n = 0;

	for (i = 0; i < a->cycles.len; i++)
		n += *vec_at(&a->cycles, int64_t, i) <= time;
	return n > 1 ? *vec_at(&a->cycles, int64_t, n - 2) : INT64_MIN;
}

/* Adds up the assists by goroutine; @first and @last get the begin and the end of all. */
static void allocated_assists(struct path *path, struct why_because *ret, int64_t *first,
			      int64_t *last)
{
	struct map64 by_g = {0};
	uint64_t *slot, most = 0;
	uint32_t i;

	for (i = 0; i < path->count; i++) {
		const struct step *step = store_at(path->steps, i);

		if (step->kind != STEP_ASSIST || step->side)
			continue;
		ret->assist += step->to - step->from;
		*first = step->from < *first ? step->from : *first;
		*last = step->to > *last ? step->to : *last;
		slot = map64_put(&by_g, step->g, NULL);
		*slot += (uint64_t)(step->to - step->from);
		if (*slot > most) {
			most = *slot;
			ret->g = step->g;
			ret->name = step->name;
		}
	}
	map64_free(&by_g);
}

void allocated_because(const struct allocated *a, struct path *path, struct why_because *ret)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	if (!path->steps)
		return;
	allocated_assists(path, ret, &first, &last);
	if (!ret->assist)
		return;
	ret->since = allocated_since(a, first);
	if (ret->since == INT64_MIN)
		ret->since = spans_first(a->spans);
	/* a sum of what is left would be too small, or begin at the wrong collection */
	if (ret->since <= a->sample_dropped || ret->since <= a->cycle_dropped)
		return;
	allocated_fill(a, ret->since, last, ret->g, &ret->own);
	allocated_fill(a, ret->since, last, TRACEV2_NO_ID, &ret->all);
}

void why_because_free(struct why_because *b)
{
	vec_free(&b->own.sites);
	vec_free(&b->all.sites);
}
