// SPDX-License-Identifier: Apache-2.0
/*
 * collect: see collect.h. This file has the goroutines and their spans; collect_more.c,
 * collect_off.c and collect_spool.c have the rest.
 */
#include "html/collect.h"

#include <stdlib.h>
#include <string.h>

#include "html/collect_internal.h"
#include "spans/inferred.h"
#include "trace/varint.h"

/* A span, reduced to the fields for the sums by function and by stack. */
struct stay {
	enum page_state state;
	bool ended_by;		/* an event ended it; false: the trace ended */
	uint32_t reason, stack, end_stack;
	int64_t from, to;
};

/* Data of the goroutine that has the slot now. */
struct slot {
	/* struct stay: spans before the function of the goroutine is known; NULL: none */
	struct vec *early;
	uint32_t row;		/* number in rows + 1; 0: none */
	uint32_t name;		/* number of the name in the last SPOOL_GOROUTINE */
	bool spooled;
	int64_t last;		/* begin of its next span */
};

static struct slot *collect_slot_of(struct html *h, const struct goroutine *g)
{
	while (h->slots.len <= g->slot)
		vec_push(&h->slots, sizeof(struct slot));
	return vec_at(&h->slots, struct slot, g->slot);
}

static struct row *collect_row_at(struct html *h, uint32_t number)
{
	return number ? vec_at(&h->rows, struct row, number - 1) : NULL;
}

/* --- which goroutines matter --- */

/*
 * How much a goroutine matters: its time on a P or waiting for a P, and the number of its spans. A
 * long wait counts little.
 */
static double collect_weight(const struct row *r)
{
	return (double)(r->in[PAGE_RUNNING] + r->in[PAGE_RUNNABLE] + r->in[PAGE_SYSCALL]) +
	       (double)r->longest[PAGE_RUNNABLE] * 4 + (double)r->in[PAGE_WAITING] / 64 +
	       10000.0 * r->spans;
}

static int by_weight(const void *a, const void *b)
{
	double x = collect_weight(a), y = collect_weight(b);

	return x < y ? 1 : x > y ? -1 : 0;
}

static int by_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/*
 * The weight while the trace is read. Goroutines that live come first: the length of their waits is
 * not known yet.
 */
static double weight_now(const struct row *r)
{
	return collect_weight(r) + (r->ended ? 0 : 1e18);
}

/*
 * Returns the weight of the goroutine at rank COLLECT_ROWS. *@equal: the number of goroutines with
 * just this weight that are kept.
 */
static double collect_least(const struct html *h, size_t *equal)
{
	double *all = xcalloc(h->rows.len, sizeof(*all)), ret;
	size_t i;

	for (i = 0; i < h->rows.len; i++)
		all[i] = weight_now(vec_at(&h->rows, struct row, i));
	qsort(all, h->rows.len, sizeof(*all), by_double);
	ret = all[COLLECT_ROWS - 1];
	for (*equal = 0, i = COLLECT_ROWS; i-- && all[i] == ret; )
		++*equal;
	free(all);
	return ret;
}

static void collect_make_room(struct html *h)
{
	size_t i, kept = 0, equal;
	double limit = collect_least(h, &equal);
	uint32_t *moved = xcalloc(h->rows.len + 1, sizeof(*moved));

	for (i = 0; i < h->rows.len; i++) {
		struct row *r = vec_at(&h->rows, struct row, i);
		double w = weight_now(r);

		if (w < limit || (w == limit && !equal))
			continue;
		equal -= w == limit;
		*vec_at(&h->rows, struct row, kept) = *r;
		moved[i + 1] = (uint32_t)++kept;
	}
	h->rows.len = kept;
	for (i = 0; i < h->slots.len; i++) {
		struct slot *s = vec_at(&h->slots, struct slot, i);

		s->row = moved[s->row];
	}
	free(moved);
}

void collect_rank(struct html *h)
{
	vec_sort(&h->rows, sizeof(struct row), by_weight);
	if (h->rows.len > COLLECT_ROWS)
		h->rows.len = COLLECT_ROWS;
}

/* --- the spool --- */

static void spool_goroutine(struct html *h, const struct goroutine *g, struct slot *s, int64_t from,
			    uint64_t serial)
{
	uint8_t *p = collect_record(h, SPOOL_GOROUTINE, h->spool_time);

	s->name = collect_text(h, g->name);
	s->spooled = true;
	p = varint_put(p, g->slot);
	p = varint_put(p, serial);
	p = varint_put(p, g->id);
	p = varint_put(p, s->name);
	p = varint_put(p, (uint64_t)(from - h->first));
	collect_record_end(h, p);
}

static enum page_state collect_state_of(const struct span *span)
{
	static const uint8_t states[] = {
		[GO_RUNNABLE] = PAGE_RUNNABLE,
		[GO_RUNNING] = PAGE_RUNNING,
		[GO_WAITING] = PAGE_WAITING,
		[GO_SYSCALL] = PAGE_SYSCALL,
	};

	return span->gap ? PAGE_GAP : states[span->state];
}

