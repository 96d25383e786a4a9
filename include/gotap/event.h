/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event: what can happen in a trace. Numbers, names and arguments are those of
 * the format that Go writes since 1.22 (internal/trace/tracev2 of Go); events
 * of older traces are read as these. Behind each kind stand its arguments, in
 * order, where
 *
 *	stack	is the id of a stack, and so is new_stack, that of what is created
 *	reason, name, key, value, label	are ids of strings
 *	seq	numbers the transitions of one goroutine or P, or GC cycles: readers
 *		need it to put events in order, and it means nothing else
 *
 * A thread (M) is its kernel thread id where the program recorded it.
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
	GOTAP_PROC_STATUS = 13,		/* p, enum gotap_pstatus */

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
	GOTAP_GO_STATUS = 25,		/* g, m, enum gotap_gstatus */

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
	GOTAP_GO_STATUS_STACK = 48,	/* g, m, enum gotap_gstatus, stack */

	/*
	 * Since header 1.26, of GODEBUG=traceallocfree=1: objects by address
	 * relative to the heap, see runtime/traceallocfree.go.
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
	GOTAP_SYNC = 255,		/* number from 1, 1 if a generation follows */
};

/*
 * A status is an argument of GoStatus and ProcStatus events and has the numbers of the trace
 * format; gotap_write() refuses any other number. A state (enum gotap_go_state, gotap_proc_state)
 * is the reader's own and has numbers of its own.
 */
enum gotap_gstatus {
	GOTAP_GSTATUS_RUNNABLE = 1,
	GOTAP_GSTATUS_RUNNING = 2,
	GOTAP_GSTATUS_SYSCALL = 3,
	GOTAP_GSTATUS_WAITING = 4,
};

enum gotap_pstatus {
	GOTAP_PSTATUS_RUNNING = 1,
	GOTAP_PSTATUS_IDLE = 2,
	GOTAP_PSTATUS_SYSCALL = 3,
	GOTAP_PSTATUS_SYSCALL_ABANDONED = 4,
};

/* The state of a goroutine or P; an event may change it. */
enum gotap_go_state {
	GOTAP_GSTATE_UNDETERMINED,	/* nothing known yet */
	GOTAP_GSTATE_NOT_EXIST,
	GOTAP_GSTATE_RUNNABLE,
	GOTAP_GSTATE_RUNNING,
	GOTAP_GSTATE_WAITING,
	GOTAP_GSTATE_SYSCALL,
	GOTAP_GSTATES,
};

enum gotap_proc_state {
	GOTAP_PSTATE_UNDETERMINED,
	GOTAP_PSTATE_NOT_EXIST,
	GOTAP_PSTATE_RUNNING,	/* also while in a system call */
	GOTAP_PSTATE_IDLE,
	GOTAP_PSTATES,
};

/* A line of a stack. Texts need not end with a NUL. */
struct gotap_frame {
	uint64_t pc;
	uint64_t line;
	const char *func, *file;
	size_t func_len, file_len;
};

/* "GoStart", as Go calls it; NULL if there is no such kind. */
GOTAP_API const char *gotap_kind_name(unsigned int kind);
/* Number of arguments that gotap_write() takes; -EINVAL if it does not take the kind. */
GOTAP_API int gotap_kind_nargs(unsigned int kind);
/* "Running"; NULL if there is no such state. */
GOTAP_API const char *gotap_go_state_name(unsigned int state);
GOTAP_API const char *gotap_proc_state_name(unsigned int state);

#ifdef __cplusplus
}
#endif

#endif
