// SPDX-License-Identifier: Apache-2.0
/*
 * finding: see finding.h. Passes the spans of the trace to the families (findings.h), and sorts
 * their findings.
 */
#include "report/finding.h"

#include <stdlib.h>

#include "report/findings.h"

/* In the order in which the families judge. */
static const struct findings_family *const families[] = {
	&findings_of_world, &findings_of_waits, &findings_of_ps,
	&findings_of_gc, &findings_of_calls, &findings_of_leaks,
	&findings_of_wakes, &findings_of_stucks, &findings_of_cpu,
};

enum { FAMILIES = sizeof(families) / sizeof(*families) };
_Static_assert((int)FAMILIES < (int)FINDINGS_FAMILIES, "no room for NULL at the end of a list");

/* Calls the function @entry, with the further arguments, of each family that has one. */
#define FAMILIES_CALL(entry, ...)						\
	do {									\
		for (size_t family_ = 0; family_ < FAMILIES; family_++)		\
			if (families[family_]->entry)				\
				families[family_]->entry(__VA_ARGS__);		\
	} while (0)

/* --- the visitor --- */

static void finding_goroutine_begin(void *ctx, struct goroutine *g)
{
	*findings_state(ctx, g) = (struct goroutine_state){ 0 };
}

/*
 * Adds a gap. In a gap each goroutine has a wait, in most cases from its begin to its end: the time
 * of the gap counts once, as in tables.h.
 */
static void finding_add_gap(struct findings *f, const struct span *span)
{
	int64_t from = span->from > f->gap_to ? span->from : f->gap_to;

	if (span->to <= from)
		return;
	f->gaps += span->to - from;
	f->gap_to = span->to;
}

/* Called for each stay of a trace: the lists therefore have no empty entries. */
static void finding_give_stay(struct findings *f, findings_stay_fn *const *fn,
			      const struct stay *stay)
{
	for (; *fn; fn++)
		(*fn)(f, stay);
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
		finding_give_stay(f, f->runtime_stays, &stay);
		return;
	}
	stay.facts = findings_stack(f, span->stack);
	stay.why = findings_why(f, span, &stay.facts);
	finding_give_stay(f, f->stays, &stay);
}

/* g->now is the last span of @g. */
static void finding_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct findings *f = ctx;
	struct stay stay = { .span = &g->now, .state = findings_state(f, g) };

	if (!findings_is_own(g))
		return;
	stay.facts = findings_stack(f, g->now.stack);
	stay.why = findings_why(f, &g->now, &stay.facts);
	FAMILIES_CALL(last_stay, f, &stay, time, ended);
}

static void span_begins(void *ctx, const struct span *span)
{
	ps_begins(ctx, span, findings_state(ctx, span->g), findings_is_own(span->g));
}

static void finding_metric(void *ctx, int64_t time, const char *name, uint64_t value)
{
	FAMILIES_CALL(metric, ctx, name, value);
}

static void finding_trace_begin(void *ctx, int64_t time)
{
	struct findings *f = ctx;

	f->first = f->gap_to = time;
	FAMILIES_CALL(trace_begin, f, time);
}

static void finding_range(void *ctx, const struct range_span *r)
{
	FAMILIES_CALL(range, ctx, r);
}

static void finding_trace_end(void *ctx, int64_t time)
{
	((struct findings *)ctx)->last = time;
}

static void finding_list_stays(struct findings *f)
{
	size_t i, n = 0, n_runtime = 0;

	for (i = 0; i < FAMILIES; i++) {
		if (families[i]->stay)
			f->stays[n++] = families[i]->stay;
		if (families[i]->runtime_stay)
			f->runtime_stays[n_runtime++] = families[i]->runtime_stay;
	}
}

struct findings *findings_new(struct spans *s)
{
	struct findings *f = xcalloc(1, sizeof(*f));

	f->spans = s;
	finding_list_stays(f);
	FAMILIES_CALL(new, f);
	spans_visit(s, &(struct spans_visitor){
			       .waits = true,
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
	FAMILIES_CALL(free, f);
	free(f->memory_text);
	free(f->memory_function);
	free(f->memory_file);
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

	if (x->first != y->first)
		return x->first ? -1 : 1;
	return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

void findings_out_of_memory(struct findings *f, const struct finding_memory *m)
{
	f->memory_text = xstrdup(m->text);
	f->memory_function = xstrdup(m->function);
	f->memory_file = xstrdup(m->file);
	f->memory_line = m->line;
}

static void finding_add_memory(struct findings *f)
{
	if (!f->memory_text)
		return;
	*(struct finding *)vec_push(&f->list, sizeof(struct finding)) = (struct finding){
		.kind = "out of memory",
		.text = xstrdup(f->memory_text),
		.function = f->memory_function,
		.file = f->memory_file,
		.line = f->memory_line,
		.to = f->last - f->first,
		.first = true,
	};
}

const struct vec *findings_finish(struct findings *f)
{
	size_t i;

	if (f->done)
		return &f->list;
	f->done = true;
	FAMILIES_CALL(judge, f);
	finding_add_memory(f);
	vec_sort(&f->list, sizeof(struct finding), finding_by_cost);
	for (i = 0; i < f->list.len; i++) {
		struct finding *found = vec_at(&f->list, struct finding, i);

		found->share = f->lost > 0 ? found->seconds * 1e9 / f->lost : 0;
	}
	return &f->list;
}