static bool has_waker(const struct span *span)
{
	return span->state == GO_RUNNABLE && span->begin.g != TRACEV2_NO_ID &&
	       span->begin.g != span->g->id;
}

static void spool_span(struct html *h, const struct span *span, enum page_state state)
{
	bool placed = state == PAGE_RUNNING || state == PAGE_SYSCALL;
	bool stack = span->stack && state != PAGE_RUNNING, waker = has_waker(span);
	uint32_t reason = collect_text(h, span->reason);
	uint8_t *p = collect_record(
		h,
		(uint8_t)(state | (reason ? SPOOL_REASON : 0) | (stack ? SPOOL_STACK : 0) |
			  (placed ? SPOOL_PLACE : 0) | (waker ? SPOOL_WAKER : 0) |
			  (span->end.type == EV_GoSyscallBegin ? SPOOL_INTO_SYSCALL : 0)),
		span->to);

	p = varint_put(p, span->g->slot);
	if (reason)
		p = varint_put(p, reason);
	if (stack)
		p = varint_put(p, span->stack);
	if (placed) {
		p = varint_put(p, span->p + 1);
		p = varint_put(p, collect_thread_span(h, span));
	}
	if (waker) {
		p = varint_put(p, span->begin.g);
		p = varint_put(p, span->begin.stack);
	}
	collect_record_end(h, p);
}

/* --- sums --- */

static void collect_add_to_row(struct row *r, enum page_state state, int64_t ns, int64_t from)
{
	r->in[state] += ns;
	r->spans++;
	r->classes[level_of(ns)]++;
	if (ns > r->longest[state]) {
		r->longest[state] = ns;
		r->longest_at[state] = from;
	}
}

static void add_to_function(struct function *f, const struct stay *stay, uint64_t g)
{
	int64_t ns = stay->to - stay->from;

	f->n[stay->state]++;
	f->in[stay->state] += ns;
	f->histogram[stay->state][histogram_bucket((uint64_t)ns)]++;
	if (ns > f->longest[stay->state]) {
		f->longest[stay->state] = ns;
		f->longest_at[stay->state] = stay->from;
		f->longest_g[stay->state] = g;
	}
}

static void add_to_flames(struct html *h, const struct stay *stay)
{
	static const int8_t kinds[PAGE_STATES] = {
		[PAGE_RUN] = -1,
		[PAGE_RUNNING] = -1,
		[PAGE_GAP] = -1,
		[PAGE_RUNNABLE] = FLAME_RUNNABLE,
		[PAGE_SYSCALL] = FLAME_SYSCALL,
		[PAGE_WAITING] = FLAME_WAIT,
	};
	uint64_t ns = (uint64_t)(stay->to - stay->from);

	if (kinds[stay->state] < 0)
		return;
	collect_flame(h, (enum flame_kind)kinds[stay->state], stay->reason, stay->stack, ns);
	if (stay->state == PAGE_WAITING && stay->ended_by)
		collect_flame(h, FLAME_WAKER, stay->reason, stay->end_stack, ns);
}

static void add_stay(struct html *h, const struct goroutine *g, uint32_t name,
		     const struct stay *stay)
{
	add_to_function(collect_function(h, name), stay, g->id);
	if (!spans_is_system(g->name))
		add_to_flames(h, stay);
}

static void add_early(struct html *h, const struct goroutine *g, struct slot *s)
{
	size_t i;

	if (!s->early)
		return;
	for (i = 0; i < s->early->len; i++)
		add_stay(h, g, s->name, vec_at(s->early, struct stay, i));
	vec_free(s->early);
	free(s->early);
	s->early = NULL;
}

/*
 * Adds a span to the sums. The first spans of a goroutine that was found often have no stack: they
 * are kept until a later span names the function.
 */
static void collect_sum_up(struct html *h, const struct goroutine *g, struct slot *s,
			   const struct stay *stay)
{
	enum { EARLY_MAX = 64 };

	if (g->named || (s->early && s->early->len >= EARLY_MAX)) {
		add_early(h, g, s);
		add_stay(h, g, s->name, stay);
		return;
	}
	if (!s->early)
		s->early = xcalloc(1, sizeof(*s->early));
	*(struct stay *)vec_push(s->early, sizeof(*stay)) = *stay;
}

static void count_classes(struct html *h, const struct span *span, enum page_state state)
{
	unsigned level = level_of(span->to - span->from);

	if (state != PAGE_RUNNING && state != PAGE_SYSCALL)
		return;
	h->thread_classes[level]++;
	if (span->p == TRACEV2_NO_ID)
		return;
	h->proc_classes[level]++;
	++*map64_put(&h->procs, span->p, NULL);
}

/* --- the visitor --- */

static void collect_on_begin(void *ctx, int64_t time)
{
	struct html *h = ctx;

	h->first = h->spool_time = h->last = time;
	if (h->oncpu && !oncpu_begins(h->oncpu, time))
		h->oncpu = NULL;
}

