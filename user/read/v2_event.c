// SPDX-License-Identifier: Apache-2.0
/*
 * v2_event: see v2_event.h. As Event.StateTransition and the status tables of
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

const struct event_change event_changes[256] = {
#define CHANGE(name, of, from, to) [EV_##name] = { RESOURCE_##of, from, to, false, false },
#define CHANGE_NAMED(name, of, from, to) [EV_##name] = { RESOURCE_##of, from, to, true, false },
#define CHANGE_STATUS(name, of) [EV_##name] = { RESOURCE_##of, 0, 0, true, true },
#include "read/v2_event.def"
#undef CHANGE
#undef CHANGE_NAMED
#undef CHANGE_STATUS
};

uint8_t event_new_status(const struct trace_event *ev)
{
	if (ev->type == EV_ProcSteal)
		return PROC_IDLE;
	if (ev->type == EV_ProcStatus)
		return pstatus_state((uint8_t)ev->args[1]);
	return gstatus_state((uint8_t)ev->args[2]);
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
	name = strchr(specs->of[ev->type].args, ' ');	/* without dt, which the time includes */
	for (i = 0; name && n < size; i++) {
		int len = (int)strcspn(++name, " ");

		n += (size_t)snprintf(text + n, size - n, " %.*s=%lld", len, name,
				      (long long)ev->args[i]);
		name = strchr(name, ' ');
	}
}
