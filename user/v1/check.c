// SPDX-License-Identifier: Apache-2.0
/*
 * check: ordered events come in; they leave linked to the events that answer
 * them, or the first broken rule is reported. The rules are those of
 * postProcessTrace in the parsers of Go (see trace.h); before 1.5 a few differ.
 */
#include "v1/check.h"

#include <errno.h>
#include <stdarg.h>

#include "v1/order.h"

static rule_fn *const handlers[V1_TYPES] = {
	[V1_PROC_START] = rule_proc_start,
	[V1_PROC_STOP] = rule_proc_stop,
	[V1_GC_START] = rule_gc_start,
	[V1_GC_DONE] = rule_gc_done,
	[V1_STW_START] = rule_stw_start,
	[V1_STW_DONE] = rule_stw_done,
	[V1_SWEEP_START] = rule_sweep_start,
	[V1_SWEEP_DONE] = rule_sweep_done,
	[V1_ASSIST_START] = rule_assist_start,
	[V1_ASSIST_DONE] = rule_assist_done,
	[V1_GO_CREATE] = rule_go_create,
	[V1_GO_START] = rule_go_start,
	[V1_GO_START_LABEL] = rule_go_start,
	[V1_GO_END] = rule_go_end,
	[V1_GO_STOP] = rule_go_end,
	[V1_GO_SCHED] = rule_go_sched,
	[V1_GO_PREEMPT] = rule_go_sched,
	[V1_GO_SLEEP] = rule_go_block,
	[V1_GO_BLOCK] = rule_go_block,
	[V1_GO_BLOCK_SEND] = rule_go_block,
	[V1_GO_BLOCK_RECV] = rule_go_block,
	[V1_GO_BLOCK_SELECT] = rule_go_block,
	[V1_GO_BLOCK_SYNC] = rule_go_block,
	[V1_GO_BLOCK_COND] = rule_go_block,
	[V1_GO_BLOCK_NET] = rule_go_block,
	[V1_GO_BLOCK_GC] = rule_go_block,
	[V1_GO_UNBLOCK] = rule_go_unblock,
	[V1_GO_WAITING] = rule_go_waiting,
	[V1_GO_IN_SYSCALL] = rule_go_in_syscall,
	[V1_GO_SYSCALL] = rule_go_syscall,
	[V1_GO_SYSBLOCK] = rule_go_sysblock,
	[V1_GO_SYSEXIT] = rule_go_sysexit,
	[V1_TASK_CREATE] = rule_task_create,
	[V1_TASK_END] = rule_task_end,
	[V1_REGION] = rule_region,
};

int rule_fail(struct check *c, const struct v1_event *ev, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return error_set(c->err, -EBADMSG, "%s (offset 0x%llx, time %lld)", text,
			 (unsigned long long)ev->offset, (long long)ev->time);
}

struct check_g *rule_g(struct check *c, uint64_t id)
{
	bool is_new;
	uint64_t *slot = map64_put(&c->g_index, id, &is_new);
	struct check_g *g;

	if (!is_new)
		return vec_at(&c->gs, struct check_g, *slot);
	*slot = c->gs.len;
	g = vec_push(&c->gs, sizeof(*g));
	g->last = g->start = g->create = g->assist = g->region = V1_NO_LINK;
	return g;
}

struct check_p *rule_p(struct check *c, int32_t id)
{
	bool is_new;
	uint64_t *slot = map64_put(&c->p_index, (uint64_t)(int64_t)id, &is_new);
	struct check_p *p;

	if (!is_new)
		return vec_at(&c->ps, struct check_p, *slot);
	*slot = c->ps.len;
	p = vec_push(&c->ps, sizeof(*p));
	p->gc = p->stw = p->sweep = V1_NO_LINK;
	return p;
}

uint32_t rule_index(const struct check *c, const struct v1_event *ev)
{
	return (uint32_t)(ev - (const struct v1_event *)c->t->events.data);
}

void rule_link(struct check *c, uint32_t from, const struct v1_event *to)
{
	if (from != V1_NO_LINK)
		v1_ev(c->t, from)->link = rule_index(c, to);
}

static void init(struct check *c)
{
	/* "No goroutine" always runs: the scheduler's own events are filed under it. */
	struct check_g *g0 = rule_g(c, 0);

	g0->state = CHECK_RUNNING;
	g0->exists = true;
	c->gc = c->stw = V1_NO_LINK;
}

static void release(struct check *c)
{
	map64_free(&c->g_index);
	map64_free(&c->p_index);
	map64_free(&c->tasks);
	map64_free(&c->outer);
	vec_free(&c->gs);
	vec_free(&c->ps);
}

/*
 * Marks the GoSysCalls that block: the next event of the goroutine is its
 * GoSysBlock. @next holds the type of each goroutine's next event.
 */
static void mark_blocking_syscalls(struct v1_trace *t)
{
	struct map64 next = {0};
	size_t i = t->events.len;

	while (i--) {
		struct v1_event *ev = v1_ev(t, i);
		uint64_t *type = map64_put(&next, ev->g, NULL);

		if (ev->type == V1_GO_SYSCALL)
			ev->sys_blocks = *type == V1_GO_SYSBLOCK;
		*type = ev->type;
	}
	map64_free(&next);
}

static int run(struct check *c)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < c->t->events.len && !ret; i++) {
		struct v1_event *ev = v1_ev(c->t, i);

		if (handlers[ev->type])
			ret = handlers[ev->type](c, ev);
		if (ev->stack && !map64_get(&c->t->stacks, ev->stack))
			ev->stack = 0;
	}
	return ret;
}

int v1_check_events(struct v1_trace *t, struct error *err)
{
	struct check c = { .t = t, .err = err, .gotrace = t->format.version == V1_GOTRACE };
	int ret;

	init(&c);
	ret = run(&c);
	t->goroutines = c.gs.len - 1;
	t->procs = c.ps.len;
	release(&c);
	if (!ret)
		mark_blocking_syscalls(t);
	return ret;
}