static void collect_on_goroutine(void *ctx, struct goroutine *g)
{
	struct html *h = ctx;
	struct slot *s = collect_slot_of(h, g);
	struct row *r;

	if (h->rows.len >= COLLECT_ROWS_MAX)
		collect_make_room(h);
	r = vec_push(&h->rows, sizeof(*r));
	*r = (struct row){
		.id = g->id,
		.serial = ++h->goroutines,
		.from = g->since,
		.to = g->since,
		.created = g->created,
		.creator = g->creator,
		.created_at = g->created_at,
		.labels = "",
	};
	*s = (struct slot){ .row = (uint32_t)h->rows.len, .last = g->since };
	spool_goroutine(h, g, s, g->since, r->serial);
	if (g->created)
		collect_flame(h, FLAME_CREATE, 0, g->created_at, 0);
	collect_alive(h, (struct collect_change){ g->since, 1, !g->created });
}

static void name_row(struct html *h, const struct goroutine *g, struct slot *s)
{
	struct row *r = collect_row_at(h, s->row);
	struct function *f;

	if (s->name != collect_text(h, g->name))
		spool_goroutine(h, g, s, s->last, r ? r->serial : 0);
	if (!r || r->name == s->name)
		return;
	f = collect_function(h, s->name);
	r->name = s->name;
	r->system = spans_is_system(g->name);
	f->goroutines++;
}

static void collect_on_span_begin(void *ctx, const struct span *span)
{
	if (span->state == GO_RUNNABLE)
		collect_runnable(ctx, (struct collect_change){ span->from, 1, !span->begin.type });
}

/*
 * Returns the text of the reason in the words of the report. The flame graphs add up by this text.
 */
static uint32_t collect_reason_of(struct html *h, const struct span *span)
{
	return collect_text(h, span->state == GO_WAITING ? inferred_of_span(h->spans, span) :
							   span->reason);
}

static void collect_on_span(void *ctx, const struct span *span)
{
	struct html *h = ctx;
	struct slot *s = collect_slot_of(h, span->g);
	enum page_state state = collect_state_of(span);
	struct row *r;

	if (span->state == GO_RUNNABLE && span->end.type)
		collect_runnable(h, (struct collect_change){ span->to, -1, false });
	if (span->from == span->to)
		return;
	h->span_count++;
	name_row(h, span->g, s);
	r = collect_row_at(h, s->row);
	if (r) {
		collect_add_to_row(r, state, span->to - span->from, span->from);
		r->to = span->to;
		r->labels = span->g->labels;
	}
	s->last = span->to;
	collect_sum_up(h, span->g, s,
		       &(struct stay){ .state = state,
				       .ended_by = span->end.type,
				       .reason = collect_reason_of(h, span),
				       .stack = span->stack,
				       .end_stack = span->end.stack,
				       .from = span->from,
				       .to = span->to });
	count_classes(h, span, state);
	collect_longest(h->longest[state], span->from, span->to, span->g->id);
	if (state == PAGE_GAP)
		collect_gap(h, span->from, span->to);
	collect_off(h, span);
	spool_span(h, span, state);
}

static void collect_on_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct html *h = ctx;
	struct slot *s = collect_slot_of(h, g);
	struct row *r = collect_row_at(h, s->row);

	if (r) {
		r->ended = ended;
		r->to = time;
	}
	add_early(h, g, s);
	s->row = 0;
	if (ended)
		collect_alive(h, (struct collect_change){ time, -1, false });
}

static void collect_on_proc(void *ctx, const struct proc_span *span)
{
	struct html *h = ctx;

	if (span->running && !span->open_end)
		collect_record_end(
			h, varint_put(collect_record(h, SPOOL_P_LOST, span->to), span->p + 1));
}

static void collect_on_event(void *ctx, const struct trace_event *ev)
{
	((struct html *)ctx)->events++;
}

static void collect_on_end(void *ctx, int64_t time)
{
	((struct html *)ctx)->last = time;
}

static const struct spans_visitor visitor = {
	.trace_begin = collect_on_begin,
	.event = collect_on_event,
	.goroutine_begin = collect_on_goroutine,
	.span_begin = collect_on_span_begin,
	.span = collect_on_span,
	.goroutine_end = collect_on_goroutine_end,
	.proc = collect_on_proc,
	.range = collect_range,
	.region = collect_region,
	.task = collect_task,
	.metric = collect_metric,
	.log = collect_log,
	.origin = collect_origin,
	.alloc = collect_alloc,
	.sample = collect_sample,
	.trace_end = collect_on_end,
};

void collect_init(struct html *h, struct spans *s)
{
	struct spans_visitor mine = visitor;

	*h = (struct html){ .spans = s, .spool = SPILL_EMPTY, .series_shift = 10 };
	mine.ctx = h;
	*(const char **)vec_push(&h->texts, sizeof(char *)) = "";
	*(const char **)vec_push(&h->texts, sizeof(char *)) = "(a name too many)";
	vec_push(&h->functions, sizeof(struct function));
	vec_reserve(&h->rows, COLLECT_ROWS_MAX, sizeof(struct row));
	spans_visit(s, &mine);
}
