// SPDX-License-Identifier: Apache-2.0
/*
 * v2_event: see v2_event.h. Event.StateTransition and the status tables of
 * internal/trace/event.go (Go 1.27).
 */
#include "read/v2_event.h"

#include <stdio.h>
#include <string.h>

const char *go_state_name(uint8_t state)
{
	static const char *const names[] = { "Undetermined", "NotExist", "Runnable", "Running",
					     "Waiting", "Syscall" };

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "Bad";
}

const char *proc_state_name(uint8_t state)
{
	static const char *const names[] = { "Undetermined", "NotExist", "Running", "Idle" };

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "Bad";
}

const char *gstatus_name(uint8_t status)
{
	static const char *const names[] = { "Bad", "Runnable", "Running", "Syscall", "Waiting" };

	return status < sizeof(names) / sizeof(names[0]) ? names[status] : "Bad";
}

const char *pstatus_name(uint8_t status)
{
	static const char *const names[] = { "Bad", "Running", "Idle", "Syscall",
					     "SyscallAbandoned" };

	return status < sizeof(names) / sizeof(names[0]) ? names[status] : "Bad";
}

uint8_t gstatus_state(uint8_t status)
{
	static const uint8_t states[] = { GO_UNDETERMINED, GO_RUNNABLE, GO_RUNNING, GO_SYSCALL,
					  GO_WAITING };

	return status < sizeof(states) ? states[status] : GO_UNDETERMINED;
}

uint8_t pstatus_state(uint8_t status)
{
	static const uint8_t states[] = { PROC_UNDETERMINED, PROC_RUNNING, PROC_IDLE,
					  PROC_RUNNING, PROC_IDLE };

	return status < sizeof(states) ? states[status] : PROC_UNDETERMINED;
}

static struct trace_transition go(uint64_t id, uint8_t from, uint8_t to)
{
	return (struct trace_transition){ RESOURCE_GOROUTINE, id, from, to };
}

static struct trace_transition proc(uint64_t id, uint8_t from, uint8_t to)
{
	return (struct trace_transition){ RESOURCE_PROC, id, from, to };
}

struct trace_transition event_transition(const struct trace_event *ev)
{
	switch (ev->type) {
	case EV_ProcStart:
		return proc(ev->args[0], PROC_IDLE, PROC_RUNNING);
	case EV_ProcStop:
		return proc(ev->p, PROC_RUNNING, PROC_IDLE);
	case EV_ProcSteal:
		return proc(ev->args[0], ev->old_state, PROC_IDLE);
	case EV_ProcStatus:
		return proc(ev->args[0], ev->old_state, pstatus_state((uint8_t)ev->args[1]));
	case EV_GoCreate:
		return go(ev->args[0], GO_NOT_EXIST, GO_RUNNABLE);
	case EV_GoCreateBlocked:
		return go(ev->args[0], GO_NOT_EXIST, GO_WAITING);
	case EV_GoCreateSyscall:
		return go(ev->args[0], GO_NOT_EXIST, GO_SYSCALL);
	case EV_GoStart:
		return go(ev->args[0], GO_RUNNABLE, GO_RUNNING);
	case EV_GoDestroy:
		return go(ev->g, GO_RUNNING, GO_NOT_EXIST);
	case EV_GoDestroySyscall:
		return go(ev->g, GO_SYSCALL, GO_NOT_EXIST);
	case EV_GoStop:
		return go(ev->g, GO_RUNNING, GO_RUNNABLE);
	case EV_GoBlock:
		return go(ev->g, GO_RUNNING, GO_WAITING);
	case EV_GoUnblock:
	case EV_GoSwitch:	/* its other two steps come as events of their own */
	case EV_GoSwitchDestroy:
		return go(ev->args[0], GO_WAITING, GO_RUNNABLE);
	case EV_GoSyscallBegin:
		return go(ev->g, GO_RUNNING, GO_SYSCALL);
	case EV_GoSyscallEnd:
		return go(ev->g, GO_SYSCALL, GO_RUNNING);
	case EV_GoSyscallEndBlocked:
		return go(ev->g, GO_SYSCALL, GO_RUNNABLE);
	case EV_GoStatus:
	case EV_GoStatusStack:
		return go(ev->args[0], ev->old_state, gstatus_state((uint8_t)ev->args[2]));
	}
	return (struct trace_transition){ .of = RESOURCE_NONE };
}

void event_describe(const struct trace_event *ev, const struct raw_specs *specs, char *text,
		    size_t size)
{
	const char *name;
	size_t n;
	int i;

	if (ev->type == TRACE_SYNC || ev->type == EV_CPUSample) {
		snprintf(text, size, ev->type == TRACE_SYNC ? "Sync n=%llu" :
			 "CPUSample stack=%llu", (unsigned long long)ev->args[0]);
		return;
	}
	n = (size_t)snprintf(text, size, "%s", specs->of[ev->type].name);
	name = strchr(specs->of[ev->type].args, ' ');	/* dt has gone into the time */
	for (i = 0; name && n < size; i++) {
		int len = (int)strcspn(++name, " ");

		n += (size_t)snprintf(text + n, size - n, " %.*s=%lld", len, name,
				      (long long)ev->args[i]);
		name = strchr(name, ' ');
	}
}
