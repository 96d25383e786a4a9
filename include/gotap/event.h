/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event: what can happen in a trace. Numbers, names and arguments are those of
 * the format that Go writes since 1.22 (internal/trace/tracev2/events.go of
 * Go 1.27); events of older traces are read as these. The comment of each kind
 * lists its arguments, in order, where
 *
 *	stack	is the id of a stack, and so is new_stack, that of what is created
 *	reason, name, key, value, label	are ids of strings
 *	seq	numbers the transitions of one goroutine or P, or GC cycles: readers
 *		need it to put events in order, and it means nothing else
 *
 * gotap_kind_spec() says the same to a program. A thread (M) is its kernel
 * thread id where the program recorded it.
 */
#ifndef GOTAP_EVENT_H
#define GOTAP_EVENT_H

#include <gotap/gotap.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GOTAP_MAX_ARGS = 5 };

enum gotap_kind {
	GOTAP_CPU_SAMPLE = 7,		/* stack */

	GOTAP_PROCS_CHANGE = 9,		/* GOMAXPROCS, stack */
	GOTAP_PROC_START = 10,		/* p, seq */
	GOTAP_PROC_STOP = 11,
	GOTAP_PROC_STEAL = 12,		/* p, seq, m it was taken from */
	GOTAP_PROC_STATUS = 13,		/* p, enum gotap_proc_status */

	GOTAP_GO_CREATE = 14,		/* g, new_stack, stack */
	GOTAP_GO_CREATE_SYSCALL = 15,	/* g: a C thread that calls Go */
	GOTAP_GO_START = 16,		/* g, seq */
	GOTAP_GO_DESTROY = 17,
	GOTAP_GO_DESTROY_SYSCALL = 18,
	GOTAP_GO_STOP = 19,		/* reason, stack: still runnable */
	GOTAP_GO_BLOCK = 20,		/* reason, stack */
	GOTAP_GO_UNBLOCK = 21,		/* g, seq, stack */
	GOTAP_GO_SYSCALL_BEGIN = 22,	/* seq of the P, stack */
	GOTAP_GO_SYSCALL_END = 23,
	GOTAP_GO_SYSCALL_END_BLOCKED = 24, /* without its P: runnable */
	GOTAP_GO_STATUS = 25,		/* g, m, enum gotap_go_status */

	GOTAP_STW_BEGIN = 26,		/* reason, stack */
	GOTAP_STW_END = 27,		/* read: reason of its begin */
	GOTAP_GC_ACTIVE = 28,		/* seq: a mark phase goes on */
	GOTAP_GC_BEGIN = 29,		/* seq, stack */
	GOTAP_GC_END = 30,		/* seq */
	GOTAP_GC_SWEEP_ACTIVE = 31,	/* p */
	GOTAP_GC_SWEEP_BEGIN = 32,	/* stack */
	GOTAP_GC_SWEEP_END = 33,	/* bytes swept, bytes reclaimed */
	GOTAP_GC_MARK_ASSIST_ACTIVE = 34, /* g */
	GOTAP_GC_MARK_ASSIST_BEGIN = 35, /* stack */
	GOTAP_GC_MARK_ASSIST_END = 36,
	GOTAP_HEAP_ALLOC = 37,		/* bytes of live heap */
	GOTAP_HEAP_GOAL = 38,		/* bytes */

	GOTAP_GO_LABEL = 39,		/* label */
	GOTAP_USER_TASK_BEGIN = 40,	/* task, parent task, name, stack */
	GOTAP_USER_TASK_END = 41,	/* task, stack; read: and parent task */
	GOTAP_USER_REGION_BEGIN = 42,	/* task, name, stack */
	GOTAP_USER_REGION_END = 43,	/* task, name, stack */
	GOTAP_USER_LOG = 44,		/* task, key, value, stack */

	/* Since header 1.23. Readers show a switch as unblock, block or destroy, start. */
	GOTAP_GO_SWITCH = 45,		/* g, seq */
	GOTAP_GO_SWITCH_DESTROY = 46,	/* g, seq */
	GOTAP_GO_CREATE_BLOCKED = 47,	/* g, new_stack, stack */
	GOTAP_GO_STATUS_STACK = 48,	/* g, m, enum gotap_go_status, stack */

