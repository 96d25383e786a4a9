// SPDX-License-Identifier: Apache-2.0
/*
 * allocations: who allocates what the collector works for, by function and by type, from the
 * samples of group alloc (report/allocators.h). See parts.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/show.h"
#include "base/units.h"
#include "cmd/report/parts.h"

static bool report_has_allocations(const struct trace_report *r)
{
	return r->allocators && (allocators_total(r->allocators)->samples ||
				 allocators_foreign(r->allocators));
}

static int64_t allocations_gc_ns(const struct trace_report *r)
{
	struct allocators_gc gc = allocators_gc(r->allocators);

	return gc.mark + gc.assist + gc.sweep;
}

/* The part of the collector's time that the bytes of the row stand for, ns. */
static int64_t allocations_gc_of(const struct trace_report *r, const struct allocator *row)
{
	double all = allocators_total(r->allocators)->bytes;

	return all > 0 ? (int64_t)((double)allocations_gc_ns(r) * row->bytes / all) : 0;
}

/* --- text --- */

static void allocations_put_life(const struct allocator *row, FILE *f)
{
	unsigned int p50 = allocator_quantile(row, 0.5), p90 = allocator_quantile(row, 0.9);

	if (!row->freed) {
		fprintf(f, "%8s %6s %5s %5s", "0", "-", "-", "-");
		return;
	}
	fprintf(f, "%8s %6s %5u %5u", unit_count(row->freed).text,
		unit_share((double)row->lives[1], (double)row->freed).text, p50, p90);
}

static void allocations_put_row(const struct trace_report *r, const struct allocator *row, FILE *f)
{
	const struct allocator *all = allocators_total(r->allocators);

	fputs("   ", f);
	unit_name(f, row->name, 40);
	fprintf(f, " %9s %8s %6s %9s %8s%s ", unit_bytes((uint64_t)row->bytes).text,
		unit_bytes((uint64_t)allocator_error(row)).text,
		unit_share(row->bytes, all->bytes).text,
		unit_count((uint64_t)(row->objects + 0.5)).text, unit_count(row->samples).text,
		row->samples < ALLOCATORS_FEW ? "?" : " ");
	fprintf(f, "%8s ", unit_time(allocations_gc_of(r, row)).text);
	allocations_put_life(row, f);
	fputc('\n', f);
	if (*row->file) {
		fputs("      ", f);
		report_put_place(row->file, row->line, f);
		if (*row->caller)
			show_printf(f, ", called for %s", row->caller);
		fputc('\n', f);
	}
}

static void allocations_put_rows(const struct trace_report *r, bool by_type, FILE *f)
{
	struct vec rows = {0};
	size_t i;

	allocators_rows(r->allocators, by_type, &rows);
	fprintf(f, "   %-40s %9s %8s %6s %9s %9s %8s %8s %6s %5s %5s\n",
		by_type ? "by type" : "by function", "BYTES", "+-", "SHARE", "OBJECTS", "SAMPLES ",
		"GC CPU", "FREED", "AT 1ST", "P50", "P90");
	for (i = 0; i < rows.len && i < r->tables->options.top; i++)
		allocations_put_row(r, *vec_at(&rows, const struct allocator *, i), f);
	if (i < rows.len)
		fprintf(f, "   and %zu more; --top N shows them\n", rows.len - i);
	vec_free(&rows);
}

static void allocations_put_head(const struct trace_report *r, FILE *f)
{
	const struct allocator *all = allocators_total(r->allocators);
	struct allocators_gc gc = allocators_gc(r->allocators);

	fprintf(f, "\nALLOCATIONS, sampled by the runtime: %s in %s objects, by %s samples\n",
		unit_bytes((uint64_t)all->bytes).text,
		unit_count((uint64_t)(all->objects + 0.5)).text, unit_count(all->samples).text);
	fprintf(f, "   the collector worked %s of CPU time: marking %s, assists %s, sweeping %s; "
		"by bytes each row is the\n   cause of GC CPU of it. +-: the true value is nearer "
		"than that in 19 of 20 cases. ?: fewer than %d samples.\n",
		unit_time(allocations_gc_ns(r)).text, unit_time(gc.mark).text,
		unit_time(gc.assist).text, unit_time(gc.sweep).text, ALLOCATORS_FEW);
	fprintf(f, "   FREED: samples that were also freed in the trace, AT 1ST: by the first "
		"collection after the allocation, P50 and\n   P90: after so many collections.");
	fprintf(f, " Of %s freed ones the allocation is not in the trace.\n",
		unit_count(allocators_foreign(r->allocators)).text);
	if (all->unscaled)
		fprintf(f, "   %s samples count as one object each: their rate is not known\n",
			unit_count(all->unscaled).text);
}

void report_print_allocations(const struct trace_report *r, FILE *f)
{
	if (!report_has_allocations(r))
		return;
	allocations_put_head(r, f);
	allocations_put_rows(r, false, f);
	allocations_put_rows(r, true, f);
}

/* --- JSON --- */

static void allocations_json_numbers(struct json_out *j, const struct trace_report *r,
				     const struct allocator *row)
{
	json_put_count(j, "samples", row->samples);
	json_put_real(j, "bytes", row->bytes, 0);
	json_put_real(j, "bytes_error", allocator_error(row), 0);
	json_put_real(j, "objects", row->objects, 0);
	json_put_real(j, "gc_seconds", (double)allocations_gc_of(r, row) / 1e9, 9);
	json_put_count(j, "freed", row->freed);
	if (!row->freed)
		return;
	json_put_count(j, "freed_at_first", row->lives[1]);
	json_put_count(j, "collections_p50", allocator_quantile(row, 0.5));
	json_put_count(j, "collections_p90", allocator_quantile(row, 0.9));
}

static void allocations_json_rows(struct json_out *j, const struct trace_report *r, bool by_type)
{
	struct vec rows = {0};
	size_t i;

	allocators_rows(r->allocators, by_type, &rows);
	json_open_array(j, by_type ? "by_type" : "by_function");
	for (i = 0; i < rows.len; i++) {
		const struct allocator *row = *vec_at(&rows, const struct allocator *, i);

		json_open_object(j, NULL);
		json_put_text(j, by_type ? "type" : "function", row->name);
		if (*row->file) {
			json_put_text(j, "file", row->file);
			json_put_count(j, "line", row->line);
		}
		if (*row->caller)
			json_put_text(j, "caller", row->caller);
		allocations_json_numbers(j, r, row);
		json_close_object(j);
	}
	json_close_array(j);
	vec_free(&rows);
}

void report_json_allocations(struct json_out *j, const struct trace_report *r)
{
	struct allocators_gc gc;

	if (!report_has_allocations(r))
		return;
	gc = allocators_gc(r->allocators);
	json_open_object(j, "allocations");
	allocations_json_numbers(j, r, allocators_total(r->allocators));
	json_put_count(j, "unscaled", allocators_total(r->allocators)->unscaled);
	json_put_count(j, "freed_unknown", allocators_foreign(r->allocators));
	json_put_real(j, "mark_seconds", (double)gc.mark / 1e9, 9);
	json_put_real(j, "assist_seconds", (double)gc.assist / 1e9, 9);
	json_put_real(j, "sweep_seconds", (double)gc.sweep / 1e9, 9);
	allocations_json_rows(j, r, false);
	allocations_json_rows(j, r, true);
	json_close_object(j);
}
