// SPDX-License-Identifier: Apache-2.0
/*
 * tables: see tables.h. This file has the visitor; tally.c, sections.c and collector.c handle the
 * spans and ranges that it passes on.
 */
#include "report/tables.h"

#include <stdlib.h>
#include <string.h>

#include "read/labels.h"
#include "read/notes.h"
#include "report/internal.h"

/* --- the trace --- */

void tables_trace(struct tables *t, const char *name)
{
	struct trace_row *trace = vec_push(&t->traces, sizeof(*trace));

	trace->name = xstrdup(name);
	trace->timeline = xcalloc(1, sizeof(*trace->timeline));
	timeline_init(trace->timeline, 0);
	trace->mmu = mmu_new();
	t->state->trace = (uint32_t)t->traces.len - 1;
}

static void tables_trace_begin(void *ctx, int64_t time)
{
	struct tables *t = ctx;

	if (!t->traces.len)
		tables_trace(t, "");
	if (t->oncpu && !oncpu_begins(t->oncpu, time))
		t->oncpu = NULL;
	t->split |= t->oncpu != NULL;
	the_trace(t)->first = the_trace(t)->last = time;
	timeline_init(the_trace(t)->timeline, time);
	t->state->gap_to = time;
	t->state->alive = 0;
	t->state->from_begin = 0;
	t->state->tallies.len = 0;
}

static void tables_trace_end(void *ctx, int64_t time)
{
	struct tables *t = ctx;
	struct trace_row *trace = the_trace(t);

	trace->last = time;
	trace->goroutines_max += t->state->from_begin;
	mmu_end(trace->mmu, time);
}

static void tables_event(void *ctx, const struct trace_event *ev)
{
	struct trace_row *trace = the_trace(ctx);

	trace->events++;
	trace->kinds[view_kind(ev)]++;
	collector_event(ctx, ev);
}

static void tables_sample(void *ctx, const struct trace_event *ev, uint32_t stack)
{
	the_trace(ctx)->events++;
	the_trace(ctx)->samples++;
}

static void tables_log(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
		       const char *message)
{
	struct tables *t = ctx;
	struct goroutine *of;

	if (t->options.only && !strcmp(category, LABELS_CATEGORY)) {
		of = spans_goroutine(t->spans, g);
		if (of)
			tally_labels(t, of, time);
	}
	if (strcmp(category, NOTES_CATEGORY))
		return;
	t->notes_total++;
	if (t->notes.len < TABLES_NOTES)
		*(struct note *)vec_push(&t->notes, sizeof(struct note)) =
			(struct note){ message, time, t->state->trace };
}

/* Without it messages about operations would take room among the texts (spans.h). */
static void tables_op_log(void *ctx, int64_t time, uint64_t g, uint64_t task,
			  const char *category, const char *message)
{
}

static void tables_origin(void *ctx, int64_t time, const char *text)
{
	origin_take(&the_trace(ctx)->origin, text);
}

/* --- goroutines and Ps --- */

/*
 * Counts a goroutine. A goroutine that existed when the trace began first appears in the trace at
 * its first event, possibly long after the time with the largest number of goroutines: such
 * goroutines are counted in from_begin.
 */
static void tables_goroutine_begin(void *ctx, struct goroutine *g)
{
	struct tables *t = ctx;
	struct trace_row *trace = the_trace(t);

	if (g->since == trace->first)
		t->state->from_begin++;
	else if (++t->state->alive > (int64_t)trace->goroutines_max)
		trace->goroutines_max = (uint64_t)t->state->alive;
	tally_begin(t, g);
}

static void tables_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct tables *t = ctx;

	t->state->alive--;
	timeline_add(the_trace(t)->timeline, TIMELINE_GOROUTINES, g->since, time);
	sections_goroutine_end(t, g, time);
	tally_end(t, g, time, ended);
}

/*
 * Adds a gap. In a gap each goroutine has a wait, in most cases from its begin to its end: the time
 * of the gap counts once.
 */
static void tables_add_gap(struct tables *t, const struct span *span)
{
	int64_t from = span->from > t->state->gap_to ? span->from : t->state->gap_to;

	if (span->to <= from)
		return;
	the_trace(t)->unrecorded += span->to - from;
	t->state->gap_to = span->to;
}

static void span_ended(void *ctx, const struct span *span)
{
	struct tables *t = ctx;

	if (span->gap) {
		tables_add_gap(t, span);
	} else if (span->begin.type && (span->state == GO_WAITING || span->state == GO_SYSCALL)) {
		the_trace(t)->waits++;
		the_trace(t)->stackless += !span->stack;
	}
	tally_span(t, span);
}

