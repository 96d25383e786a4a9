// SPDX-License-Identifier: Apache-2.0
/* check_go: the rules for goroutines. See check.h. */
#include "v1/check.h"

#define LLU(x) ((unsigned long long)(x))

static const char *name_of(const struct check *c, const struct v1_event *ev)
{
	return v1_trace_type_name(c->t, ev->type);
}

/* The event's goroutine runs, on the event's P, and is one. */
static int must_run(struct check *c, const struct v1_event *ev, bool allow_none)
{
	if (check_g(c, ev->g)->state != CHECK_RUNNING)
		return check_fail(c, ev, "g %llu is not running while %s", LLU(ev->g),
				  name_of(c, ev));
	if (check_p(c, ev->p)->g != ev->g)
		return check_fail(c, ev, "p %d is not running g %llu while %s", ev->p, LLU(ev->g),
				  name_of(c, ev));
	if (!allow_none && ev->g == 0 && !c->gotrace)
		return check_fail(c, ev, "g 0 did %s", name_of(c, ev));
	return 0;
}

/* The goroutine leaves its P; @state is where it goes. */
static void leave(struct check *c, struct v1_event *ev, enum check_g_state state)
{
	struct check_g *g = check_g(c, ev->g);

	check_link(c, g->start, ev);
	g->start = V1_NO_LINK;
	if (ev->g)	/* gotrace lets "no goroutine" do anything and still run */
		g->state = state;
	check_p(c, ev->p)->g = 0;
}

int check_go_create(struct check *c, struct v1_event *ev)
{
	uint32_t index = check_index(c, ev);
	struct check_g *g;
	int ret = must_run(c, ev, true);

	if (ret)
		return ret;
	g = check_g(c, ev->args[0]);
	if (g->exists)
		return check_fail(c, ev, "g %llu already exists", LLU(ev->args[0]));
	g->exists = true;
	g->state = CHECK_RUNNABLE;
	g->last = g->create = index;
	return 0;
}

int check_go_start(struct check *c, struct v1_event *ev)
{
	struct check_g *g = check_g(c, ev->g);
	struct check_p *p = check_p(c, ev->p);

	if (g->state != CHECK_RUNNABLE)
		return check_fail(c, ev, "g %llu is not runnable before start", LLU(ev->g));
	if (p->g != 0)
		return check_fail(c, ev, "p %d is already running g %llu while start g %llu",
				  ev->p, LLU(p->g), LLU(ev->g));
	g->state = CHECK_RUNNING;
	g->start = check_index(c, ev);
	p->g = ev->g;
	if (g->create != V1_NO_LINK)
		ev->stack = v1_ev(c->t, g->create)->args[1];
	g->create = V1_NO_LINK;
	check_link(c, g->last, ev);
	g->last = V1_NO_LINK;
	return 0;
}

/* Regions that are open when their goroutine ends, end there. */
static void flush_regions(struct check *c, struct v1_event *ev)
{
	struct check_g *g = check_g(c, ev->g);

	while (g->region != V1_NO_LINK) {
		uint32_t start = g->region;

		check_link(c, start, ev);
		g->region = (uint32_t)*map64_get(&c->outer, start);
	}
}

int check_go_end(struct check *c, struct v1_event *ev)
{
	int ret = must_run(c, ev, false);

	if (ret)
		return ret;
	leave(c, ev, CHECK_DEAD);
	if (ev->type == V1_GO_END)
		flush_regions(c, ev);
	return 0;
}

int check_go_sched(struct check *c, struct v1_event *ev)
{
	int ret = must_run(c, ev, false);

	if (ret)
		return ret;
	leave(c, ev, CHECK_RUNNABLE);
	check_g(c, ev->g)->last = check_index(c, ev);
	return 0;
}

int check_go_block(struct check *c, struct v1_event *ev)
{
	int ret = must_run(c, ev, false);

	if (ret)
		return ret;
	leave(c, ev, CHECK_WAITING);
	check_g(c, ev->g)->last = check_index(c, ev);
	return 0;
}

int check_go_unblock(struct check *c, struct v1_event *ev)
{
	struct check_g *g;

	if (check_g(c, ev->g)->state != CHECK_RUNNING)
		return check_fail(c, ev, "g %llu is not running while unpark", LLU(ev->g));
	if (ev->row != V1_ROW_TIMER && check_p(c, ev->p)->g != ev->g)
		return check_fail(c, ev, "p %d is not running g %llu while unpark", ev->p,
				  LLU(ev->g));
	g = check_g(c, ev->args[0]);
	if (g->state != CHECK_WAITING)
		return check_fail(c, ev, "g %llu is not waiting before unpark", LLU(ev->args[0]));
	if (g->last != V1_NO_LINK && v1_ev(c->t, g->last)->type == V1_GO_BLOCK_NET &&
	    ev->row != V1_ROW_TIMER)
		ev->row = V1_ROW_NETPOLL;
	check_link(c, g->last, ev);
	g->state = CHECK_RUNNABLE;
	g->last = check_index(c, ev);
	return 0;
}

int check_go_waiting(struct check *c, struct v1_event *ev)
{
	struct check_g *g = check_g(c, ev->g);

	if (g->state != CHECK_RUNNABLE)
		return check_fail(c, ev, "g %llu is not runnable before GoWaiting", LLU(ev->g));
	g->state = CHECK_WAITING;
	g->last = check_index(c, ev);
	return 0;
}

/* Before 1.5 a goroutine in a system call counted as runnable. */
int check_go_in_syscall(struct check *c, struct v1_event *ev)
{
	struct check_g *g = check_g(c, ev->g);

	if (c->gotrace)
		return 0;
	if (g->state != CHECK_RUNNABLE)
		return check_fail(c, ev, "g %llu is not runnable before GoInSyscall", LLU(ev->g));
	g->state = CHECK_WAITING;
	g->last = check_index(c, ev);
	return 0;
}

int check_go_syscall(struct check *c, struct v1_event *ev)
{
	int ret = must_run(c, ev, false);

	if (!ret)
		check_g(c, ev->g)->last = check_index(c, ev);
	return ret;
}

int check_go_sysblock(struct check *c, struct v1_event *ev)
{
	int ret = must_run(c, ev, false);

	if (!ret)
		leave(c, ev, c->gotrace ? CHECK_RUNNABLE : CHECK_WAITING);
	return ret;
}

int check_go_sysexit(struct check *c, struct v1_event *ev)
{
	struct check_g *g = check_g(c, ev->g);

	if (c->gotrace && g->state != CHECK_RUNNABLE)
		return check_fail(c, ev, "g %llu is not runnable during syscall exit",
				  LLU(ev->g));
	if (!c->gotrace && g->state != CHECK_WAITING)
		return check_fail(c, ev, "g %llu is not waiting during syscall exit", LLU(ev->g));
	if (g->last != V1_NO_LINK && v1_ev(c->t, g->last)->type == V1_GO_SYSCALL)
		check_link(c, g->last, ev);
	g->state = CHECK_RUNNABLE;
	g->last = check_index(c, ev);
	return 0;
}
