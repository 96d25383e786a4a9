// SPDX-License-Identifier: GPL-2.0
/*
 * probe_go: the states of goroutines. The runtime calls casgstatus(gp, old, new) for every
 * transition, before the transition becomes visible to other threads. The kind of the transition
 * (start, park, syscall...) follows from the caller, which the return address names. The plan puts
 * the probes at the calls that the trace has an event for (user/plan/sites.c, move_to_calls).
 */
#include "transition.h"

enum { GO_RUNNABLE = 1, GO_RUNNING = 2 };	/* runtime/runtime2.go */

SEC("uprobe")
int GO_PROGRAM(casgstatus)(struct pt_regs *ctx)
{
	struct transition t = { .pid_tgid = current_ids() };
	struct go_casgstatus c = go_casgstatus(ctx);

	if (!is_target(t.pid_tgid))
		return 0;
	t.g = c.g;
	t.fp = c.fp;
	t.gp = c.gp;
	t.ret = c.ret;
	/*
	 * execute() makes a runnable goroutine run. coroswitch_m makes the same change if its fast
	 * path fails; the model knows then that the goroutine runs.
	 */
	if ((__u32)c.old == GO_RUNNABLE && (__u32)c.new == GO_RUNNING) {
		t.site = (struct site_class){ .kind = REC_GO_START };
		return send_plain(&t);
	}
	if (!site_find(SITE_KEY(t.ret, c.old, c.new), &t.site))
		return 0;
	if (t.site.kind == REC_SYS_ENTER)
		return send_sys_enter(&t, (struct stack_start){ .pc = t.ret, .bp = t.fp });
	if (t.site.kind == REC_SYS_EXIT)
		return send_sys_exit(&t);
	return send_transition(&t);
}

/*
 * preemptPark(gp): the goroutine stops for a scan of its stack. preemptPark does not use
 * casgstatus; ready() makes the goroutine runnable again.
 */
SEC("uprobe")
int GO_PROGRAM(preempt_park)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), gp = go_arg1(ctx);
	struct transition t = {
		.pid_tgid = pid_tgid,
		.g = go_g(ctx),
		.gp = gp,
		.site = { .kind = REC_GO_PREEMPT_PARK, .stack = STACK_PREEMPT },
	};
	struct stack_start from;
	struct rec_long *l;
	struct g_chunk c;

	/*
	 * No go_restarts(): preemptPark() runs on g0, and the runtime does not grow the stack of
	 * g0, so that the function never starts again. In a program built with -pgo the probe sits
	 * at a call, where the flags are not those of a stack check.
	 */
	if (!is_target(pid_tgid))
		return 0;
	l = rec_begin(sizeof(*l), pid_tgid, REC_GO_PREEMPT_PARK, 0);
	if (!l)
		return 0;
	g_read(&c, gp);
	l->r.id = G_FIELD(&c, __u64, goid);
	l->r.ptr = gp;
	l->r.flags = 1 + worker_mode(&t);
	l->arg = 0;
	from = start_at_preempted(&c, gp);
	put_stack(l, &t, &from, 0);
	return 0;
}

#ifndef GO_OLD
/*
 * coroswitch_m(gp), Go 1.23+: the next goroutine is the first word of gp.coroarg. Only mcall calls
 * coroswitch_m, so that a probe at its calls sits at calls of mcall, where gp is g.
 */
SEC("uprobe")
int coroswitch(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), next;
	__u64 gp = go_at_call(INLINE_coroswitch) ? go_g(ctx) : loaded(go_arg1(ctx));
	struct rec_long *l;
	struct coro_args a;

	if (!is_target(pid_tgid))
		return 0;
	read_coro_args(&a, gp);
	next = read_u64(a.coro);
	l = rec_begin(sizeof(*l), pid_tgid, a.exit ? REC_GO_SWITCH_DEAD : REC_GO_SWITCH, 0);
	if (!l)
		return 0;
	l->r.id = goid_of(&l->r, gp);
	l->r.ptr = gp;
	l->arg = next;
	/* there is none if the coroutine has ended: the runtime throws next */
	l->stack = next ? goid_of(&l->r, next) : 0;
	rec_submit(l);
	return 0;
}
#endif