static void tables_proc(void *ctx, const struct proc_span *span)
{
	struct trace_row *trace = the_trace(ctx);

	trace->procs += span->open_begin;
	if (span->running)
		timeline_add(trace->timeline, TIMELINE_PROCS, span->from, span->to);
}

/* --- begin and end --- */

struct tables *tables_new(struct spans *s, const struct tables_options *options)
{
	struct tables *t = xcalloc(1, sizeof(*t));
	struct spans_visitor visitor = {
		.ctx = t,
		.trace_begin = tables_trace_begin,
		.event = tables_event,
		.goroutine_begin = tables_goroutine_begin,
		.span = span_ended,
		.goroutine_end = tables_goroutine_end,
		.proc = tables_proc,
		.range = collector_range,
		.region_begin = section_region_begin,
		.region = section_region,
		.task_begin = section_task_begin,
		.task = section_task,
		.metric = collector_metric,
		.log = tables_log, .notes = !options->only,
		.op_log = options->only ? tables_op_log : NULL,
		.origin = tables_origin,
		.sample = tables_sample,
		.trace_end = tables_trace_end,
	};

	t->spans = s;
	t->options = *options;
	if (!t->options.top || t->options.top > TABLES_TOP_MAX)
		t->options.top = t->options.top ? TABLES_TOP_MAX : 10;
	t->state = xcalloc(1, sizeof(*t->state));
	spans_visit(s, &visitor);
	return t;
}

static void free_traces(struct tables *t)
{
	size_t i;

	for (i = 0; i < t->traces.len; i++) {
		struct trace_row *trace = vec_at(&t->traces, struct trace_row, i);

		free(trace->name);
		origin_free(&trace->origin);
		free(trace->timeline);
		mmu_free(trace->mmu);
	}
	vec_free(&t->traces);
}

static void free_state(struct tables_state *s)
{
	vec_free(&s->tallies);
	rows_free(&s->functions);
	rows_free(&s->reasons);
	rows_free(&s->regions);
	rows_free(&s->tasks);
	rows_free(&s->stw);
	map64_free(&s->found);
	labels_free(&s->labels);
	free(s);
}

static void free_longest(struct tables *t)
{
	uint32_t stay;

	for (stay = 0; stay < STAYS; stay++)
		vec_free(&t->stays[stay].moments);
	vec_free(&t->gc.moments);
	vec_free(&t->stops.moments);
	vec_free(&t->region.moments);
	vec_free(&t->task.moments);
}

void tables_delete(struct tables *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->stw.len; i++)
		dist_free(&vec_at(&t->stw, struct stw_row, i)->dist);
	vec_free(&t->stw);
	dist_free(&t->gc_cycles);
	sections_free(t);
	function_rows_free(t);
	free_traces(t);
	free_longest(t);
	vec_free(&t->reasons);
	vec_free(&t->notes);
	free_state(t->state);
	free(t);
}

/* --- for users of the tables --- */

const char *tables_stay_name(const struct tables *t, uint32_t stay)
{
	static const char *const names[STAY_LINUX] = {
		[STAY_RUNNING] = "running",
		[STAY_RUNNABLE] = "runnable",
		[STAY_SYSCALL] = "system call",
		[STAY_SYSCALL_BLOCKED] = "system call without P",
		[STAY_CALL] = "whole system calls",
		[STAY_ASSIST] = "GC mark assist",
		[STAY_SWEEP] = "GC sweep",
	};
	const char *reason;

	if (stay_is_split(stay))
		return split_words((stay - STAY_LINUX) % SPLITS);

	if (stay < STAY_LINUX)
		return names[stay];
	reason = *vec_at(&t->reasons, const char *, stay - STAY_WAITS);
	return *reason ? reason : "no reason given";
}

uint32_t tables_stays(const struct tables *t)
{
	return STAY_WAITS + (uint32_t)t->reasons.len;
}

const char *tables_name(const struct tables *t, const struct function_row *row)
{
	if (*row->name)
		return row->name;
	return t->options.label ? "(no such label)" : "(no stack seen)";
}

const struct dist *tables_dist(const struct function_row *row, uint32_t stay)
{
	static const struct dist none;

	return stay < row->ndists && row->dists[stay] ? row->dists[stay] : &none;
}

void tables_total(const struct tables *t, uint32_t stay, bool system, struct dist *sum)
{
	size_t i;

	for (i = 0; i < t->functions.len; i++) {
		const struct function_row *row = vec_at(&t->functions, struct function_row, i);

		if (system || !row->system)
			dist_merge(sum, tables_dist(row, stay));
	}
}
