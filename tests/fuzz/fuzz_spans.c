// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_spans: any bytes as a trace, made into spans. Each goroutine's spans must follow one another
 * from its begin to its end, begins come before ends, and each stack must have its frames. Requests and calls are counted
 * by the way, from log events that may say anything.
 */
#include "fuzz.h"

#include <string.h>

#include "base/map64.h"
#include "requests/outgoing.h"
#include "requests/routes.h"
#include "spans/spans.h"

struct state {
	struct spans *spans;
	struct map64 until;	/* goroutine's slot -> the end of its last span */
	uint64_t live;
	int64_t length;		/* of all texts: to add it up reads each one, which the address sanitizer then checks */
};

static void look_at_stack(struct state *s, uint32_t stack)
{
	struct stack_set *set = spans_stacks(s->spans);
	const struct stack_frame *f;
	uint32_t i;

	must(stack <= stack_set_stacks(set), "a stack has a number that was given");
	for (i = 0; (f = stack_set_at(set, stack, i)); i++)
		s->length += (int64_t)(strlen(f->func) + strlen(f->file));
	must(!stack || i, "a stack has frames");
}

static void on_goroutine(void *ctx, struct goroutine *g)
{
	struct state *s = ctx;

	must(g->slot && g->slot < spans_slots(s->spans), "slots are below spans_slots()");
	/* TRACEV2_NO_ID, all ones, means no goroutine, but a hostile file may have one with that id */
	must(g->id == TRACEV2_NO_ID || spans_goroutine(s->spans, g->id) == g, "a goroutine is found by its id");
	must(!map64_get(&s->until, g->slot), "no two goroutines that live have one slot");
	*map64_put(&s->until, g->slot, NULL) = (uint64_t)g->since;
	s->live++;
}

static void on_span_begin(void *ctx, const struct span *span)
{
	struct state *s = ctx;

	must(span->to == INT64_MAX && span == &span->g->now, "a span that begins is the goroutine's");
	must((int64_t)*map64_get(&s->until, span->g->slot) == span->from, "no hole before a span");
}

static void on_span(void *ctx, const struct span *span)
{
	struct state *s = ctx;
	uint64_t *until = map64_get(&s->until, span->g->slot);

	must((int64_t)*until == span->from, "spans follow one another");
	must(span->from <= span->to, "a span ends after it begins");
	must(span->p_until == INT64_MAX || (span->p_until >= span->from && span->p_until <= span->to),
	     "a P is lost in the system call");
	*until = (uint64_t)span->to;
	look_at_stack(s, span->stack);
	look_at_stack(s, span->begin.stack);
	look_at_stack(s, span->end.stack);
	s->length += (int64_t)strlen(span->reason);
}

static void on_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct state *s = ctx;

	must((int64_t)*map64_get(&s->until, g->slot) == time, "the last span ends with the goroutine");
	map64_del(&s->until, g->slot);
	s->live--;
	s->length += (int64_t)(strlen(g->name) + strlen(g->labels));
}

static void on_range(void *ctx, const struct range_span *r)
{
	struct state *s = ctx;

	must(r->from <= r->to, "a range ends after it begins");
	look_at_stack(s, r->stack);
	s->length += (int64_t)(strlen(r->name) + strlen(r->reason));
}

static void on_region(void *ctx, const struct region_span *r)
{
	must(r->from <= r->to, "a region ends after it begins");
	look_at_stack(ctx, r->stack);
}

static void on_task(void *ctx, const struct task_span *t)
{
	must(t->from <= t->to && strlen(t->type) < 65536, "a task ends after it begins");
}

static void on_proc(void *ctx, const struct proc_span *p)
{
	must(p->from <= p->to, "a stay of a P ends after it begins");
}

static void on_log(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
		   const char *message)
{
	((struct state *)ctx)->length += (int64_t)(strlen(category) + strlen(message));
}

static void look_at_calls(struct state *s, struct outgoing *calls, struct routes *routes)
{
	size_t i;

	outgoing_collected(calls);
	routes_collected(routes);
	for (i = 0; i < outgoing_count(calls); i++) {
		const struct call_row *r = outgoing_at(calls, i);

		must(r->dist.count || r->after.count, "a row of calls has some");
		must(r->errors <= r->dist.count && r->dist.sum >= 0 && r->after.sum >= 0, "sums of calls");
		s->length += (int64_t)(strlen(r->name) + strlen(call_kind_name(r->kind)));
	}
	must(outgoing_count(calls) <= CALLS_MOST + CALL_KINDS, "the rows of calls are bounded");
	for (i = 0; i < routes_count(routes); i++)
		(void)outgoing_of_route(calls, routes_at(routes, i)->name);
	outgoing_free(calls);
	routes_free(routes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct outgoing *calls;
	struct routes *routes;
	struct error err;
	struct trace_reader *r = trace_reader_open_memory(data, size, &err);
	struct state s = { .spans = r ? spans_new() : NULL };
	const struct spans_visitor v = {
		.ctx = &s, .goroutine_begin = on_goroutine, .span_begin = on_span_begin, .span = on_span,
		.goroutine_end = on_end, .range = on_range, .region = on_region, .task = on_task,
		.proc = on_proc, .log = on_log,
	};

	if (!r)
		return 0;
	spans_visit(s.spans, &v);
	calls = outgoing_new(s.spans);
	routes = routes_new(s.spans, 3, NULL);
	(void)spans_read(s.spans, r, &err);
	must(!s.live, "all goroutines end with the trace");
	look_at_calls(&s, calls, routes);
	trace_reader_close(r);
	spans_free(s.spans);
	map64_free(&s.until);
	return 0;
}
