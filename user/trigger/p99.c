// SPDX-License-Identifier: Apache-2.0
/*
 * p99: see p99.h. And sched-p99>T: more than 1 % of the waits for a P that ended within a second
 * took longer than T. A wait that is longer than T counts at once, before its end.
 */
#include "trigger/p99.h"

#include <inttypes.h>
#include <stdlib.h>

#include "trigger/window.h"

enum {
	SLICE_NS = 100 * 1000 * 1000,
	LEAST = 100,	/* fewer have no 99th percentile */
};

struct p99 {
	struct window window;
};

struct p99 *p99_new(void)
{
	struct p99 *p = xcalloc(1, sizeof(*p));

	p->window.slice_ns = SLICE_NS;
	return p;
}

void p99_forget(struct p99 *p)
{
	window_forget(&p->window);
}

void p99_count(struct p99 *p, bool longer)
{
	window_count(&p->window, longer);
}

static void p99_judge(struct p99 *p, struct rule *r, uint64_t time, const char *what)
{
	struct window_sum sum = window_sum(&p->window);
	bool above = sum.all >= LEAST && sum.hits * 100 > sum.all;

	if (above && !r->above)
		fire(r, &(struct fact_place){ .time = time },
		     "in the last second %" PRIu64 " of %" PRIu64 " %s took longer than %s",
		     sum.hits, sum.all, what, span_text(r->is->limit).text);
	r->above = above;
}

void p99_pass(struct p99 *p, struct rule *r, uint64_t time, const char *what)
{
	if (!window_is_due(&p->window, time))
		return;
	p99_judge(p, r, time, what);
	window_turn(&p->window, time);
}

/* --- sched-p99 --- */

static void sched_p99_begin(struct rule *r)
{
	r->enters = r->leaves = 1u << TAP_RUNNABLE;
	r->more = p99_new();
}

static void sched_p99_enter(struct rule *r, struct tap_go *g, const struct tap_step *s)
{
	/* the begin of a wait is not known if it was open at a gap, or when the tap began */
	if (!g->before)
		stay_add(&r->stays, stay_of(r, g), g->since);
}

static void sched_p99_leave(struct rule *r, struct tap_go *g, uint64_t time, bool known)
{
	struct stay *s = stay_of(r, g);

	if (!s->next)	/* counted when it became longer than T */
		return;
	stay_remove(s);
	if (known)
		p99_count(r->more, time > g->since + r->is->limit);
}

static void sched_p99_seen(struct rule *r, uint64_t time)
{
	while (time > r->is->limit && stay_take(&r->stays, time - r->is->limit))
		p99_count(r->more, true);
	p99_pass(r->more, r, time, "waits for a P");
}

static void sched_p99_gap(struct rule *r, uint64_t time)
{
	p99_forget(r->more);
}

static void sched_p99_end(struct rule *r)
{
	free(r->more);
}

const struct family family_p99 = {
	.begin = sched_p99_begin,
	.enter = sched_p99_enter,
	.leave = sched_p99_leave,
	.seen = sched_p99_seen,
	.gap = sched_p99_gap,
	.end = sched_p99_end,
	.stays = 1,
	.stream = true,
};
