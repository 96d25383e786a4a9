// SPDX-License-Identifier: GPL-2.0
/*
 * probe_heap: the heap's size and goal. gcController.update runs once per refill of an mcache
 * (about 8 KiB allocated), so that this group costs time in programs that allocate much.
 */
#include "send.h"

/* (c *gcControllerState).update(dHeapLive, dHeapScan). c does not have the new value yet. */
SEC("uprobe")
int GO_PROGRAM(heap_update)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), c = go_arg1(ctx), delta = go_arg2(ctx);

	if (!delta || !is_target(pid_tgid) || go_restarts(ctx, INLINE_heap_update))
		return 0;
	return send_value(pid_tgid, REC_HEAP_ALLOC, read_u64(c + off.gcc_heap_live) + delta, delta);
}

/* (c *gcControllerState).resetLive(bytesMarked): the heap after a cycle of the collector. */
SEC("uprobe")
int GO_PROGRAM(heap_reset)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), marked = go_arg2(ctx);

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_heap_reset))
		return 0;
	return send_value(pid_tgid, REC_HEAP_ALLOC, marked, 0);
}

/*
 * gcControllerCommit(), where (*gcControllerState).trigger() has returned (trigger, goal): the goal
 * by percent and memory limit that the runtime's own tracer has just written. All ones: no goal,
 * the collector is off. For `--attach inline` the probe sits at the next call,
 * gcPaceSweeper(trigger), where the goal is still in the register of a second argument.
 */
SEC("uprobe")
int GO_PROGRAM(heap_goal)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), goal = go_arg2(ctx);

	if (!is_target(pid_tgid))
		return 0;
	return send_value(pid_tgid, REC_HEAP_GOAL, goal, 0);
}

#ifndef GO_INLINE
/*
 * Up to Go 1.18, at each jump on trace.enabled before traceHeapAlloc(), where the runtime's tracer
 * would record memstats.heap_live next (user/target/trace_flag.h).
 */
SEC("uprobe")
int GO_PROGRAM(heap_asked)(void *ctx)
{
	__u64 pid_tgid = current_ids();

	if (!is_target(pid_tgid))
		return 0;
	return send_value(pid_tgid, REC_HEAP_ALLOC, read_u64(heap_live_at), 0);
}

/* As heap_asked(), before traceNextGC() or traceHeapGoal(). All ones: the collector is off. */
SEC("uprobe")
int GO_PROGRAM(goal_asked)(void *ctx)
{
	__u64 pid_tgid = current_ids();

	if (!is_target(pid_tgid))
		return 0;
	return send_value(pid_tgid, REC_HEAP_GOAL, read_u64(heap_goal_at), 0);
}
#endif
