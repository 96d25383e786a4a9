// SPDX-License-Identifier: Apache-2.0
/* syscalls: in and out of syscalls, and C threads in and out of Go. See handlers.h. */
#include "sched/handlers.h"

#include "sched/children.h"
#include "sched/ensure.h"
#include "sched/steps.h"

void sys_enter(struct model *s, struct M *m, const struct rec *r)
{
	ensure_running(s, m, r->id);
	ensure_may_leave(s, m);
	if (m->g->child)
		child_stops(s, m);
	step_sys_begin(s, m, as_long(r)->stack);
}

/* Before the trace begins the model takes the thread's P from the record. */
static void learn_p(struct model *s, struct M *m, struct G *g, struct P *p)
{
	g_bind(g, m, G_RUNNING);
	if (p)
		p_bind(p, m, P_RUNNING);
}

/*
 * A uprobe at the test of trace.enabled has made a record of this exit just before (REC_EXIT_HOOK).
 * Where trace.enabled is now says nothing about that: the runtime clears trace.enabled while other
 * threads run (traceAdvance in runtime/trace.go), so also between the test and the hook.
 */
static bool is_exit_again(const struct M *m, const struct rec *r)
{
	return m->uprobe_exit && (r->sub & REC_EXIT_HOOK);
}

/*
 * The runtime's order: a P kept through the syscall gives GoSyscallEnd; one
 * that was ever taken away, even if the same came back, gives (steal, start)
 * GoSyscallEndBlocked, GoStart.
 */
void sys_exit(struct model *s, struct M *m, const struct rec *r)
{
	struct P *p = p_by_ptr(s, as_long(r)->arg);
	bool kept = r->sub & REC_EXIT_SAME_P,
	     is_out = m->g && m->g->id == r->id && m->g->status == G_RUNNING;
	struct G *g;

	if (is_out && is_exit_again(m, r))
		return;

	/*
	 * From Go 1.26 this probe runs after the status changed: a snapshot taken
	 * in between has the goroutine running already.
	 */
	if (m->unheard && kept && is_out)
		return;
	g = ensure_syscall(s, m, r->id);

	if (!s->started) {
		learn_p(s, m, g, p);
		return;
	}
	if (!p)
		p = m->p;
	if (kept && m->p && m->p == p && p->status == P_SYSCALL) {
		step_sys_end(s, m);
		if (g->child)
			child_runs(s, m);
		return;
	}
	if (m->p && (m->p != p || m->p->status == P_SYSCALL))
		ensure_p_idle(s, m, m->p);
	if (p && p->m != m) {
		ensure_p_idle(s, m, p);
		step_p_start(s, m, p);
	}
	ensure_p(s, m);
	step_sys_end_blocked(s, m);
	step_go_start(s, m, g);
	if (g->child)
		child_runs(s, m);
}

void sys_exit_nop(struct model *s, struct M *m, const struct rec *r)
{
	ensure_syscall(s, m, r->id);
	if (m->p)
		ensure_p_idle(s, m, m->p);
	step_sys_end_blocked(s, m);
}

void extra_enter(struct model *s, struct M *m, const struct rec *r)
{
	struct G *g = g_put(s, r->id);

	if (g->status != STATUS_UNKNOWN) {
		repair(s, REPAIR_DROPPED);
		return;
	}
	ensure_no_g(s, m);
	if (m->p)
		ensure_p_idle(s, m, m->p);
	step_sys_create(s, m, g);
}

void extra_leave(struct model *s, struct M *m, const struct rec *r)
{
	ensure_syscall(s, m, r->id);
	if (m->p)
		ensure_p_idle(s, m, m->p);
	if (s->started && s->extras.len < EXTRAS)
		map64_put(&s->extras, r->id, NULL);
	step_sys_destroy(s, m);
}
