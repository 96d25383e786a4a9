// SPDX-License-Identifier: Apache-2.0
/* rows: records as rows: their values, the frames of their stacks. See view.h. */
#include <math.h>
#include <string.h>

#include "base/map64.h"
#include "base/saturate.h"
#include "cmd/heap/view.h"

/* --- values --- */

static const struct heap_counts *rows_counts(const struct heap_view *v, const struct heap_record *r)
{
	return v->now ? &r->now : &r->published;
}

static void rows_memory_values(struct heap_view *v, struct heap_row *row)
{
	struct heap_scaled all = heap_scale(row->allocs, row->record->size, v->profile.rate);
	struct heap_scaled inuse =
		heap_scale(row->allocs - row->frees, row->record->size, v->profile.rate);

	row->values[VALUE_ALLOC_OBJECTS] = all.objects;
	row->values[VALUE_ALLOC_SPACE] = all.bytes;
	row->values[VALUE_INUSE_OBJECTS] = inuse.objects;
	row->values[VALUE_INUSE_SPACE] = inuse.bytes;
}

/* Up to Go 1.19 the mutex profile has what was sampled; later releases scale it themselves. */
static double rows_mutex_scale(const struct heap_view *v)
{
	enum { MINOR_SCALED = 20 };

	return v->form->kind == HEAP_MUTEX && v->minor < MINOR_SCALED ?
		       (double)v->profile.mutex_rate :
		       1;
}

static int64_t rows_whole(double v)
{
	return v >= 9e18 ? INT64_MAX : v <= -9e18 ? INT64_MIN : (int64_t)v;
}

static void rows_block_values(struct heap_view *v, struct heap_row *row, double count,
			      double cycles)
{
	double scale = rows_mutex_scale(v);

	row->allocs = rows_whole(count);
	row->values[VALUE_CONTENTIONS] = rows_whole(floor(count) * scale);
	row->values[VALUE_DELAY] = rows_whole(cycles / (v->ticks / 1e9) * scale);
}

static void rows_put(struct heap_view *v, const struct heap_record *r,
		     const struct heap_record *old)
{
	const struct heap_counts *now = rows_counts(v, r);
	struct heap_counts was = {0};
	struct heap_row *row = vec_push(&v->rows, sizeof(*row));
	unsigned int i;

	if (old)
		was = *rows_counts(v, old);
	row->record = r;
	row->allocs = (int64_t)(now->allocs - was.allocs);
	row->frees = (int64_t)(now->frees - was.frees);
	if (v->form->kind == HEAP_MEMORY)
		rows_memory_values(v, row);
	else
		rows_block_values(v, row, r->count - (old ? old->count : 0),
				  (double)(r->cycles - (old ? old->cycles : 0)));
	for (i = 0; i < v->form->nvalues; i++)
		v->totals[i] = saturate_add(v->totals[i], row->values[i]);
}

static unsigned int rows_sorted_by;

static int rows_larger_first(const void *a, const void *b)
{
	const struct heap_row *x = a, *y = b;
	int64_t i = x->values[rows_sorted_by], j = y->values[rows_sorted_by];

	if (i == j)
		return (x->record->bucket > y->record->bucket) -
		       (x->record->bucket < y->record->bucket);
	return i < j ? 1 : -1;
}

void heap_make_rows(struct heap_view *v)
{
	struct map64 old = {0};
	const uint64_t *at;
	size_t i;

	for (i = 0; i < v->before.records.len; i++)
		*map64_put(&old, vec_at(&v->before.records, struct heap_record, i)->bucket, NULL) =
			i;
	for (i = 0; i < v->profile.records.len; i++) {
		const struct heap_record *r = vec_at(&v->profile.records, struct heap_record, i);

		at = map64_get(&old, r->bucket);
		rows_put(v, r, at ? vec_at(&v->before.records, struct heap_record, *at) : NULL);
	}
	map64_free(&old);
	rows_sorted_by = v->form->shown;
	vec_sort(&v->rows, sizeof(struct heap_row), rows_larger_first);
}

