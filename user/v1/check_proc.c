// SPDX-License-Identifier: Apache-2.0
/* check_proc: the rules for Ps, the garbage collector and annotations. See check.h. */
#include "v1/check.h"

#include <string.h>

#define LLU(x) ((unsigned long long)(x))

int rule_proc_start(struct check *c, struct v1_event *ev)
{
	struct check_p *p = rule_p(c, ev->p);

	if (p->running)
		return rule_fail(c, ev, "p %d is running before start", ev->p);
	p->running = true;
	return 0;
}

int rule_proc_stop(struct check *c, struct v1_event *ev)
{
	struct check_p *p = rule_p(c, ev->p);

	if (!p->running)
		return rule_fail(c, ev, "p %d is not running before stop", ev->p);
	if (p->g)
		return rule_fail(c, ev, "p %d is running a goroutine %llu during stop", ev->p,
				  LLU(p->g));
	p->running = false;
	return 0;
}

static int open_one(struct check *c, uint32_t *open, struct v1_event *ev, const char *what)
{
	if (*open != V1_NO_LINK)
		return rule_fail(c, ev, "previous %s is not ended before a new one", what);
	*open = rule_index(c, ev);
	return 0;
}

static int close_one(struct check *c, uint32_t *open, struct v1_event *ev, const char *what)
{
	if (*open == V1_NO_LINK)
		return rule_fail(c, ev, "bogus %s end", what);
	rule_link(c, *open, ev);
	*open = V1_NO_LINK;
	return 0;
}

/* One collection at a time; before 1.5 the parser looked at each P alone. */
static uint32_t *gc_of(struct check *c, const struct v1_event *ev)
{
	return c->gotrace ? &rule_p(c, ev->p)->gc : &c->gc;
}

int rule_gc_start(struct check *c, struct v1_event *ev)
{
	ev->row = V1_ROW_GC;
	return open_one(c, gc_of(c, ev), ev, "GC");
}

int rule_gc_done(struct check *c, struct v1_event *ev)
{
	return close_one(c, gc_of(c, ev), ev, "GC");
}

/* Per P up to 1.9, of the whole program since. */
static uint32_t *stw_of(struct check *c, const struct v1_event *ev)
{
	return c->t->format.version < 10 ? &rule_p(c, ev->p)->stw : &c->stw;
}

static const char *stw_name(const struct check *c)
{
	return c->gotrace ? "scanning" : "STW";
}

int rule_stw_start(struct check *c, struct v1_event *ev)
{
	return open_one(c, stw_of(c, ev), ev, stw_name(c));
}

int rule_stw_done(struct check *c, struct v1_event *ev)
{
	return close_one(c, stw_of(c, ev), ev, stw_name(c));
}

int rule_sweep_start(struct check *c, struct v1_event *ev)
{
	return open_one(c, &rule_p(c, ev->p)->sweep, ev, "sweeping");
}

int rule_sweep_done(struct check *c, struct v1_event *ev)
{
	return close_one(c, &rule_p(c, ev->p)->sweep, ev, "sweeping");
}

int rule_assist_start(struct check *c, struct v1_event *ev)
{
	return open_one(c, &rule_g(c, ev->g)->assist, ev, "mark assist");
}

/* An assist may have been going on when tracing began: its end alone is fine. */
int rule_assist_done(struct check *c, struct v1_event *ev)
{
	struct check_g *g = rule_g(c, ev->g);

	rule_link(c, g->assist, ev);
	g->assist = V1_NO_LINK;
	return 0;
}

int rule_task_create(struct check *c, struct v1_event *ev)
{
	bool is_new;
	uint64_t *slot = map64_put(&c->tasks, ev->args[0], &is_new);

	if (!is_new)
		return rule_fail(c, ev, "task id conflicts (id:%llu)", LLU(ev->args[0]));
	*slot = rule_index(c, ev);
	return 0;
}

int rule_task_end(struct check *c, struct v1_event *ev)
{
	uint64_t *slot = map64_get(&c->tasks, ev->args[0]);

	if (!slot)
		return 0;
	rule_link(c, (uint32_t)*slot, ev);
	map64_del(&c->tasks, ev->args[0]);
	return 0;
}

static int region_end(struct check *c, struct check_g *g, struct v1_event *ev)
{
	const struct v1_event *start;
	uint32_t index = g->region;
	const char *name = v1_trace_string(c->t, ev->args[2]);

	if (index == V1_NO_LINK)	/* it began before the trace */
		return 0;
	start = v1_ev(c->t, index);
	if (start->args[0] != ev->args[0] ||
	    strcmp(v1_trace_string(c->t, start->args[2]), name))
		return rule_fail(c, ev, "misuse of region in goroutine %llu: end of \"%.40s\" "
				  "of task %llu when the inner-most open region is \"%.40s\" of "
				  "task %llu", LLU(ev->g), name, LLU(ev->args[0]),
				  v1_trace_string(c->t, start->args[2]), LLU(start->args[0]));
	rule_link(c, index, ev);
	g->region = (uint32_t)*map64_get(&c->outer, index);
	return 0;
}

int rule_region(struct check *c, struct v1_event *ev)
{
	struct check_g *g = rule_g(c, ev->g);

	if (ev->args[1] > 1)
		return rule_fail(c, ev, "invalid user region mode: %llu", LLU(ev->args[1]));
	if (ev->args[1] == 1)
		return region_end(c, g, ev);
	*map64_put(&c->outer, rule_index(c, ev), NULL) = g->region;
	g->region = rule_index(c, ev);
	return 0;
}
