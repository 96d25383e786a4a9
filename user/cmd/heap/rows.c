// SPDX-License-Identifier: Apache-2.0
/* rows: records as rows with their values. See view.h. */
#include <math.h>
#include <string.h>

#include "base/map64.h"
#include "base/saturate.h"
#include "cmd/heap/view.h"

static const struct heap_counts *rows_counts(const struct heap_view *v, const struct heap_record *r)
{
	return v->now ? &r->now : &r->published;
}

/* Programs have few sizes of objects: the last one's scale is kept. */
static double rows_scale(struct heap_view *v, uint64_t size)
{
	if (size != v->scaled_size) {
		v->scaled_size = size;
		v->scale = heap_scale(size, v->profile.rate);
	}
	return v->scale;
}

static void rows_memory_values(struct heap_view *v, struct heap_row *row)
{
	uint64_t size = row->record->size;
	double scale = rows_scale(v, size);
	struct heap_scaled all = heap_scaled(row->allocs, size, scale);
	struct heap_scaled inuse = heap_scaled(row->allocs - row->frees, size, scale);

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
}

void heap_sort_rows(struct heap_view *v)
{
	rows_sorted_by = v->form->shown;
	vec_sort(&v->rows, sizeof(struct heap_row), rows_larger_first);
}

void heap_view_free(struct heap_view *v)
{
	vec_free(&v->rows);
	heap_frames_free(v);
}
