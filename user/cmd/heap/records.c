// SPDX-License-Identifier: Apache-2.0
/*
 * records: each record with its stack, as /debug/pprof/heap?debug=1 and its like print it
 * (runtime/pprof: writeHeapInternal, writeProfileInternal), without the lines of runtime.MemStats.
 * See heap.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/show.h"
#include "cmd/heap/heap.h"

struct sampled {
	int64_t allocs, frees, alloc_bytes, free_bytes;
};

static struct sampled records_sampled(const struct heap_row *row)
{
	int64_t size = (int64_t)row->record->size;

	return (struct sampled){ row->allocs, row->frees, row->allocs * size, row->frees * size };
}

static void records_put_frame(struct heap_cmd *h, const struct heap_frame *f)
{
	struct symbol_function fn;
	uint64_t entry = 0;

	if (symbolizer_function(h->look.symbols, f->pc, &fn))
		entry = fn.entry;
	if (!*f->func) {
		printf("#\t0x%" PRIx64 "\n", f->pc);
		return;
	}
	printf("#\t0x%" PRIx64 "\t", f->pc);
	show_printf(stdout, "%s", f->func);
	printf("+0x%" PRIx64 "\t", entry ? f->pc - entry : 0);
	show_printf(stdout, "%s", f->file);
	printf(":%" PRIu32 "\n", f->line);
}

static void records_put_stack(struct heap_cmd *h, const struct heap_record *r)
{
	static struct heap_frame frames[HEAP_FRAMES];
	size_t n = heap_frames(&h->view, r, frames), i = heap_shown_frames(&h->view, frames, &n);

	for (; i < n; i++)
		records_put_frame(h, &frames[i]);
	putchar('\n');
}

static void records_put_pcs(const struct heap_cmd *h, const struct heap_record *r)
{
	const uint64_t *pcs = vec_at(&h->view.profile.pcs, uint64_t, r->first);
	uint32_t i;

	printf(" @");
	for (i = 0; i < r->n; i++)
		printf(" 0x%" PRIx64, pcs[i]);
	putchar('\n');
}

static void records_put_counts(const struct sampled *s)
{
	printf("%" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "]",
	       saturate_sub(s->allocs, s->frees), saturate_sub(s->alloc_bytes, s->free_bytes),
	       s->allocs, s->alloc_bytes);
}

static void records_put_memory(struct heap_cmd *h)
{
	struct sampled total = {0}, s;
	size_t i;

	for (i = 0; i < h->view.rows.len; i++) {
		s = records_sampled(vec_at(&h->view.rows, struct heap_row, i));
		total.allocs = saturate_add(total.allocs, s.allocs);
		total.frees = saturate_add(total.frees, s.frees);
		total.alloc_bytes = saturate_add(total.alloc_bytes, s.alloc_bytes);
		total.free_bytes = saturate_add(total.free_bytes, s.free_bytes);
	}
	printf("heap profile: ");
	records_put_counts(&total);
	printf(" @ heap/%" PRIu64 "\n", 2 * h->view.profile.rate);
	for (i = 0; i < h->view.rows.len; i++) {
		const struct heap_row *row = vec_at(&h->view.rows, struct heap_row, i);

		s = records_sampled(row);
		records_put_counts(&s);
		records_put_pcs(h, row->record);
		records_put_stack(h, row->record);
	}
	printf("\n# runtime.MemStats: not read, from outside of the program\n");
}

static void records_put_block(struct heap_cmd *h)
{
	size_t i;

	printf("--- %s:\ncycles/second=%.0f\n",
	       h->o->form->kind == HEAP_MUTEX ? "mutex" : "contention", h->view.ticks);
	if (h->o->form->kind == HEAP_MUTEX)
		printf("sampling period=%" PRIu64 "\n", h->view.profile.mutex_rate);
	for (i = 0; i < h->view.rows.len; i++) {
		const struct heap_row *row = vec_at(&h->view.rows, struct heap_row, i);

		printf("%" PRId64 " %" PRId64, row->record->cycles, row->allocs);
		records_put_pcs(h, row->record);
		records_put_stack(h, row->record);
	}
}

void heap_print_records(struct heap_cmd *h)
{
	if (h->o->form->kind == HEAP_MEMORY)
		records_put_memory(h);
	else
		records_put_block(h);
}
