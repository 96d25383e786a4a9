// SPDX-License-Identifier: Apache-2.0
/* check_go: the rules for goroutines. See check.h. */
#include "v1/check.h"

#define LLU(x) ((unsigned long long)(x))

static const char *v1_check_name_of(const struct check *c, const struct v1_event *ev)
{
	return v1_trace_type_name(c->t, ev->type);
}

/* Fails unless the event's goroutine runs on the event's P. @allow_none: goroutine 0 may, too. */
static int must_run(struct check *c, const struct v1_event *ev, bool allow_none)
{
	if (rule_g(c, ev->g)->state != CHECK_RUNNING)
		return rule_fail(c, ev, "g %llu is not running while %s", LLU(ev->g),
				  v1_check_name_of(c, ev));
	if (rule_p(c, ev->p)->g != ev->g)
		return rule_fail(c, ev, "p %lld is not running g %llu while %s",
				 (long long)ev->p, LLU(ev->g), v1_check_name_of(c, ev));
	if (!allow_none && ev->g == 0)
		return rule_fail(c, ev, "g 0 did %s", v1_check_name_of(c, ev));
	return 0;
}

/* The goroutine leaves its P and is in @state. */
static void v1_check_leave(struct check *c, struct v1_event *ev, enum check_g_state state)
{
	struct check_g *g = rule_g(c, ev->g);

	rule_link(c, &g->ran);
	g->state = state;
	rule_p(c, ev->p)->g = 0;
}

/* Notes @ev as the event that blocked @g or made it runnable: @ev leads to the next event of @g. */
static void v1_check_move(const struct check *c, struct check_g *g, const struct v1_event *ev)
{
	g->last = ev->type;
	g->moved = c->number;
}

int rule_go_create(struct check *c, struct v1_event *ev)
{
	struct check_g *g;
	int ret = must_run(c, ev, true);

	if (ret)
		return ret;
	g = rule_g(c, ev->args[0]);
	if (g->exists)
		return rule_fail(c, ev, "g %llu already exists", LLU(ev->args[0]));
	g->exists = true;
	g->state = CHECK_RUNNABLE;
	g->last = ev->type;
	g->moved = c->number;
	g->created = true;
	g->start = ev->args[1];
	return 0;
}

int rule_go_start(struct check *c, struct v1_event *ev)
{
	struct check_g *g = rule_g(c, ev->g);
	struct check_p *p = rule_p(c, ev->p);

	if (g->state != CHECK_RUNNABLE)
		return rule_fail(c, ev, "g %llu is not runnable before start", LLU(ev->g));
	if (p->g != 0)
		return rule_fail(c, ev, "p %lld is already running g %llu while start g %llu",
				 (long long)ev->p, LLU(p->g), LLU(ev->g));
	g->state = CHECK_RUNNING;
	p->g = ev->g;
	if (g->created)
		ev->stack = g->start;
	g->created = false;
	g->last = 0;
	g->ran = c->number;
	rule_link(c, &g->moved);
	return 0;
}

/* The end of a goroutine. It ends the regions that are open in the goroutine. */
static void v1_check_end(struct check *c, const struct v1_event *ev)
{
	struct check_g *g = rule_g(c, ev->g);

	while (g->region)
		rule_region_pop(c, g);
	if (g->state == CHECK_DEAD && g->exists && !g->assist)
		rule_g_end(c, ev->g);
}

int rule_go_end(struct check *c, struct v1_event *ev)
{
	int ret = must_run(c, ev, false);

	if (ret)
		return ret;
	v1_check_leave(c, ev, CHECK_DEAD);
	if (ev->type == V1_GO_END)
		v1_check_end(c, ev);
	return 0;
}

int rule_go_sched(struct check *c, struct v1_event *ev)
{
	int ret = must_run(c, ev, false);

	if (ret)
		return ret;
	v1_check_leave(c, ev, CHECK_RUNNABLE);
	v1_check_move(c, rule_g(c, ev->g), ev);
	return 0;
}