	/*
	 * The events that GODEBUG=traceallocfree=1 adds since Go 1.23: objects by address relative
	 * to the heap, see runtime/traceallocfree.go. They belong to GOTAP_ALLOC_FREE.
	 */
	GOTAP_SPAN = 128,		/* id, pages, kind and class */
	GOTAP_SPAN_ALLOC = 129,		/* id, pages, kind and class */
	GOTAP_SPAN_FREE = 130,		/* id */
	GOTAP_HEAP_OBJECT = 131,	/* id, type */
	GOTAP_HEAP_OBJECT_ALLOC = 132,	/* id, type */
	GOTAP_HEAP_OBJECT_FREE = 133,	/* id */
	GOTAP_GOROUTINE_STACK = 134,	/* id, order */
	GOTAP_GOROUTINE_STACK_ALLOC = 135, /* id, order */
	GOTAP_GOROUTINE_STACK_FREE = 136, /* id */

	/* Only read: opens each generation, and one more ends the trace. */
	GOTAP_SYNC = 255		/* number from 1, 1 if a generation follows */
};

/* What an event is about; numbers and names are those of trace.EventKind of Go 1.27. */
enum gotap_category {
	GOTAP_IS_SYNC = 1,
	GOTAP_IS_METRIC = 2,
	GOTAP_IS_LABEL = 3,
	GOTAP_IS_STACK_SAMPLE = 4,
	GOTAP_IS_RANGE_BEGIN = 5,
	GOTAP_IS_RANGE_ACTIVE = 6,	/* it was going on when the generation began */
	GOTAP_IS_RANGE_END = 7,
	GOTAP_IS_TASK_BEGIN = 8,
	GOTAP_IS_TASK_END = 9,
	GOTAP_IS_REGION_BEGIN = 10,
	GOTAP_IS_REGION_END = 11,
	GOTAP_IS_LOG = 12,
	GOTAP_IS_TRANSITION = 13,
	GOTAP_IS_EXPERIMENTAL = 14
};

/*
 * Experiments: kinds of events that Go tries out, and their data (tracev2.Experiments() of Go
 * 1.27).
 */
enum gotap_experiment {
	GOTAP_NO_EXPERIMENT = 0,
	GOTAP_ALLOC_FREE = 1
};

/*
 * A status is an argument of GoStatus and ProcStatus events and has the numbers
 * of the trace format. A state is the reader's (trace.GoState and ProcState of
 * Go 1.27), and its numbers are no status of anything: gotap_write() refuses a
 * state, and all other numbers, where a status is to be.
 */
enum gotap_go_status {
	GOTAP_STATUS_GO_RUNNABLE = 1,
	GOTAP_STATUS_GO_RUNNING = 2,
	GOTAP_STATUS_GO_SYSCALL = 3,
	GOTAP_STATUS_GO_WAITING = 4
};

enum gotap_proc_status {
	GOTAP_STATUS_PROC_RUNNING = 1,
	GOTAP_STATUS_PROC_IDLE = 2,
	GOTAP_STATUS_PROC_SYSCALL = 3,
	GOTAP_STATUS_PROC_SYSCALL_ABANDONED = 4
};

/* The state of a goroutine or P; an event may change it. */
enum gotap_state {
	GOTAP_STATE_GO_UNDETERMINED = 256,	/* nothing known yet */
	GOTAP_STATE_GO_NOT_EXIST = 257,
	GOTAP_STATE_GO_RUNNABLE = 258,
	GOTAP_STATE_GO_RUNNING = 259,
	GOTAP_STATE_GO_WAITING = 260,
	GOTAP_STATE_GO_SYSCALL = 261,

	GOTAP_STATE_PROC_UNDETERMINED = 512,
	GOTAP_STATE_PROC_NOT_EXIST = 513,
	GOTAP_STATE_PROC_RUNNING = 514,		/* also while in a system call */
	GOTAP_STATE_PROC_IDLE = 515
};

