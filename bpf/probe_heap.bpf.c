// SPDX-License-Identifier: GPL-2.0
/*
 * probe_heap: the heap's size and goal. gcController.update runs once per
 * refill of an mcache (about 8 KiB allocated), so this group costs in
 * programs that allocate much.
 */
#include "emit.h"

/* Learned from the first argument of the methods below, if no symbol told. */
__u64 gc_controller_seen = 0;

static __always_inline int send_value(__u64 pid_tgid, __u8 kind, __u64 value)
{
	struct rec_long *l = rec_begin(sizeof(*l), pid_tgid, kind, 0);

	if (!l)
		return 0;
	l->r.id = 0;
	l->r.ptr = 0;
	l->stack = 0;
	l->arg = value;
	rec_submit(l);
	return 0;
}

/* (c *gcControllerState).update(dHeapLive, dHeapScan): the new value is not stored yet. */
SEC("uprobe")
int heap_update(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), c = go_arg1(ctx), delta = go_arg2(ctx);

	if (!delta || !is_target(pid_tgid))
		return 0;
	gc_controller_seen = c;
	return send_value(pid_tgid, REC_HEAP_ALLOC, read_u64(c + off.gcc_heap_live) + delta);
}

/* (c *gcControllerState).resetLive(bytesMarked): the heap after a cycle. */
SEC("uprobe")
int heap_reset(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), c = go_arg1(ctx), marked = go_arg2(ctx);

	if (!is_target(pid_tgid))
		return 0;
	gc_controller_seen = c;
	return send_value(pid_tgid, REC_HEAP_ALLOC, marked);
}

/*
 * startTheWorldWithSema(): the goal is committed while the world is stopped.
 * gcController.heapGoalInternal without a memory limit: the percent goal, but
 * not below what the sweep distance asks for.
 */
SEC("uprobe")
int heap_goal(void *ctx)
{
	__u64 pid_tgid = current_ids(), goal, trigger;
	__u64 c = gc_controller ? gc_controller : gc_controller_seen;

	if (!c || !is_target(pid_tgid))
		return 0;
	goal = read_u64(c + off.gcc_percent_goal);
	trigger = read_u64(c + off.gcc_sweep_trigger);
	if (goal != ~0ULL && trigger > goal)
		goal = trigger;
	return send_value(pid_tgid, REC_HEAP_GOAL, goal);
}
