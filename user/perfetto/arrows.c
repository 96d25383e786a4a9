// SPDX-License-Identifier: Apache-2.0
/*
 * arrows: several processes in one Perfetto trace, and the calls between them as arrows: from the
 * goroutine that calls to the one that answers, and back. Part of perfetto.c.
 */
#include <stdlib.h>

#include "joins/joins.h"
#include "perfetto/internal.h"

struct arrows {
	struct perfetto **members;	/* by number in joins */
	uint64_t flows;			/* arrows so far; each has an id of its own */
};

/* Ids of these arrows do not meet those of wake-ups, which are pids. */
#define ARROWS_FROM (1ULL << 40)

static void arrows_put(struct perfetto *p, uint64_t g, int64_t time, const char *name,
		      uint64_t flow, uint64_t flow_end)
{
	uint64_t track = perfetto_track(p, g);

	if (!track)
		return;
	perfetto_event(p, &(struct packets_event){
		.type = EVENT_INSTANT, .time = time, .track = track, .category = CATEGORY_CALL,
		.name = interned_name(&p->interned, name), .flow = flow, .flow_end = flow_end,
	});
}

/*
 * Writes the arrows of a call, at times that have passed: a reader sorts. No arrow has one end
 * only.
 */
static void arrows_take(void *ctx, const struct joins_call *call)
{
	struct arrows *c = ctx;
	const struct joins_write *w = &call->write;
	struct perfetto *from = c->members[call->member], *to = c->members[w->member];
	const char *name = *w->request ? w->request : "call";
	/* a reader orders events of one time by itself: an arrow must not end before it begins */
	int64_t begin = w->task && w->task_from <= call->from ? w->task_from - 1 : call->from;

	if (!perfetto_began(from) || !perfetto_began(to) || !perfetto_track(from, call->g) ||
	    !perfetto_track(to, w->g))
		return;
	if (w->task) {
		arrows_put(from, call->g, begin, name, ARROWS_FROM + ++c->flows, 0);
		arrows_put(to, w->g, w->task_from, name, 0, ARROWS_FROM + c->flows);
	}
	arrows_put(to, w->g, w->time, "response", ARROWS_FROM + ++c->flows, 0);
	arrows_put(from, call->g, call->to, "response", 0, ARROWS_FROM + c->flows);
}

int perfetto_read_all(struct perfetto *p, struct trace_reader *r, struct perfetto *const *others,
		      struct trace_reader *const *readers, struct error *faults, size_t n,
		      struct error *err)
{
	struct arrows calls = { .members = xcalloc(n + 1, sizeof(*calls.members)) };
	struct spans_beside *beside = xcalloc(n + 1, sizeof(*beside));
	struct joins *joins = joins_new();
	size_t i;
	int ret;

	calls.members[0] = p;
	p->reader = r;
	joins_add(joins, p->spans, NULL, NULL);
	for (i = 0; i < n; i++) {
		calls.members[i + 1] = others[i];
		others[i]->reader = readers[i];
		beside[i] = (struct spans_beside){ .s = others[i]->spans, .reader = readers[i] };
		joins_add(joins, others[i]->spans, NULL, NULL);
	}
	joins_calls(joins, arrows_take, &calls);
	ret = spans_read_beside(p->spans, r, beside, n, err);
	if (ret && p->began)
		perfetto_fault(p, err->text);
	for (i = 0; i < n; i++) {
		faults[i] = beside[i].fault;
		if (faults[i].code && others[i]->began)
			perfetto_fault(others[i], faults[i].text);
		joins_leave(joins, (uint32_t)i + 1);
	}
	joins_leave(joins, 0);
	joins_free(joins);
	free(beside);
	free(calls.members);
	return ret;
}
