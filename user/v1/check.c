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

static check_fn *const handlers[V1_TYPES] = {
	[V1_PROC_START] = check_proc_start,
	[V1_PROC_STOP] = check_proc_stop,
	[V1_GC_START] = check_gc_start,
	[V1_GC_DONE] = check_gc_done,
	[V1_STW_START] = check_stw_start,
	[V1_STW_DONE] = check_stw_done,
	[V1_SWEEP_START] = check_sweep_start,
	[V1_SWEEP_DONE] = check_sweep_done,
	[V1_ASSIST_START] = check_assist_start,
	[V1_ASSIST_DONE] = check_assist_done,
	[V1_GO_CREATE] = check_go_create,
	[V1_GO_START] = check_go_start,
	[V1_GO_START_LABEL] = check_go_start,
	[V1_GO_END] = check_go_end,
	[V1_GO_STOP] = check_go_end,
	[V1_GO_SCHED] = check_go_sched,
	[V1_GO_PREEMPT] = check_go_sched,
	[V1_GO_SLEEP] = check_go_block,
	[V1_GO_BLOCK] = check_go_block,
	[V1_GO_BLOCK_SEND] = check_go_block,
	[V1_GO_BLOCK_RECV] = check_go_block,
	[V1_GO_BLOCK_SELECT] = check_go_block,
	[V1_GO_BLOCK_SYNC] = check_go_block,
	[V1_GO_BLOCK_COND] = check_go_block,
	[V1_GO_BLOCK_NET] = check_go_block,
	[V1_GO_BLOCK_GC] = check_go_block,
	[V1_GO_UNBLOCK] = check_go_unblock,
	[V1_GO_WAITING] = check_go_waiting,
	[V1_GO_IN_SYSCALL] = check_go_in_syscall,
	[V1_GO_SYSCALL] = check_go_syscall,
	[V1_GO_SYSBLOCK] = check_go_sysblock,
	[V1_GO_SYSEXIT] = check_go_sysexit,
	[V1_TASK_CREATE] = check_task_create,
	[V1_TASK_END] = check_task_end,
	[V1_REGION] = check_region,
};

int check_fail(struct check *c, const struct v1_event *ev, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return error_set(c->err, -EBADMSG, "%s (offset 0x%llx, time %lld)", text,
			 (unsigned long long)ev->offset, (long long)ev->time);
}

struct check_g *check_g(struct check *c, uint64_t id)
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

struct check_p *check_p(struct check *c, int32_t id)
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

uint32_t check_index(const struct check *c, const struct v1_event *ev)
{
	return (uint32_t)(ev - (const struct v1_event *)c->t->events.data);
}

void check_link(struct check *c, uint32_t from, const struct v1_event *to)
{
	if (from != V1_NO_LINK)
		v1_ev(c->t, from)->link = check_index(c, to);
}

static void init(struct check *c)
{
	/* "No goroutine" always runs: the scheduler's own events are filed under it. */
	struct check_g *g0 = check_g(c, 0);

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
