// SPDX-License-Identifier: Apache-2.0
/*
 * collector: the GC, stops of the world, and the metrics of the runtime (heap, GOMAXPROCS). Part of
 * tables.c.
 */
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"

/* --- ranges --- */

static struct moment moment_of(struct tables *t, const struct range_span *range)
{
	const struct goroutine *g = spans_goroutine(t->spans, range->g);

	return (struct moment){
		.from = range->from, .to = range->to, .g = range->g, .function = g ? g->name : "",
		.text = range->reason, .stack = range->stack, .trace = t->state->trace,
		.open = range->open_begin || range->open_end,
	};
}

static void take_cycle(struct tables *t, const struct range_span *range)
{
	struct moment m = moment_of(t, range);

	longest_add(&t->gc, t->options.top, &m);
	if (!m.open) {
		dist_add_of(&t->gc_cycles, m.to - m.from, m.g, m.from, m.trace);
		return;
	}
	t->gc_open++;
	t->gc_open_ns += m.to - m.from;
}

static void take_stop(struct tables *t, const struct range_span *range)
{
	struct moment m = moment_of(t, range);
	const char *reason = range->reason;
	struct stw_row *row;
	bool is_new;
	uint32_t n =
		rows_find(&t->state->stw, &t->stw, sizeof(*row), TABLES_REASONS, &reason, &is_new);

	row = vec_at(&t->stw, struct stw_row, n - 1);
	if (is_new)
		*row = (struct stw_row){ .reason = reason, .others = rows_is_others(reason) };
	dist_add_of(&row->dist, m.to - m.from, m.g, m.from, m.trace);
	longest_add(&t->stops, t->options.top, &m);
	timeline_add(the_trace(t)->timeline, TIMELINE_STW, m.from, m.to);
}

/*
 * Adds a range to the stays of a goroutine: an assist to the goroutine that assists, a sweep to the
 * goroutine that began it.
 */
static void collector_take_stay(struct tables *t, const struct range_span *range, uint32_t stay,
				uint64_t id)
{
	const struct goroutine *g = spans_goroutine(t->spans, id);
	struct early e = {
		.stay = stay, .stack = range->stack, .from = range->from, .to = range->to,
		.open = range->open_begin || range->open_end,
	};

	if (g)
		tally_stay(t, g, &e);
	else
		t->unattributed++;
}

void collector_range(void *ctx, const struct range_span *range)
{
	struct tables *t = ctx;

	if (!strcmp(range->name, "stop-the-world")) {
		take_stop(t, range);
	} else if (range->scope == RESOURCE_GOROUTINE) {
		collector_take_stay(t, range, STAY_ASSIST, range->id);
	} else if (range->scope == RESOURCE_PROC) {
		collector_take_stay(t, range, STAY_SWEEP, range->g);
		t->swept += range->attrs[0];
		t->reclaimed += range->attrs[1];
	} else {
		take_cycle(t, range);
	}
}

/* --- metrics --- */

static uint64_t *largest_of(struct trace_row *trace, enum timeline_metric metric)
{
	switch (metric) {
	case TIMELINE_HEAP_LIVE:
		return &trace->heap_live_max;
	case TIMELINE_HEAP_GOAL:
		return &trace->heap_goal_max;
	default:
		return &trace->gomaxprocs_max;
	}
}

void collector_metric(void *ctx, int64_t time, const char *name, uint64_t value)
{
	static const char *const names[TIMELINE_METRICS] = {
		[TIMELINE_HEAP_LIVE] = "/memory/classes/heap/objects:bytes",
		[TIMELINE_HEAP_GOAL] = "/gc/heap/goal:bytes",
		[TIMELINE_GOMAXPROCS] = "/sched/gomaxprocs:threads",
	};
	struct trace_row *trace = the_trace(ctx);
	uint64_t *largest;
	unsigned i;

	for (i = 0; i < TIMELINE_METRICS && strcmp(name, names[i]); i++)
		;
	if (i == TIMELINE_METRICS)
		return;
	largest = largest_of(trace, i);
	if (value > *largest)
		*largest = value;
	if (i == TIMELINE_GOMAXPROCS)
		trace->gomaxprocs = value;
	timeline_value(trace->timeline, i, time, value);
}

/* --- mutator utilisation --- */

static const char *collector_text_of(struct tables *t, const struct trace_event *ev)
{
	if (ev->type != EV_GoLabel && ev->type != EV_STWBegin && ev->type != EV_STWEnd)
		return NULL;
	return spans_string(t->spans, ev->args[0]);
}

void collector_event(struct tables *t, const struct trace_event *ev)
{
	const struct goroutine *g;

	if (!mmu_wants(the_trace(t)->mmu, ev))
		return;
	g = ev->type == EV_GCMarkAssistActive ? spans_goroutine(t->spans, ev->args[0]) : NULL;
	mmu_event(the_trace(t)->mmu, ev, collector_text_of(t, ev), g && go_executing(g->now.state));
}
