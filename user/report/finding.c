// SPDX-License-Identifier: Apache-2.0
/*
 * finding: see finding.h. Gives the spans of a trace to the families (findings.h), and sorts their
 * findings.
 */
#include "report/finding.h"

#include <stdlib.h>
#include <string.h>

#include "report/findings.h"

/* --- stays --- */

/*
 * Those of package runtime are not, nor of runtime/trace and runtime/pprof, that record. A stack
 * can end in runtime.asyncPreempt: the function that it stopped had no frame, and gave the
 * goroutine no better name.
 */
bool findings_is_own(const struct goroutine *g)
{
	/* Most begin otherwise; each span asks. */
	return g->name[0] != 'r' || strncmp(g->name, "runtime", 7) ||
	       (g->name[7] != '.' && g->name[7] != '/') || !strcmp(g->name, "runtime.main") ||
	       !strncmp(g->name, "runtime.asyncPreempt", 20);
}

struct goroutine_state *findings_state(struct findings *f, const struct goroutine *g)
{
	while (f->states.len <= g->slot)
		vec_push(&f->states, sizeof(struct goroutine_state));
	return vec_at(&f->states, struct goroutine_state, g->slot);
}

/*
 * The reasons of internal/trace, runtime.traceBlockReason of Go 1.22 to 1.27, and those that gotap
 * converts.
 */
static const struct {
	const char *reason;
	uint8_t why;
} reasons[] = {
	{ "sync", WHY_JOIN },
	{ "chan send", WHY_SEND },
	{ "chan receive", WHY_RECEIVE },
	{ "select", WHY_SELECT },
	{ "sync.(*Cond).Wait", WHY_COND },
	{ "network", WHY_NET },
	{ "sleep", WHY_SLEEP },
	{ "forever", WHY_FOREVER },
	{ "GC mark assist wait for work", WHY_GC },
	{ "GC background sweeper wait", WHY_GC },
	{ "wait until GC ends", WHY_GC_CYCLE },
	{ "GC weak to strong wait", WHY_GC },
	{ SPANS_GAP, WHY_GAP },
};

static uint8_t find_reason(const char *reason)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (!strcmp(reason, reasons[i].reason))
			return reasons[i].why;
	return WHY_OTHER;
}

/*
 * A goroutine that was there when the trace began has no reason: its stack begins where it waits.
 */
static uint8_t finding_why_of(struct findings *f, const struct span *span,
			      const struct stack_facts *facts)
{
	size_t i = (uintptr_t)span->reason / 16 % (sizeof(f->reasons) / sizeof(*f->reasons));
	uint8_t why;

	if (span->state != GO_WAITING)
		return WHY_NONE;
	if (f->reasons[i].text != span->reason) {
		f->reasons[i].text = span->reason;
		f->reasons[i].why = find_reason(span->reason);
	}
	why = span->reason[0] ? f->reasons[i].why : facts->why;
	/*
	 * Who allocates and starts a cycle of the garbage collector waits for the runtime's own
	 * semaphores.
	 */
	if (why == WHY_JOIN && facts->traits & STACK_ALLOCATES)
		return WHY_GC;
	return why == WHY_JOIN && facts->traits & STACK_LOCK ? WHY_LOCK : why;
}

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
	stay.why = finding_why_of(f, span, &stay.facts);
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
	stay.why = finding_why_of(f, &g->now, &stay.facts);
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

double findings_wall(const struct findings *f)
{
	int64_t wall = f->last - f->first - f->gaps;

	return wall > 0 ? (double)wall : 1;
}

double findings_lost(const struct findings *f)
{
	return f->lost / 1e9;
}

void few_add(struct few *few, uint64_t id)
{
	uint32_t i;

	for (i = 0; i < few->n; i++)
		if (few->ids[i] == id)
			return;
	if (few->n < FEW)
		few->ids[few->n++] = id;
}

uint32_t findings_number(struct map64 *map, struct vec *items, size_t size, size_t max,
			 uint64_t key, bool *is_new)
{
	uint64_t *number = map64_get(map, key);

	*is_new = !number && items->len < max;
	if (number)
		return (uint32_t)*number;
	if (!*is_new)
		return 0;
	*map64_put(map, key, NULL) = items->len;
	vec_push(items, size);
	return (uint32_t)items->len - 1;
}

void vote_add(struct vote *v, uint32_t value, double weight)
{
	if (v->value == value)
		v->weight += weight;
	else if (v->weight < weight)
		*v = (struct vote){ value, weight - v->weight };
	else
		v->weight -= weight;
}

void findings_time(struct buf *text, double ns)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	size_t i = 0;

	while (i < 3 && ns < units[i].unit)
		i++;
	buf_printf(text, ns / units[i].unit < 9.95 ? "%.1f %s" : "%.0f %s", ns / units[i].unit,
		   units[i].name);
}

void findings_add(struct findings *f, const struct verdict *v, struct buf *text)
{
	struct finding *found = vec_push(&f->list, sizeof(*found));
	struct place p = findings_place(f, v->place);
	size_t n = v->goroutines ? v->goroutines->n : 0, i;

	*found = (struct finding){
		.kind = v->kind,
		.text = xstrndup((char *)text->data, text->len),
		.function = p.func,
		.file = p.file,
		.line = p.line,
		.seconds = v->ns / 1e9,
		.goroutines = n ? xcalloc(n, sizeof(uint64_t)) : NULL,
		.ngoroutines = n,
		.from = v->from - f->first,
		.to = v->to - f->first,
	};
	for (i = 0; i < n; i++)
		found->goroutines[i] = v->goroutines->ids[i];
	buf_free(text);
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
