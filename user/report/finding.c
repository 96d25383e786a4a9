// SPDX-License-Identifier: Apache-2.0
/*
 * finding: see finding.h. Gives the spans of a trace to the families (findings.h), and sorts their
 * findings.
 */
#include "report/finding.h"

#include <stdlib.h>
#include <string.h>

#include "report/findings.h"

/* --- the visitor --- */

static void finding_goroutine_begin(void *ctx, struct goroutine *g)
{
	*findings_state(ctx, g) = (struct goroutine_state){ 0 };
}

/* All goroutines wait in a gap, most from its begin to its end: it counts once, as in tables.h. */
static void finding_add_gap(struct findings *f, const struct span *span)
{
	int64_t from = span->from > f->gap_to ? span->from : f->gap_to;

	if (span->to <= from)
		return;
	f->gaps += span->to - from;
	f->gap_to = span->to;
}

static void span_ends(void *ctx, const struct span *span)
{
	struct findings *f = ctx;
	struct stay stay = { .span = span, .state = findings_state(f, span->g) };
	bool own;

	if (span->gap)
		finding_add_gap(f, span);
	ps_ends(f->ps, span->to, stay.state);
	own = findings_is_own(span->g);
	cpu_stay(f, &stay, own);
	if (!own) {
		gc_system(f, &stay);
		return;
	}
	stay.facts = findings_stack(f, span->stack);
	stay.why = findings_why(f, span, &stay.facts);
	waits_stay(f, &stay);
	ps_stay(f, &stay);
	calls_stay(f, &stay);
	wakes_stay(f, &stay);
	gc_wait(f, &stay);
}

/* g->now is its last span. */
static void finding_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct findings *f = ctx;
	struct stay stay = { .span = &g->now, .state = findings_state(f, g) };

	if (!findings_is_own(g))
		return;
	stay.facts = findings_stack(f, g->now.stack);
	stay.why = findings_why(f, &g->now, &stay.facts);
	leaks_end(f, &stay, time, ended);
	stucks_end(f, &stay, time, ended);
}

static void span_begins(void *ctx, const struct span *span)
{
	ps_begins(ctx, span, findings_state(ctx, span->g), findings_is_own(span->g));
}

static void finding_metric(void *ctx, int64_t time, const char *name, uint64_t value)
{
	struct findings *f = ctx;

	if (!strcmp(name, "/sched/gomaxprocs:threads"))
		ps_gomaxprocs(f->ps, value);
	else
		gc_metric(f, name, value);
}

static void finding_trace_begin(void *ctx, int64_t time)
{
	struct findings *f = ctx;

	f->first = f->gap_to = time;
	cpu_begins(f, time);
}

static void finding_range(void *ctx, const struct range_span *r)
{
	world_range(ctx, r);
	gc_range(ctx, r);
}

static void finding_trace_end(void *ctx, int64_t time)
{
	((struct findings *)ctx)->last = time;
}

struct findings *findings_new(struct spans *s)
{
	struct findings *f = xcalloc(1, sizeof(*f));

	f->spans = s;
	f->world = world_new();
	f->waits = waits_new();
	f->ps = ps_new();
	f->gc = gc_new();
	f->calls = calls_new();
	f->leaks = leaks_new();
	f->wakes = wakes_new();
	f->stucks = stucks_new();
	f->cpu = cpu_new();
	spans_visit(s, &(struct spans_visitor){
			       .ctx = f,
			       .trace_begin = finding_trace_begin,
			       .goroutine_begin = finding_goroutine_begin,
			       .span = span_ends,
			       .span_begin = span_begins,
			       .goroutine_end = finding_goroutine_end,
			       .metric = finding_metric,
			       .range = finding_range,
			       .trace_end = finding_trace_end,
		       });
	return f;
}

void findings_free(struct findings *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->list.len; i++) {
		free(vec_at(&f->list, struct finding, i)->text);
		free(vec_at(&f->list, struct finding, i)->goroutines);
	}
	vec_free(&f->list);
	vec_free(&f->places.list);
	vec_free(&f->places.facts);
	vec_free(&f->places.library);
	map64_free(&f->places.by_key);
	vec_free(&f->states);
	world_free(f->world);
	waits_free(f->waits);
	ps_free(f->ps);
	gc_free(f->gc);
	calls_free(f->calls);
	leaks_free(f->leaks);
	wakes_free(f->wakes);
	stucks_free(f->stucks);
	cpu_free(f->cpu);
	free(f);
}

/* --- judgement --- */

double findings_lost(const struct findings *f)
{
	return f->lost / 1e9;
}

static int finding_by_cost(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

const struct vec *findings_finish(struct findings *f)
{
	size_t i;

	if (f->done)
		return &f->list;
	f->done = true;
	world_judge(f);
	waits_judge(f);
	ps_judge(f);
	gc_judge(f);
	calls_judge(f);
	leaks_judge(f);
	wakes_judge(f);
	stucks_judge(f);
	cpu_judge(f);
	vec_sort(&f->list, sizeof(struct finding), finding_by_cost);
	for (i = 0; i < f->list.len; i++) {
		struct finding *found = vec_at(&f->list, struct finding, i);

		found->share = f->lost > 0 ? found->seconds * 1e9 / f->lost : 0;
	}
	return &f->list;
}