/* How many states there are, for tables with one place for each, from ..._UNDETERMINED on. */
enum {
	GOTAP_GO_STATES = 6,
	GOTAP_PROC_STATES = 4
};

/* A line of a stack. */
struct gotap_frame {
	uint64_t pc;
	uint64_t line;
	struct gotap_text func, file;
};

/* Types of arguments: EventArgTypes of internal/trace/tracev2/spec.go (Go 1.27). */
enum gotap_arg_type {
	GOTAP_ARG_RAW = 0,	/* a number that the format gives no type */
	GOTAP_ARG_VALUE = 1,	/* a number that counts something */
	GOTAP_ARG_SEQ = 2,
	GOTAP_ARG_G = 3,
	GOTAP_ARG_P = 4,
	GOTAP_ARG_M = 5,
	GOTAP_ARG_TASK = 6,
	GOTAP_ARG_STRING = 7,	/* its id */
	GOTAP_ARG_STACK = 8,	/* its id */
	GOTAP_ARG_GO_STATUS = 9,
	GOTAP_ARG_PROC_STATUS = 10
};

struct gotap_arg_spec {
	struct gotap_text name;	/* "reason_string": that of the format, with its type */
	uint32_t type;		/* enum gotap_arg_type */
	uint32_t is_new;	/* of what the event creates: "new_g", "new_stack" */
};

/* What the format says of a kind of event. */
struct gotap_kind_spec {
	const char *name;
	uint32_t kind;
	uint32_t header;	/* NN of the first header go 1.NN with it */
	uint32_t category;	/* enum gotap_category; 0: no reader gives it */
	uint32_t experiment;	/* enum gotap_experiment that it belongs to */
	uint32_t has_time;	/* ticks since the event before it in its batch come first */
	uint32_t has_data;	/* a length and as many bytes follow the arguments */
	uint32_t has_frames;	/* the last argument is a number of frames, which follow */
	uint32_t is_written;	/* gotap_write() takes it */
	uint32_t nargs;		/* without the ticks */
	uint32_t start;		/* kind that begins the range that this kind ends; 0: none */
	struct gotap_arg_spec args[GOTAP_MAX_ARGS];
};

/*
 * Fills @spec, of which @size is the size, with what a file has of events of @kind, which
 * may be one of gotap/raw.h, too. -EINVAL, and @spec is left alone, if there is none.
 */
GOTAP_API int gotap_kind_spec(unsigned int kind, struct gotap_kind_spec *spec, size_t size);
/* "GoStart", as Go calls it; NULL if a reader gives no such kind. */
GOTAP_API const char *gotap_kind_name(unsigned int kind);
/* The kind of that name, also one of gotap/raw.h; -EINVAL if there is none. */
GOTAP_API int gotap_kind_named(const char *name, size_t len);
/* Number of arguments that gotap_write() takes; -EINVAL if it does not take the kind. */
GOTAP_API int gotap_kind_nargs(unsigned int kind);
/* "StateTransition", as EventKind.String() of Go 1.27; NULL if there is no such category. */
GOTAP_API const char *gotap_category_name(unsigned int category);
/* "AllocFree"; NULL if no experiment of that number is known. */
GOTAP_API const char *gotap_experiment_name(unsigned int experiment);
/* "Running", of a goroutine or P (GoState.String() of Go 1.27); NULL if there is no such state. */
GOTAP_API const char *gotap_state_name(unsigned int state);
/* "Waiting" (GoStatus.String() of Go 1.27); NULL if there is no such enum gotap_go_status. */
GOTAP_API const char *gotap_go_status_name(unsigned int status);
/* "SyscallAbandoned", as ProcStatus.String(); NULL if there is no such enum gotap_proc_status. */
GOTAP_API const char *gotap_proc_status_name(unsigned int status);
/*
 * The status that says that a goroutine or P is in @state, for gotap_write(): enum
 * gotap_go_status or gotap_proc_status. -EINVAL: there is none, since @state is no state, not
 * determined, or that of what does not exist.
 */
GOTAP_API int gotap_state_status(unsigned int state);

#ifdef __cplusplus
}
#endif

#endif
