// SPDX-License-Identifier: Apache-2.0
/*
 * check: applies the rules to the ordered events. It completes events with facts of other events,
 * or reports the first broken rule. The rules are those of postProcessTrace in Go's parsers (see
 * trace.h); a few differ before 1.5.
 */
#include "v1/check.h"

#include <stdlib.h>

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
	[V1_FUTILE_WAKEUP] = rule_futile_wakeup,
	[V1_TASK_CREATE] = rule_task_create,
	[V1_TASK_END] = rule_task_end,
	[V1_REGION] = rule_region,
	[V1_CPU_SAMPLE] = rule_sample,
};

struct check *v1_check_new(const struct v1_trace *t)
{
	struct check *c = xcalloc(1, sizeof(*c));
	struct check_g *g0;

	c->t = t;
	c->gotrace = t->format.version == V1_GOTRACE;
	/*
	 * Goroutine 0 always runs: it stands for "no goroutine" in events of the scheduler itself.
	 */
	g0 = rule_g(c, 0);
	g0->state = CHECK_RUNNING;
	g0->exists = true;
	return c;
}

int v1_check_event(struct check *c, struct v1_event *ev, struct error *err)
{
	int ret = 0;

	c->err = err;
	c->number++;
	if (c->t->resumed)
		rule_repair_begin(c, ev);
	if (handlers[ev->type])
		ret = handlers[ev->type](c, ev);
	if (ret && c->t->resumed) {
		ev->repaired = rule_repair(c, ev);
		ev->senseless = !ev->repaired;
		ret = ev->senseless && !ev->fresh ? ret : 0;
	}
	if (ev->stack && !map64_get(&c->t->stacks, ev->stack))
		ev->stack = 0;
	return ret;
}

void v1_check_links(struct check *c, uint32_t *links)
{
	c->links = links;
}

uint32_t v1_check_number(const struct check *c)
{
	return c->number;
}

void v1_check_count(const struct check *c, size_t *goroutines, size_t *procs)
{
	*goroutines = c->g_index.len + c->nended - 1;	/* without goroutine 0 */
	/* without P -1, "no P" */
	*procs = c->ps.len - (map64_get(&c->p_index, (uint64_t)-1) != NULL);
}

void v1_check_free(struct check *c)
{
	if (!c)
		return;
	map64_free(&c->g_index);
	map64_free(&c->ended);
	map64_free(&c->p_index);
	map64_free(&c->tasks);
	vec_free(&c->regions);
	vec_free(&c->gs);
	vec_free(&c->free_gs);
	vec_free(&c->ps);
	free(c);
}
