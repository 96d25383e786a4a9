// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_report: any bytes as a trace, added up into tables, twice, and judged. The states of each goroutine
 * must add up to its life, the buckets of a histogram to its count, and mutator utilisation must lie between 0 and 1.
 */
#include "fuzz.h"

#include "report/finding.h"
#include "report/tables.h"

static void look_at_dist(const struct dist *d)
{
	uint64_t n = 0;
	unsigned i;

	for (i = 0; i < DIST_BUCKETS; i++)
		n += dist_bucket(d, i);
	must(n == dist_sampled(d) && n <= d->count, "a histogram has what it counts");
	must(dist_quantile(d, 0.5) <= dist_quantile(d, 0.99) && dist_quantile(d, 1) == d->max,
	     "quantiles rise up to the maximum");
	must(d->sum >= d->max, "the sum has the maximum");
}

static void look_at_function(const struct tables *t, const struct function_row *row)
{
	uint32_t stay;

	must(row->states == row->life.sum, "states add up to lives");
	for (stay = 0; stay < tables_stays(t); stay++)
		look_at_dist(tables_dist(row, stay));
	look_at_dist(&row->life);
}

static void look_at_types(const struct vec *rows)
{
	size_t i;

	for (i = 0; i < rows->len; i++) {
		const struct type_row *row = vec_at(rows, struct type_row, i);
		uint32_t stay;

		look_at_dist(&row->whole);
		for (stay = 0; stay < row->sums.n; stay++)
			must(row->sums.ns[stay] >= 0, "no part of a region or task is negative");
		must(row->elsewhere >= 0, "no task has more than its time");
	}
}

static void look_at_mmu(const struct mmu *mmu)
{
	unsigned kind, w;

	for (kind = 0; kind < MMU_KINDS; kind++)
		for (w = 0; w < MMU_WINDOWS; w++) {
			const struct mmu_window *window = &mmu_curve(mmu, kind)->windows[w];

			must(!window->known || (window->min >= 0 && window->min <= 1.000001),
			     "utilisation is a part");
		}
}

static void look(const struct tables *t)
{
	size_t i;

	must(!t->unclosed, "states of a goroutine add up to its life");
	for (i = 0; i < t->functions.len; i++)
		look_at_function(t, vec_at(&t->functions, struct function_row, i));
	look_at_types(&t->regions);
	look_at_types(&t->tasks);
	for (i = 0; i < t->traces.len; i++)
		look_at_mmu(vec_at(&t->traces, struct trace_row, i)->mmu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spans *spans = spans_new();
	struct tables *t = tables_new(spans, &(struct tables_options){ .top = 2 });
	int i;

	for (i = 0; i < 2; i++) {
		struct error err;
		struct trace_reader *r = trace_reader_open_memory(data, size, &err);
		struct findings *f;

		if (!r)
			break;
		tables_trace(t, "fuzz");
		f = findings_new(spans);
		(void)spans_read(spans, r, &err);
		findings_finish(f);
		spans_leave(spans, f);
		findings_free(f);
		trace_reader_close(r);
	}
	look(t);
	tables_delete(t);
	spans_free(spans);
	return 0;
}