int rule_go_block(struct check *c, struct v1_event *ev)
{
	int ret = must_run(c, ev, false);

	if (ret)
		return ret;
	v1_check_leave(c, ev, CHECK_WAITING);
	v1_check_move(c, rule_g(c, ev->g), ev);
	return 0;
}

int rule_go_unblock(struct check *c, struct v1_event *ev)
{
	struct check_g *g;

	if (rule_g(c, ev->g)->state != CHECK_RUNNING)
		return rule_fail(c, ev, "g %llu is not running while unpark", LLU(ev->g));
	if (ev->row != V1_ROW_TIMER && rule_p(c, ev->p)->g != ev->g)
		return rule_fail(c, ev, "p %lld is not running g %llu while unpark",
				 (long long)ev->p, LLU(ev->g));
	g = rule_g(c, ev->args[0]);
	if (g->state != CHECK_WAITING)
		return rule_fail(c, ev, "g %llu is not waiting before unpark", LLU(ev->args[0]));
	if (g->last == V1_GO_BLOCK_NET && ev->row != V1_ROW_TIMER)
		ev->row = V1_ROW_NETPOLL;
	g->state = CHECK_RUNNABLE;
	rule_link(c, &g->moved);
	v1_check_move(c, g, ev);
	return 0;
}

int rule_go_waiting(struct check *c, struct v1_event *ev)
{
	struct check_g *g = rule_g(c, ev->g);

	if (g->state != CHECK_RUNNABLE)
		return rule_fail(c, ev, "g %llu is not runnable before GoWaiting", LLU(ev->g));
	g->state = CHECK_WAITING;
	v1_check_move(c, g, ev);
	return 0;
}

/* Before 1.5 a goroutine in a system call is runnable. */
int rule_go_in_syscall(struct check *c, struct v1_event *ev)
{
	struct check_g *g = rule_g(c, ev->g);

	if (c->gotrace)
		return 0;
	if (g->state != CHECK_RUNNABLE)
		return rule_fail(c, ev, "g %llu is not runnable before GoInSyscall", LLU(ev->g));
	g->state = CHECK_WAITING;
	v1_check_move(c, g, ev);
	return 0;
}

/*
 * The parser before 1.5 looks up the GoStart of a goroutine that leaves its P. Goroutine 0 has
 * none, so this rule does not require one.
 */
int rule_go_syscall(struct check *c, struct v1_event *ev)
{
	int ret = must_run(c, ev, c->gotrace);

	if (!ret)
		v1_check_move(c, rule_g(c, ev->g), ev);
	return ret;
}

int rule_go_sysblock(struct check *c, struct v1_event *ev)
{
	int ret = must_run(c, ev, false);

	if (!ret)
		v1_check_leave(c, ev, c->gotrace ? CHECK_RUNNABLE : CHECK_WAITING);
	return ret;
}

int rule_go_sysexit(struct check *c, struct v1_event *ev)
{
	struct check_g *g = rule_g(c, ev->g);

	if (c->gotrace && g->state != CHECK_RUNNABLE)
		return rule_fail(c, ev, "g %llu is not runnable during syscall exit",
				  LLU(ev->g));
	if (!c->gotrace && g->state != CHECK_WAITING)
		return rule_fail(c, ev, "g %llu is not waiting during syscall exit", LLU(ev->g));
	g->state = CHECK_RUNNABLE;
	if (g->last == V1_GO_SYSCALL)
		rule_link(c, &g->moved);
	v1_check_move(c, g, ev);
	return 0;
}

/*
 * No runtime since 1.11 writes this event. Readers since Go 1.23, the only ones of these formats,
 * refuse it.
 */
int rule_futile_wakeup(struct check *c, struct v1_event *ev)
{
	if (c->t->format.version < 11)
		return 0;
	return rule_fail(c, ev, "unexpected event %s", v1_check_name_of(c, ev));
}