/* --- frames --- */

enum { CALLS = 128 };	/* more than SOURCE_MAX_INLINE frames of one address */

/* The frames of one return address, the innermost inlined call first: n of v->calls. */
struct calls {
	size_t first, n;
};

/* The records of a program have few addresses: each is looked up once. */
static struct calls rows_expand(struct heap_view *v, uint64_t pc)
{
	struct call found[CALLS];
	struct calls ret;
	bool is_new;
	uint64_t *at = map64_put(&v->by_pc, pc, &is_new);
	size_t i;

	if (is_new) {
		ret.first = v->calls.len;
		ret.n = symbolizer_calls(v->symbols, &pc, 1, found, CALLS);
		*at = ret.first * (CALLS + 1) + ret.n;
		for (i = 0; i < ret.n; i++)
			*(struct call *)vec_push(&v->calls, sizeof(*found)) = found[i];
	}
	return (struct calls){ *at / (CALLS + 1), *at % (CALLS + 1) };
}

static const struct call *rows_call(const struct heap_view *v, const struct calls *c, size_t i)
{
	return vec_at(&v->calls, struct call, c->first + i);
}

/* Are the frames of @inner from @k on those of @outer? */
static bool rows_continues(const struct heap_view *v, const struct calls *inner, size_t k,
			   const struct calls *outer)
{
	size_t i;

	if (!outer->n || inner->n - k != outer->n)
		return false;
	for (i = 0; i < outer->n; i++) {
		const struct frame *a = &rows_call(v, inner, k + i)->frame;
		const struct frame *b = &rows_call(v, outer, i)->frame;

		if (a->func != b->func || a->file != b->file || a->line != b->line)
			return false;
	}
	return true;
}

static void rows_put_frame(const struct call *c, uint64_t pc, struct heap_frame *out)
{
	*out = (struct heap_frame){ c->frame.func, c->frame.file, c->frame.line, pc - 1,
				    c->inlined };
}

/*
 * The stacks of the heap profile, and up to Go 1.22 all stacks, have an address for each inlined
 * call (runtime.callers), others have one for all calls that are inlined into one function
 * (fpTracebackPartialExpand). As runtime.CallersFrames does, this tells them apart by the next
 * address: whether it stands for the call around the inlined one.
 */
size_t heap_frames(struct heap_view *v, const struct heap_record *r,
		   struct heap_frame out[static HEAP_FRAMES])
{
	const uint64_t *pcs = vec_at(&v->profile.pcs, uint64_t, r->first);
	struct calls here, next = {0};
	size_t i, k, n = 0;

	if (r->n)
		next = rows_expand(v, pcs[0]);
	for (i = 0; i < r->n; i++) {
		here = next;
		next = (struct calls){0};
		if (i + 1 < r->n)
			next = rows_expand(v, pcs[i + 1]);
		for (k = 0; k < here.n && n < HEAP_FRAMES; k++) {
			if (k && rows_continues(v, &here, k, &next))
				break;
			rows_put_frame(rows_call(v, &here, k), pcs[i], &out[n++]);
		}
	}
	return n;
}

static bool rows_is_of_runtime(const char *func)
{
	return !strncmp(func, "runtime.", 8) || !strncmp(func, "internal/runtime/", 17);
}

size_t heap_shown_frames(const struct heap_view *v, const struct heap_frame *frames, size_t *n)
{
	size_t i;

	if (*n > 1 && !strcmp(frames[*n - 1].func, "runtime.goexit"))
		--*n;
	for (i = 0; i < *n && v->form->kind == HEAP_MEMORY; i++)
		if (!rows_is_of_runtime(frames[i].func))
			return i;
	return 0;
}

void heap_view_free(struct heap_view *v)
{
	vec_free(&v->rows);
	vec_free(&v->calls);
	map64_free(&v->by_pc);
}
