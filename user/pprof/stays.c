// SPDX-License-Identifier: Apache-2.0
/*
 * stays: the profiles of spans, ranges and samples: block, waker, wall, goroutine, gc, alloc, cpu.
 * See docs/pprof.md.
 */
#include <string.h>

#include "pprof/internal.h"
#include "read/alloc.h"

/*
 * Places for samples of which no goroutine of the program has a stack, or the stack is not known.
 */
enum place { NO_STACK, STILL_WAITS, NETWORK, TIMER, RUNTIME, SWITCH, NOT_SEEN, BEFORE };

static const char *const places[] = {
	[NO_STACK] = "(no stack)",
	[STILL_WAITS] = "(waits when the trace ends)",
	[NETWORK] = "(network poller)",
	[TIMER] = "(timer)",
	[RUNTIME] = "(runtime, without a goroutine: timer, network poller, scheduler or GC)",
	[SWITCH] = "(coroutine switch)",
	[NOT_SEEN] = "(a goroutine, its stack was not recorded)",
	[BEFORE] = "(began before the trace)",
};

static uint32_t stays_place(struct pprof *p, enum place place)
{
	if (!p->places[place])
		p->places[place] = profile_place(&p->profile, places[place]);
	return p->places[place];
}

static uint32_t stack_or(struct pprof *p, uint32_t stack, enum place instead)
{
	return stack ? stack : stays_place(p, instead);
}

static const char *labels_of(const struct goroutine *g)
{
	return g ? g->labels : "";
}

/* Returns the reason of a span. Waits that begin with a status event or a creation have none. */
static const char *stays_reason_of(const struct span *span)
{
	if (*span->reason || span->state != GO_WAITING)
		return span->reason;
	return span->begin.type ? "coroutine" : "not known: since before the trace";
}

static void stays_add(struct pprof *p, const struct span *span, uint32_t stack, const char *state,
		      uint64_t ns)
{
	struct tag tag = { span->g->labels, state, stays_reason_of(span), 0 };

	profile_add(&p->profile, stack, profile_tag(&p->profile, &tag), 1, ns);
}

/* Returns the ns of @span that count. */
static uint64_t ns_of(const struct pprof *p, const struct span *span)
{
	return span->gap || !pprof_wants(p, span->g) ? 0 : pprof_overlap(p, span->from, span->to);
}

/* --- waits --- */

void stays_block(void *ctx, const struct span *span)
{
	uint64_t ns = span->state == GO_WAITING ? ns_of(ctx, span) : 0;

	if (ns)
		stays_add(ctx, span, stack_or(ctx, span->stack, NO_STACK), NULL, ns);
}

/* Returns the place for a wait that no goroutine ended, by its reason. */
static enum place runtime_place(const char *reason)
{
	if (!strcmp(reason, "network"))
		return NETWORK;
	return strcmp(reason, "sleep") ? RUNTIME : TIMER;
}

static uint32_t stays_waker_of(struct pprof *p, const struct span *span)
{
	const struct span_edge *end = &span->end;

	if (!end->type)
		return stays_place(p, STILL_WAITS);
	if (end->stack)
		return end->stack;
	if (end->type == EV_GoSwitch || end->type == EV_GoSwitchDestroy)
		return stays_place(p, SWITCH);
	return stays_place(p, end->g == TRACEV2_NO_ID ? runtime_place(span->reason) : NOT_SEEN);
}

void stays_waker(void *ctx, const struct span *span)
{
	uint64_t ns = span->state == GO_WAITING ? ns_of(ctx, span) : 0;

	if (ns)
		stays_add(ctx, span, stays_waker_of(ctx, span), NULL, ns);
}

/* --- all time --- */

static const char *const states[] = {
	[GO_RUNNABLE] = "runnable", [GO_RUNNING] = "running", [GO_WAITING] = "waiting",
	[GO_SYSCALL] = "syscall",
};

void stays_wall(void *ctx, const struct span *span)
{
	uint64_t ns = ns_of(ctx, span);

	if (ns)
		stays_add(ctx, span, stack_or(ctx, span->stack, NO_STACK), states[span->state], ns);
}

/* --- goroutines at a time --- */

static void stays_add_goroutine(struct pprof *p, const struct span *span)
{
	if (pprof_wants(p, span->g))
		stays_add(p, span, stack_or(p, span->stack, NO_STACK), states[span->state], 0);
}

void stays_at(void *ctx, const struct span *span)
{
	struct pprof *p = ctx;

	if (span->from <= p->at && p->at < span->to)
		stays_add_goroutine(p, span);
}

/*
 * A goroutine that lives when the trace ends counts for the time of the end, too, which is not
 * within its last span.
 */
void stays_at_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct pprof *p = ctx;

	if (!ended && p->at >= time)
		stays_add_goroutine(p, &g->now);
}

/* --- GC --- */

void stays_gc(void *ctx, const struct range_span *range)
{
	struct pprof *p = ctx;
	uint64_t id = range->scope == RESOURCE_GOROUTINE ? range->id : range->g;
	struct goroutine *g = spans_goroutine(p->spans, id);
	uint64_t ns = pprof_overlap(p, range->from, range->to);
	struct tag tag = { labels_of(g), NULL,
			   spans_text(p->spans, range->name, strlen(range->name)), 0 };

	if (strcmp(range->name, "GC mark assist") && strcmp(range->name, "GC incremental sweep"))
		return;
	if (ns && pprof_wants(p, g))
		profile_add(&p->profile,
			    stack_or(p, range->stack, range->open_begin ? BEFORE : NO_STACK),
			    profile_tag(&p->profile, &tag), 1, ns);
}

/* --- CPU samples --- */

void stays_sample(void *ctx, const struct trace_event *ev, uint32_t stack)
{
	struct pprof *p = ctx;
	struct goroutine *g = spans_goroutine(p->spans, ev->g);
	struct tag tag = { labels_of(g), NULL, NULL, 0 };

	if (ev->time < p->from || ev->time > p->to || !pprof_wants(p, g))
		return;
	profile_add(&p->profile, stack_or(p, stack, NO_STACK), profile_tag(&p->profile, &tag), 1,
		    p->o->sample_ns);
}

/* --- sampled allocations --- */

/* Scaled as runtime/pprof scales them. */
void stays_alloc(void *ctx, const struct alloc_event *e)
{
	struct pprof *p = ctx;
	const struct goroutine *g = spans_goroutine(p->spans, e->g);
	double weight = alloc_weight(e->size, e->rate);
	struct tag tag = { labels_of(g), NULL, NULL, e->size };

	if (e->freed || !pprof_wants(p, g) || e->time < p->from || e->time > p->to)
		return;
	profile_add(&p->profile, stack_or(p, e->stack, NO_STACK), profile_tag(&p->profile, &tag),
		    (uint64_t)(weight + 0.5), (uint64_t)(weight * (double)e->size + 0.5));
}
