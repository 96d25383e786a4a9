// SPDX-License-Identifier: Apache-2.0
/*
 * v2_order: see v2_order.h. Input: one event of one thread. Output: a verdict and up to three
 * events. This file has the dispatch; the rules are in v2_advance_*.c, the tables of states in
 * v2_order_state.c.
 */
#include "read/v2_advance.h"

static enum advance advance_unknown(struct order *o, struct trace_event *ev)
{
	return advance_fail(o, ev, "bad event type found while ordering: %u", ev->type);
}

order_handler *const order_handlers[RAW_SPECS] = {
	[EV_ClockSnapshot] = advance_unknown,
	[EV_ProcsChange] = advance_annotation,
	[EV_ProcStart] = advance_proc_start,
	[EV_ProcStop] = advance_proc_stop,
	[EV_ProcSteal] = advance_proc_steal,
	[EV_ProcStatus] = advance_proc_status,

	[EV_GoCreate] = advance_go_create,
	[EV_GoCreateBlocked] = advance_go_create,
	[EV_GoCreateSyscall] = advance_go_create_syscall,
	[EV_GoStart] = advance_go_start,
	[EV_GoStop] = advance_go_stop,
	[EV_GoBlock] = advance_go_stop,
	[EV_GoDestroy] = advance_go_stop,
	[EV_GoDestroySyscall] = advance_go_destroy_syscall,
	[EV_GoUnblock] = advance_go_unblock,
	[EV_GoSwitch] = advance_go_switch,
	[EV_GoSwitchDestroy] = advance_go_switch,
	[EV_GoSyscallBegin] = advance_syscall_begin,
	[EV_GoSyscallEnd] = advance_syscall_end,
	[EV_GoSyscallEndBlocked] = advance_syscall_end_blocked,
	[EV_GoStatus] = advance_go_status,
	[EV_GoStatusStack] = advance_go_status,

	[EV_STWBegin] = advance_go_range_begin,
	[EV_STWEnd] = advance_go_range_end,
	[EV_GCActive] = advance_gc_active,
	[EV_GCBegin] = advance_gc_begin,
	[EV_GCEnd] = advance_gc_end,
	[EV_GCSweepActive] = advance_sweep_active,
	[EV_GCSweepBegin] = advance_sweep_begin,
	[EV_GCSweepEnd] = advance_sweep_end,
	[EV_GCMarkAssistActive] = advance_go_range_active,
	[EV_GCMarkAssistBegin] = advance_go_range_begin,
	[EV_GCMarkAssistEnd] = advance_go_range_end,
	[EV_HeapAlloc] = advance_heap_metric,
	[EV_HeapGoal] = advance_heap_metric,

	[EV_GoLabel] = advance_annotation,
	[EV_UserTaskBegin] = advance_task_begin,
	[EV_UserTaskEnd] = advance_task_end,
	[EV_UserRegionBegin] = advance_region_begin,
	[EV_UserRegionEnd] = advance_region_end,
	[EV_UserLog] = advance_annotation,

#define EV(number, name, version, class, args, stacks, strings) \
	TRACEV2_IF_EXPERIMENT(class, [number] = advance_experiment, )
#include "tracev2.def"
#undef EV
};
