// SPDX-License-Identifier: Apache-2.0
/* check_proc: the rules for Ps, the garbage collector and annotations. See check.h. */
#include "v1/check.h"

#define LLU(x) ((unsigned long long)(x))

int rule_proc_start(struct check *c, struct v1_event *ev)
{
	struct check_p *p = rule_p(c, ev->p);

	if (p->running)
		return rule_fail(c, ev, "p %lld is running before start", (long long)ev->p);
	p->running = true;
	return 0;
}

int rule_proc_stop(struct check *c, struct v1_event *ev)
{
	struct check_p *p = rule_p(c, ev->p);

	if (!p->running)
		return rule_fail(c, ev, "p %lld is not running before stop", (long long)ev->p);
	if (p->g)
		return rule_fail(c, ev, "p %lld is running a goroutine %llu during stop",
				 (long long)ev->p, LLU(p->g));
	p->running = false;
	return 0;
}

static int open_one(struct check *c, uint32_t *open, struct v1_event *ev, const char *what)
{
	if (*open)
		return rule_fail(c, ev, "previous %s is not ended before a new one", what);
	*open = c->number;
	return 0;
}

static int close_one(struct check *c, uint32_t *open, struct v1_event *ev, const char *what)
{
	if (!*open)
		return rule_fail(c, ev, "bogus %s end", what);
	rule_link(c, open);
	return 0;
}

/* One collection at a time; before 1.5 the parser checks each P separately. */
static uint32_t *v1_check_proc_gc_of(struct check *c, const struct v1_event *ev)
{
	return c->gotrace ? &rule_p(c, ev->p)->gc : &c->gc;
}

int rule_gc_start(struct check *c, struct v1_event *ev)
{
	ev->row = V1_ROW_GC;
	return open_one(c, v1_check_proc_gc_of(c, ev), ev, "GC");
}

int rule_gc_done(struct check *c, struct v1_event *ev)
{
	return close_one(c, v1_check_proc_gc_of(c, ev), ev, "GC");
}

/* Up to 1.9 each P has its own stop-the-world, since 1.10 the program has one. */
static uint32_t *v1_check_proc_stw_of(struct check *c, const struct v1_event *ev)
{
	return c->t->format.version < 10 ? &rule_p(c, ev->p)->stw : &c->stw;
}

static const char *stw_name(const struct check *c)
{
	return c->gotrace ? "scanning" : "STW";
}

/*
 * The formats of Go 1.10 to 1.20 have two kinds of stop-the-world. Go's parsers up to 1.22 refuse
 * any other number.
 */
static int check_kind(struct check *c, const struct v1_event *ev)
{
	int version = c->t->format.version;

	if (version < 10 || version >= 21 || ev->args[0] <= 1)
		return 0;
	return rule_fail(c, ev, "unknown STW kind %llu", LLU(ev->args[0]));
}

int rule_stw_start(struct check *c, struct v1_event *ev)
{
	int ret = check_kind(c, ev);

	if (ret)
		return ret;
	return open_one(c, v1_check_proc_stw_of(c, ev), ev, stw_name(c));
}

int rule_stw_done(struct check *c, struct v1_event *ev)
{
	return close_one(c, v1_check_proc_stw_of(c, ev), ev, stw_name(c));
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

/* An assist may have begun before the trace: its end alone is legal. */
int rule_assist_done(struct check *c, struct v1_event *ev)
{
	rule_link(c, &rule_g(c, ev->g)->assist);
	return 0;
}

int rule_task_create(struct check *c, struct v1_event *ev)
{
	bool is_new;

	uint64_t *begin = map64_put(&c->tasks, ev->args[0], &is_new);

	if (!is_new)
		return rule_fail(c, ev, "task id conflicts (id:%llu)", LLU(ev->args[0]));
	*begin = c->number;
	return 0;
}

int rule_task_end(struct check *c, struct v1_event *ev)
{
	const uint64_t *begin = map64_get(&c->tasks, ev->args[0]);
	uint32_t from = begin ? (uint32_t)*begin : 0;

	rule_link(c, &from);
	map64_del(&c->tasks, ev->args[0]);
	return 0;
}

static void push_region(struct check *c, struct check_g *g, const struct v1_event *ev)
{
	struct check_region *r;
	uint32_t number = c->free_region;

	if (number) {
		r = vec_at(&c->regions, struct check_region, number - 1);
		c->free_region = r->outer;
	} else {
		r = vec_push(&c->regions, sizeof(*r));
		number = (uint32_t)c->regions.len;
	}
	*r = (struct check_region){ ev->args[0], ev->args[2], g->region, c->number };
	g->region = number;
}

void rule_region_pop(struct check *c, struct check_g *g)
{
	struct check_region *r = vec_at(&c->regions, struct check_region, g->region - 1);
	uint32_t number = g->region;

	rule_link(c, &r->begin);
	g->region = r->outer;
	r->outer = c->free_region;
	c->free_region = number;
}

static int v1_check_proc_region_end(struct check *c, struct check_g *g, struct v1_event *ev)
{
	const struct check_region *open;
	const char *name = v1_trace_string(c->t, ev->args[2]), *open_name;

	if (!g->region)		/* the region began before the trace */
		return 0;
	open = vec_at(&c->regions, struct check_region, g->region - 1);
	open_name = v1_trace_string(c->t, open->name);
	/* Texts are interned: equal texts have equal addresses. */
	if (open->task != ev->args[0] || open_name != name)
		return rule_fail(c, ev, "misuse of region in goroutine %llu: end of \"%.40s\" "
				  "of task %llu when the inner-most open region is \"%.40s\" of "
				  "task %llu", LLU(ev->g), name, LLU(ev->args[0]), open_name,
				  LLU(open->task));
	rule_region_pop(c, g);
	return 0;
}

int rule_region(struct check *c, struct v1_event *ev)
{
	struct check_g *g = rule_g(c, ev->g);

	if (ev->args[1] > 1)
		return rule_fail(c, ev, "invalid user region mode: %llu", LLU(ev->args[1]));
	if (ev->args[1] == 1)
		return v1_check_proc_region_end(c, g, ev);
	push_region(c, g, ev);
	return 0;
}

/* A goroutine that was sampled cannot be created later. */
int rule_sample(struct check *c, struct v1_event *ev)
{
	rule_g(c, ev->g)->exists = true;
	return 0;
}
