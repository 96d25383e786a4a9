// SPDX-License-Identifier: Apache-2.0
/* charts: what changes over the time of a trace, a line of small bars each. See parts.h. */
#include <inttypes.h>

#include "cmd/report/parts.h"
#include "base/units.h"

enum { COLUMNS = 64 };

/* Eighths of a bar, from nothing to full. */
static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

struct chart {
	double values[COLUMNS];
	uint32_t n;
	double full;		/* the value of a full bar */
	double mean;
};

static void print_bars(const struct chart *c, FILE *f)
{
	uint32_t i;

	fputc('|', f);
	for (i = 0; i < c->n; i++) {
		double part = c->full > 0 ? c->values[i] / c->full : 0;
		int eighths = (int)(part * 8 + 0.5);

		if (!eighths && c->values[i] > 0)
			eighths = 1;
		fputs(bars[eighths > 8 ? 8 : eighths < 0 ? 0 : eighths], f);
	}
	fputc('|', f);
}

/* Buckets of the timeline in a column, so that all fit. */
static uint32_t per_column(const struct timeline *t)
{
	return (t->used + COLUMNS - 1) / COLUMNS;
}

static struct chart means(const struct trace_row *trace, enum timeline_row row)
{
	const struct timeline *t = trace->timeline;
	uint32_t per = per_column(t), i;
	double sum[COLUMNS] = {0}, width[COLUMNS] = {0}, all = 0, length = 0;
	struct chart c = {0};

	for (i = 0; per && i < t->used; i++) {
		sum[i / per] += (double)t->ns[row][i];
		width[i / per] += (double)timeline_width(t, i, trace->last);
	}
	c.n = per ? (t->used + per - 1) / per : 0;
	for (i = 0; i < c.n; i++) {
		c.values[i] = width[i] > 0 ? sum[i] / width[i] : 0;
		if (c.values[i] > c.full)
			c.full = c.values[i];
		all += sum[i];
		length += width[i];
	}
	c.mean = length > 0 ? all / length : 0;
	return c;
}

/* Where a column has no value the one before goes on. */
static struct chart largest(const struct trace_row *trace, enum timeline_metric metric)
{
	const struct timeline *t = trace->timeline;
	uint32_t per = per_column(t), i;
	double before = 0;
	struct chart c = {0};

	c.n = per ? (t->used + per - 1) / per : 0;
	for (i = 0; per && i < t->used; i++) {
		const struct timeline_value *v = &t->values[metric][i];

		if (i % per == 0)
			c.values[i / per] = before;
		if (!v->count)
			continue;
		if ((double)v->max > c.values[i / per])
			c.values[i / per] = (double)v->max;
		before = (double)v->last;
		if ((double)v->max > c.full)
			c.full = (double)v->max;
	}
	return c;
}

static void print_mean(const char *name, const struct trace_row *trace, enum timeline_row row,
		       double full, FILE *f)
{
	struct chart c = means(trace, row);
	double most = c.full;

	if (most <= 0)
		return;
	if (full > 0)
		c.full = full;
	fprintf(f, "   %-22s", name);
	print_bars(&c, f);
	fprintf(f, " %.*f, at most %.*f", c.mean < 9.95 ? 2 : 0, c.mean, most < 9.95 ? 2 : 0, most);
	if (full > 0)
		fprintf(f, " of %.0f", full);
	fputc('\n', f);
}

static void print_largest(const char *name, const struct trace_row *trace,
			  enum timeline_metric metric, double full, FILE *f)
{
	struct chart c = largest(trace, metric);
	double most = c.full;

	if (most <= 0)
		return;
	if (full > c.full)
		c.full = full;
	fprintf(f, "   %-22s", name);
	print_bars(&c, f);
	fprintf(f, " at most %s\n", unit_bytes((uint64_t)most).text);
}

static void report_charts_print_trace(const struct trace_row *trace, FILE *f)
{
	double procs = (double)trace->gomaxprocs_max;
	double heap = (double)(trace->heap_goal_max > trace->heap_live_max ? trace->heap_goal_max :
			       trace->heap_live_max);
	const struct timeline *t = trace->timeline;

	fprintf(f, "the mean, and the highest column; a column is %s\n",
		unit_time((int64_t)((uint64_t)per_column(t) << t->shift)).text);
	print_mean("Ps with a thread", trace, TIMELINE_PROCS, procs, f);
	print_mean("running goroutines", trace, TIMELINE_RUNNING, procs, f);
	print_mean("  of these, the GC's", trace, TIMELINE_GC, procs, f);
	print_mean("waiting for a P", trace, TIMELINE_RUNNABLE, 0, f);
	print_mean("in system calls", trace, TIMELINE_SYSCALL, procs, f);
	print_mean("  without a P", trace, TIMELINE_SYSCALL_BLOCKED, 0, f);
	print_mean("stopped world", trace, TIMELINE_STW, 1, f);
	print_mean("goroutines", trace, TIMELINE_GOROUTINES, 0, f);
	print_largest("heap", trace, TIMELINE_HEAP_LIVE, heap, f);
	print_largest("heap goal", trace, TIMELINE_HEAP_GOAL, heap, f);
}

void report_print_charts(const struct trace_report *r, FILE *f)
{
	size_t i;

	for (i = 0; i < r->tables->traces.len; i++) {
		const struct trace_row *trace = vec_at(&r->tables->traces, struct trace_row, i);

		fputs("\nOVER TIME: ", f);
		if (r->tables->traces.len > 1)
			fprintf(f, "trace %zu, ", i + 1);
		report_charts_print_trace(trace, f);
	}
}
