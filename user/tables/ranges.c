// SPDX-License-Identifier: Apache-2.0
/* ranges: GC, stop-the-world, tasks, regions, logs, samples and metrics. Part of tableset.c. */
#include <string.h>

#include "read/labels.h"
#include "read/notes.h"
#include "tables/internal.h"

static void ranges_put_stw(struct tableset *t, const struct range_span *r)
{
	int64_t *row = tableset_new_row(t, TABLE_STW);

	row[COLUMN_OF(STW, TS)] = tableset_time(t, r->from);
	row[COLUMN_OF(STW, DUR)] = cell_length(r->from, r->to);
	row[COLUMN_OF(STW, REASON)] = cell_word(r->reason);
	row[COLUMN_OF(STW, GOID)] = cell_id(r->scope == RESOURCE_GOROUTINE ? r->id : r->g);
	row[COLUMN_OF(STW, STACK)] = cell_stack(t, r->stack);
	row[COLUMN_OF(STW, OPEN_BEGIN)] = r->open_begin;
	row[COLUMN_OF(STW, OPEN_END)] = r->open_end;
	tableset_put_row(t, TABLE_STW);
}

static void ranges_put_gc(struct tableset *t, const struct range_span *r)
{
	int64_t *row = tableset_new_row(t, TABLE_GC);

	row[COLUMN_OF(GC, TS)] = tableset_time(t, r->from);
	row[COLUMN_OF(GC, DUR)] = cell_length(r->from, r->to);
	row[COLUMN_OF(GC, NAME)] = cell_text(r->name);
	row[COLUMN_OF(GC, GOID)] = cell_id(r->scope == RESOURCE_GOROUTINE ? r->id : r->g);
	if (r->scope == RESOURCE_PROC) {
		row[COLUMN_OF(GC, P)] = (int64_t)r->id;
		row[COLUMN_OF(GC, SWEPT)] = (int64_t)r->attrs[0];
		row[COLUMN_OF(GC, RECLAIMED)] = (int64_t)r->attrs[1];
	}
	row[COLUMN_OF(GC, STACK)] = cell_stack(t, r->stack);
	row[COLUMN_OF(GC, OPEN_BEGIN)] = r->open_begin;
	row[COLUMN_OF(GC, OPEN_END)] = r->open_end;
	tableset_put_row(t, TABLE_GC);
}

static void ranges_on_range_span(void *ctx, const struct range_span *r)
{
	(strcmp(r->name, "stop-the-world") ? ranges_put_gc : ranges_put_stw)(ctx, r);
}

static void ranges_on_task_span(void *ctx, const struct task_span *s)
{
	struct tableset *t = ctx;
	int64_t *row = tableset_new_row(t, TABLE_TASK);

	row[COLUMN_OF(TASK, TS)] = tableset_time(t, s->from);
	row[COLUMN_OF(TASK, DUR)] = cell_length(s->from, s->to);
	row[COLUMN_OF(TASK, ID)] = (int64_t)s->id;
	/* 0: the background task, which is no task (runtime/trace) */
	row[COLUMN_OF(TASK, PARENT)] = s->parent ? cell_id(s->parent) : TABLE_NULL;
	row[COLUMN_OF(TASK, TYPE)] = s->open_begin ? TABLE_NULL : cell_text(s->type);
	row[COLUMN_OF(TASK, GOID)] = cell_id(s->g);
	row[COLUMN_OF(TASK, OPEN_BEGIN)] = s->open_begin;
	row[COLUMN_OF(TASK, OPEN_END)] = s->open_end;
	tableset_put_row(t, TABLE_TASK);
}

static void ranges_on_region_span(void *ctx, const struct region_span *r)
{
	struct tableset *t = ctx;
	int64_t *row = tableset_new_row(t, TABLE_REGION);

	row[COLUMN_OF(REGION, TS)] = tableset_time(t, r->from);
	row[COLUMN_OF(REGION, DUR)] = cell_length(r->from, r->to);
	row[COLUMN_OF(REGION, GOID)] = (int64_t)r->g->id;
	row[COLUMN_OF(REGION, TASK)] = r->task ? cell_id(r->task) : TABLE_NULL;
	row[COLUMN_OF(REGION, TYPE)] = cell_text(r->type);
	row[COLUMN_OF(REGION, DEPTH)] = r->depth;
	row[COLUMN_OF(REGION, STACK)] = cell_stack(t, r->stack);
	row[COLUMN_OF(REGION, OPEN_BEGIN)] = r->open_begin;
	row[COLUMN_OF(REGION, OPEN_END)] = r->open_end;
	tableset_put_row(t, TABLE_REGION);
}

static void ranges_on_log_event(void *ctx, int64_t time, uint64_t g, uint64_t task,
				const char *category, const char *message)
{
	struct tableset *t = ctx;
	int64_t *row;

	if (!strcmp(category, LABELS_CATEGORY))
		return;
	if (!strcmp(category, NOTES_CATEGORY)) {
		losses_note(t, tableset_time(t, time), message);
		return;
	}
	row = tableset_new_row(t, TABLE_LOG);
	row[COLUMN_OF(LOG, TS)] = tableset_time(t, time);
	row[COLUMN_OF(LOG, GOID)] = cell_id(g);
	row[COLUMN_OF(LOG, TASK)] = task ? cell_id(task) : TABLE_NULL;
	row[COLUMN_OF(LOG, CATEGORY)] = cell_text(category);
	row[COLUMN_OF(LOG, MESSAGE)] = cell_text(message);
	tableset_put_row(t, TABLE_LOG);
}

static void ranges_on_cpu_sample(void *ctx, const struct trace_event *ev, uint32_t stack)
{
	struct tableset *t = ctx;
	struct goroutine *g = ev->g == TRACEV2_NO_ID ? NULL : spans_goroutine(t->spans, ev->g);
	int64_t labels = g ? tableset_label_set(t, g->labels) : TABLE_NULL;
	int64_t *row = tableset_new_row(t, TABLE_SAMPLE);

	t->events++;
	row[COLUMN_OF(SAMPLE, TS)] = tableset_time(t, ev->time);
	row[COLUMN_OF(SAMPLE, GOID)] = cell_id(ev->g);
	row[COLUMN_OF(SAMPLE, TID)] = cell_id(ev->m);
	row[COLUMN_OF(SAMPLE, P)] = cell_id(ev->p);
	row[COLUMN_OF(SAMPLE, STACK)] = cell_stack(t, stack);
	row[COLUMN_OF(SAMPLE, LABELS)] = labels;
	tableset_put_row(t, TABLE_SAMPLE);
	if (ev->m != TRACEV2_NO_ID)
		threads_seen(t, ev->m, tableset_time(t, ev->time), tableset_time(t, ev->time));
}

static void ranges_on_value(void *ctx, int64_t time, const char *name, uint64_t value)
{
	struct tableset *t = ctx;
	int64_t *row = tableset_new_row(t, TABLE_METRIC);

	row[COLUMN_OF(METRIC, TS)] = tableset_time(t, time);
	row[COLUMN_OF(METRIC, NAME)] = cell_text(name);
	row[COLUMN_OF(METRIC, VALUE)] = value > INT64_MAX ? INT64_MAX : (int64_t)value;
	tableset_put_row(t, TABLE_METRIC);
}

const struct spans_visitor tableset_ranges = {
	.range = ranges_on_range_span,
	.region = ranges_on_region_span,
	.task = ranges_on_task_span,
	.log = ranges_on_log_event,
	.sample = ranges_on_cpu_sample,
	.metric = ranges_on_value,
};
