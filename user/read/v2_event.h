/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_event: an event as the reader returns it. In the order of events every goroutine, proc and
 * thread makes only possible transitions.
 */
#ifndef GOTAP_READ_V2_EVENT_H
#define GOTAP_READ_V2_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "read/raw_spec.h"
#include "read/v2_fault.h"
#include "tracev2.h"

enum { TRACE_SYNC = 255 };	/* type of the event that begins a generation or ends the trace */

struct trace_event {
	uint8_t type;		/* EV_*, TRACE_SYNC, or EV_CPUSample */
	uint8_t old_state;	/* of a status or ProcSteal: enum go_state, enum proc_state */
	int64_t time;		/* in ns, strictly increasing */
	uint64_t m, p, g;	/* before the effect of the event; TRACEV2_NO_ID: none */
	/*
	 * The arguments in the file without dt, except:
	 * UserTaskBegin  args[1] is TRACEV2_NO_ID for no parent
	 * UserTaskEnd    args[2] is the parent, TRACEV2_NO_ID: none
	 * STWEnd         args[0] is the string id in its STWBegin
	 * CPUSample      args[0] is the stack
	 * TRACE_SYNC     args[0] counts them from 1, args[1] is 0 without a generation
	 */
	uint64_t args[TRACEV2_MAX_ARGS];
	/*
	 * For the events of a user task: its type, NULL: not known. Equal types have one pointer.
	 */
	const char *text;
	struct v2_place place;	/* its place in the file */
};

enum go_state {
	GO_UNDETERMINED,	/* no event has shown the state yet */
	GO_NOT_EXIST,
	GO_RUNNABLE,
	GO_RUNNING,
	GO_WAITING,
	GO_SYSCALL,
};

enum proc_state {
	PROC_UNDETERMINED,
	PROC_NOT_EXIST,
	PROC_RUNNING,		/* also while in a syscall */
	PROC_IDLE,		/* also when abandoned in a syscall */
};

enum resource {
	RESOURCE_NONE,
	RESOURCE_GOROUTINE,
	RESOURCE_PROC,
};

/* The effect of an event on a goroutine or proc. */
struct trace_transition {
	enum resource of;
	uint64_t id;
	/* enum go_state or enum proc_state; from is undetermined for a first status */
	uint8_t from, to;
};

/*
 * The effect of the events of one type. The goroutine or P is in args[0] or in the event's context.
 */
struct event_change {
	uint8_t of;		/* enum resource */
	uint8_t from, to;
	bool named;		/* args[0] is the id */
	bool status;		/* from is old_state, to is in the arguments */
};

extern const struct event_change event_changes[256];

uint8_t event_new_status(const struct trace_event *ev);

/* The transition of @ev; its member of is RESOURCE_NONE if the event is not a transition. */
static inline struct trace_transition event_transition(const struct trace_event *ev)
{
	const struct event_change *change = &event_changes[ev->type];
	struct trace_transition tr = { (enum resource)change->of, ev->args[0], change->from,
				       change->to };

	if (!change->named)
		tr.id = change->of == RESOURCE_PROC ? ev->p : ev->g;
	if (change->status) {
		tr.from = ev->old_state;
		tr.to = event_new_status(ev);
	}
	return tr;
}

static inline bool go_executing(uint8_t state)
{
	return state == GO_RUNNING || state == GO_SYSCALL;
}

const char *go_state_name(uint8_t state);
const char *proc_state_name(uint8_t state);
/* Names of the format's status numbers, "Bad" for others. */
const char *gstatus_name(uint8_t status);
const char *pstatus_name(uint8_t status);
/* The enum go_state or enum proc_state of a valid status. */
uint8_t gstatus_state(uint8_t status);
uint8_t pstatus_state(uint8_t status);

/* Writes name and arguments of @ev to @text: "GoStart g=1 g_seq=2". */
void event_describe(const struct trace_event *ev, const struct raw_specs *specs, char *text,
		    size_t size);

#endif
