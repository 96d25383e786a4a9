// SPDX-License-Identifier: Apache-2.0
/*
 * p99: sched-p99>T: more than 1 % of the waits for a P that ended within a second took longer than
 * T. Two counts for each slice of 100 ms are enough, no histogram is needed. A wait that is longer
 * than T counts at once, before its end.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "trigger/internal.h"

enum {
	SLICES = 10,
	SLICE_NS = 100 * 1000 * 1000,
	LEAST = 100,	/* waits; fewer have no 99th percentile */
};

struct slice {
	uint64_t waits, longer;
};

struct window {
	struct slice slices[SLICES];
	uint64_t begin;		/* of the newest slice; 0: there is none */
	size_t newest;
};

static void p99_begin(struct rule *r)
{
	r->enters = r->leaves = 1u << TAP_RUNNABLE;
	r->more = xcalloc(1, sizeof(struct window));
}

static void p99_count(struct rule *r, bool longer)
{
	struct window *w = r->more;

	w->slices[w->newest].waits++;
	w->slices[w->newest].longer += longer;
}

static void p99_enter(struct rule *r, struct tap_go *g, const struct tap_step *s)
{
	/* the begin of a wait is not known if it was open at a gap, or when the tap began */
	if (!g->before)
		stay_add(&r->stays, stay_of(r, g), g->since);
}

static void p99_leave(struct rule *r, struct tap_go *g, uint64_t time, bool known)
{
	struct stay *s = stay_of(r, g);

	if (!s->next)	/* counted when it became longer than T */
		return;
	stay_remove(s);
	if (known)
		p99_count(r, time > g->since + r->is->limit);
}

static void p99_judge(struct rule *r, uint64_t time)
{
	const struct window *w = r->more;
	struct slice sum = {0};
	bool above;
	size_t i;

	for (i = 0; i < SLICES; i++) {
		sum.waits += w->slices[i].waits;
		sum.longer += w->slices[i].longer;
	}
	above = sum.waits >= LEAST && sum.longer * 100 > sum.waits;
	if (above && !r->above)
		fire(r, &(struct fact_place){ .time = time },
		     "in the last second %" PRIu64 " of %" PRIu64
		     " waits for a P took longer than %s",
		     sum.longer, sum.waits, span_text(r->is->limit).text);
	r->above = above;
}

static void p99_seen(struct rule *r, uint64_t time)
{
	struct window *w = r->more;

	while (time > r->is->limit && stay_take(&r->stays, time - r->is->limit))
		p99_count(r, true);
	if (w->begin && time < w->begin + SLICE_NS)
		return;
	p99_judge(r, time);
	if (!w->begin || time > w->begin + (uint64_t)SLICES * SLICE_NS)
		*w = (struct window){ .begin = time };
	for (; w->begin + SLICE_NS <= time; w->begin += SLICE_NS) {
		w->newest = (w->newest + 1) % SLICES;
		w->slices[w->newest] = (struct slice){0};
	}
}

static void p99_gap(struct rule *r, uint64_t time)
{
	*(struct window *)r->more = (struct window){0};
}

static void p99_end(struct rule *r)
{
	free(r->more);
}

const struct family family_p99 = {
	.begin = p99_begin,
	.enter = p99_enter,
	.leave = p99_leave,
	.seen = p99_seen,
	.gap = p99_gap,
	.end = p99_end,
	.stays = 1,
	.stream = true,
};
