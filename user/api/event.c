// SPDX-License-Identifier: Apache-2.0
/* event: see gotap/event.h. Its numbers are those of include/tracev2.def. */
#include "gotap/event.h"

#include <errno.h>

#include "api/api.h"
#include "read/v2_event.h"
#include "tracev2.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)

SAME(GOTAP_CPU_SAMPLE, EV_CPUSample);
SAME(GOTAP_PROCS_CHANGE, EV_ProcsChange);
SAME(GOTAP_PROC_START, EV_ProcStart);
SAME(GOTAP_PROC_STOP, EV_ProcStop);
SAME(GOTAP_PROC_STEAL, EV_ProcSteal);
SAME(GOTAP_PROC_STATUS, EV_ProcStatus);
SAME(GOTAP_GO_CREATE, EV_GoCreate);
SAME(GOTAP_GO_CREATE_SYSCALL, EV_GoCreateSyscall);
SAME(GOTAP_GO_START, EV_GoStart);
SAME(GOTAP_GO_DESTROY, EV_GoDestroy);
SAME(GOTAP_GO_DESTROY_SYSCALL, EV_GoDestroySyscall);
SAME(GOTAP_GO_STOP, EV_GoStop);
SAME(GOTAP_GO_BLOCK, EV_GoBlock);
SAME(GOTAP_GO_UNBLOCK, EV_GoUnblock);
SAME(GOTAP_GO_SYSCALL_BEGIN, EV_GoSyscallBegin);
SAME(GOTAP_GO_SYSCALL_END, EV_GoSyscallEnd);
SAME(GOTAP_GO_SYSCALL_END_BLOCKED, EV_GoSyscallEndBlocked);
SAME(GOTAP_GO_STATUS, EV_GoStatus);
SAME(GOTAP_STW_BEGIN, EV_STWBegin);
SAME(GOTAP_STW_END, EV_STWEnd);
SAME(GOTAP_GC_ACTIVE, EV_GCActive);
SAME(GOTAP_GC_BEGIN, EV_GCBegin);
SAME(GOTAP_GC_END, EV_GCEnd);
SAME(GOTAP_GC_SWEEP_ACTIVE, EV_GCSweepActive);
SAME(GOTAP_GC_SWEEP_BEGIN, EV_GCSweepBegin);
SAME(GOTAP_GC_SWEEP_END, EV_GCSweepEnd);
SAME(GOTAP_GC_MARK_ASSIST_ACTIVE, EV_GCMarkAssistActive);
SAME(GOTAP_GC_MARK_ASSIST_BEGIN, EV_GCMarkAssistBegin);
SAME(GOTAP_GC_MARK_ASSIST_END, EV_GCMarkAssistEnd);
SAME(GOTAP_HEAP_ALLOC, EV_HeapAlloc);
SAME(GOTAP_HEAP_GOAL, EV_HeapGoal);
SAME(GOTAP_GO_LABEL, EV_GoLabel);
SAME(GOTAP_USER_TASK_BEGIN, EV_UserTaskBegin);
SAME(GOTAP_USER_TASK_END, EV_UserTaskEnd);
SAME(GOTAP_USER_REGION_BEGIN, EV_UserRegionBegin);
SAME(GOTAP_USER_REGION_END, EV_UserRegionEnd);
SAME(GOTAP_USER_LOG, EV_UserLog);
SAME(GOTAP_GO_SWITCH, EV_GoSwitch);
SAME(GOTAP_GO_SWITCH_DESTROY, EV_GoSwitchDestroy);
SAME(GOTAP_GO_CREATE_BLOCKED, EV_GoCreateBlocked);
SAME(GOTAP_GO_STATUS_STACK, EV_GoStatusStack);
SAME(GOTAP_SPAN, EV_Span);
SAME(GOTAP_SPAN_ALLOC, EV_SpanAlloc);
SAME(GOTAP_SPAN_FREE, EV_SpanFree);
SAME(GOTAP_HEAP_OBJECT, EV_HeapObject);
SAME(GOTAP_HEAP_OBJECT_ALLOC, EV_HeapObjectAlloc);
SAME(GOTAP_HEAP_OBJECT_FREE, EV_HeapObjectFree);
SAME(GOTAP_GOROUTINE_STACK, EV_GoroutineStack);
SAME(GOTAP_GOROUTINE_STACK_ALLOC, EV_GoroutineStackAlloc);
SAME(GOTAP_GOROUTINE_STACK_FREE, EV_GoroutineStackFree);
SAME(GOTAP_SYNC, TRACE_SYNC);
SAME(GOTAP_MAX_ARGS, TRACEV2_MAX_ARGS);
SAME(GOTAP_GSTATUS_RUNNABLE, G_RUNNABLE);
SAME(GOTAP_GSTATUS_WAITING, G_WAITING);
SAME(GOTAP_PSTATUS_RUNNING, P_RUNNING);
SAME(GOTAP_PSTATUS_SYSCALL_ABANDONED, P_SYSCALL_ABANDONED);
SAME(GOTAP_GSTATE_UNDETERMINED, GO_UNDETERMINED);
SAME(GOTAP_GSTATE_NOT_EXIST, GO_NOT_EXIST);
SAME(GOTAP_GSTATE_RUNNABLE, GO_RUNNABLE);
SAME(GOTAP_GSTATE_RUNNING, GO_RUNNING);
SAME(GOTAP_GSTATE_WAITING, GO_WAITING);
SAME(GOTAP_GSTATE_SYSCALL, GO_SYSCALL);
SAME(GOTAP_PSTATE_UNDETERMINED, PROC_UNDETERMINED);
SAME(GOTAP_PSTATE_NOT_EXIST, PROC_NOT_EXIST);
SAME(GOTAP_PSTATE_RUNNING, PROC_RUNNING);
SAME(GOTAP_PSTATE_IDLE, PROC_IDLE);

struct kind {
	const char *name;
	const char *args;
	bool timed;	/* of a thread: a clock snapshot has a time, but belongs to the framing */
};

enum { FRAMING, STRUCTURAL, TIMED, EXPERIMENT };

static const struct kind kinds[256] = {
#define EV(number, name, version, class, args, stacks, strings) \
	[number] = { #name, args, class >= TIMED && number != EV_ClockSnapshot },
#include "tracev2.def"
#undef EV
	[TRACE_SYNC] = { "Sync", "", false },
};

int gotap_api_version(void)
{
	return GOTAP_API_VERSION;
}

const char *gotap_kind_name(unsigned int kind)
{
	if (kind >= 256 || (!kinds[kind].timed && kind != EV_CPUSample && kind != TRACE_SYNC))
		return NULL;
	return kinds[kind].name;
}

/* A timed event's first argument is dt, so there are as many others as spaces. */
int gotap_kind_nargs(unsigned int kind)
{
	const char *p;
	int n = 0;

	if (kind >= 256 || !kinds[kind].timed)
		return -EINVAL;
	for (p = kinds[kind].args; *p; p++)
		n += *p == ' ';
	return n;
}

const char *gotap_go_state_name(unsigned int state)
{
	return state < GOTAP_GSTATES ? go_state_name((uint8_t)state) : NULL;
}

const char *gotap_proc_state_name(unsigned int state)
{
	return state < GOTAP_PSTATES ? proc_state_name((uint8_t)state) : NULL;
}

int api_error(struct gotap_error *err, const struct error *from)
{
	_Static_assert(sizeof(err->text) == sizeof(from->text), "one text");

	if (err) {
		err->code = from->code;
		memcpy(err->text, from->text, sizeof(err->text));
	}
	return from->code;
}
