/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event: the kinds of events in a trace. Numbers, names and arguments are those of the format that
 * Go writes since 1.22 (internal/trace/tracev2/events.go of Go 1.27). The reader shows events of
 * older traces as these kinds. The comment of each kind lists its arguments, in order. In it
 *
 *	stack	is the id of the stack on which the event happened; new_stack is the id of the
 *		stack of the goroutine that the event creates
 *	reason, name, key, value, label	are ids of strings
 *	seq	numbers the transitions of one goroutine or P, or the GC cycles. Readers need it
 *		to put events in order. It has no other meaning.
 *
 * gotap_kind_spec() returns the same facts to a program. A thread (M) is named by its kernel thread
 * id as the traced program recorded it.
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
	GOTAP_PROC_STEAL = 12,		/* p, seq, m from which this thread takes the P */
	GOTAP_PROC_STATUS = 13,		/* p, enum gotap_proc_status */

	GOTAP_GO_CREATE = 14,		/* g, new_stack, stack */
	GOTAP_GO_CREATE_SYSCALL = 15,	/* g: a C thread calls into Go */
	GOTAP_GO_START = 16,		/* g, seq */
	GOTAP_GO_DESTROY = 17,
	GOTAP_GO_DESTROY_SYSCALL = 18,
	GOTAP_GO_STOP = 19,		/* reason, stack: the goroutine is runnable from now on */
	GOTAP_GO_BLOCK = 20,		/* reason, stack */
	GOTAP_GO_UNBLOCK = 21,		/* g, seq, stack */
	GOTAP_GO_SYSCALL_BEGIN = 22,	/* seq of the P, stack */
	GOTAP_GO_SYSCALL_END = 23,
	GOTAP_GO_SYSCALL_END_BLOCKED = 24, /* the thread has lost its P: runnable */
	GOTAP_GO_STATUS = 25,		/* g, m, enum gotap_go_status */

	GOTAP_STW_BEGIN = 26,		/* reason, stack */
	/* no argument in a file; the reader gives the reason of the begin */
	GOTAP_STW_END = 27,
	/* seq: a mark phase was already active when the generation began */
	GOTAP_GC_ACTIVE = 28,
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
	GOTAP_USER_TASK_END = 41,	/* task, stack; the reader adds the parent task */
	GOTAP_USER_REGION_BEGIN = 42,	/* task, name, stack */
	GOTAP_USER_REGION_END = 43,	/* task, name, stack */
	GOTAP_USER_LOG = 44,		/* task, key, value, stack */

	/*
	 * Since header 1.23. Go's tools show a switch as three steps: unblock, block or destroy,
	 * start.
	 */
	GOTAP_GO_SWITCH = 45,		/* g, seq */
	GOTAP_GO_SWITCH_DESTROY = 46,	/* g, seq */
	GOTAP_GO_CREATE_BLOCKED = 47,	/* g, new_stack, stack */
	GOTAP_GO_STATUS_STACK = 48,	/* g, m, enum gotap_go_status, stack */

	/*
	 * The events that GODEBUG=traceallocfree=1 adds since Go 1.23. Ids are addresses relative
	 * to the heap (runtime/traceallocfree.go). These events belong to GOTAP_ALLOC_FREE.
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

	/*
	 * The reader makes this event; it is not in files. It begins each generation, and a last
	 * one ends the trace.
	 */
	GOTAP_SYNC = 255		/* number from 1 on; 1: a generation follows, 0: end */
};

/* The category of an event. Numbers and names are those of trace.EventKind of Go 1.27. */
enum gotap_category {
	GOTAP_IS_SYNC = 1,
	GOTAP_IS_METRIC = 2,
	GOTAP_IS_LABEL = 3,
	GOTAP_IS_STACK_SAMPLE = 4,
	GOTAP_IS_RANGE_BEGIN = 5,
	GOTAP_IS_RANGE_ACTIVE = 6,	/* the range was active when the generation began */
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
 * Experiments: kinds of events that a Go release has on trial, with their data
 * (tracev2.Experiments() of Go 1.27).
 */
enum gotap_experiment {
	GOTAP_NO_EXPERIMENT = 0,
	GOTAP_ALLOC_FREE = 1
};

/*
 * A status is an argument of GoStatus and ProcStatus events and has the numbers of the trace
 * format. A state is that of the reader (trace.GoState and trace.ProcState of Go 1.27). Numbers of
 * states and numbers of statuses do not overlap: gotap_write() refuses a state, and every other
 * number, in the place of a status.
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

/* The state of a goroutine or P before or after an event. */
enum gotap_state {
	GOTAP_STATE_GO_UNDETERMINED = 256,	/* no event has shown the state yet */
	GOTAP_STATE_GO_NOT_EXIST = 257,
	GOTAP_STATE_GO_RUNNABLE = 258,
	GOTAP_STATE_GO_RUNNING = 259,
	GOTAP_STATE_GO_WAITING = 260,
	GOTAP_STATE_GO_SYSCALL = 261,

	GOTAP_STATE_PROC_UNDETERMINED = 512,
	GOTAP_STATE_PROC_NOT_EXIST = 513,
	GOTAP_STATE_PROC_RUNNING = 514,		/* also while its goroutine is in a system call */
	GOTAP_STATE_PROC_IDLE = 515
};

/* The numbers of states, for tables with an entry for each state from ..._UNDETERMINED on. */
enum {
	GOTAP_GO_STATES = 6,
	GOTAP_PROC_STATES = 4
};

/* A frame of a stack. */
struct gotap_frame {
	uint64_t pc;
	uint64_t line;
	struct gotap_text func, file;
};

/* Types of arguments, from EventArgTypes of internal/trace/tracev2/spec.go (Go 1.27). */
enum gotap_arg_type {
	GOTAP_ARG_RAW = 0,	/* a number to which the format gives no type */
	GOTAP_ARG_VALUE = 1,	/* an amount or a count */
	GOTAP_ARG_SEQ = 2,
	GOTAP_ARG_G = 3,
	GOTAP_ARG_P = 4,
	GOTAP_ARG_M = 5,
	GOTAP_ARG_TASK = 6,
	GOTAP_ARG_STRING = 7,	/* the id of a string */
	GOTAP_ARG_STACK = 8,	/* the id of a stack */
	GOTAP_ARG_GO_STATUS = 9,
	GOTAP_ARG_PROC_STATUS = 10
};

struct gotap_arg_spec {
	struct gotap_text name;	/* name in the format, which ends with the type: "reason_string" */
	uint32_t type;		/* enum gotap_arg_type */
	uint32_t is_new;	/* 1: the event creates the object: "new_g", "new_stack" */
};

/* The specification of a kind of event in the format. */
struct gotap_kind_spec {
	const char *name;
	uint32_t kind;
	uint32_t header;	/* NN of the first header go 1.NN that has the kind */
	/* enum gotap_category; 0: the reader returns no event of this kind */
	uint32_t category;
	uint32_t experiment;	/* enum gotap_experiment to which the kind belongs */
	/* 1: before the arguments come the ticks since the previous event of the batch */
	uint32_t has_time;
	uint32_t has_data;	/* 1: a length and that many bytes follow the arguments */
	/* 1: the last argument is a number of frames, and the frames follow */
	uint32_t has_frames;
	uint32_t is_written;	/* 1: gotap_write() accepts the kind */
	uint32_t nargs;		/* number of arguments, without the ticks */
	/* kind that begins the range that this kind ends; 0: the kind ends no range */
	uint32_t start;
	struct gotap_arg_spec args[GOTAP_MAX_ARGS];
};

/*
 * Fills @spec with the specification of @kind in files. @size is sizeof(*@spec). @kind may also be
 * an enum gotap_raw_kind (gotap/raw.h). Returns 0, or -EINVAL, without a change to @spec, if there
 * is no such kind.
 */
GOTAP_API int gotap_kind_spec(unsigned int kind, struct gotap_kind_spec *spec, size_t size);
/* The name of a kind in Go, such as "GoStart"; NULL if no event of a reader has this kind. */
GOTAP_API const char *gotap_kind_name(unsigned int kind);
/* The kind with this name, which may be one of gotap/raw.h; -EINVAL if there is none. */
GOTAP_API int gotap_kind_named(const char *name, size_t len);
/* The number of arguments that gotap_write() takes for @kind; -EINVAL if it refuses the kind. */
GOTAP_API int gotap_kind_nargs(unsigned int kind);
/* A name as of EventKind.String() of Go 1.27, such as "StateTransition"; NULL: no such category. */
GOTAP_API const char *gotap_category_name(unsigned int category);
/* The name of an experiment, such as "AllocFree"; NULL if there is no such experiment. */
GOTAP_API const char *gotap_experiment_name(unsigned int experiment);
/*
 * The name of a goroutine's or P's state, as GoState.String() of Go 1.27 returns it ("Running").
 * NULL if there is no such state.
 */
GOTAP_API const char *gotap_state_name(unsigned int state);
/*
 * The name of an enum gotap_go_status as GoStatus.String() of Go 1.27 returns it ("Waiting"), or
 * NULL.
 */
GOTAP_API const char *gotap_go_status_name(unsigned int status);
/* The name of an enum gotap_proc_status as ProcStatus.String() of Go 1.27 returns it, or NULL. */
GOTAP_API const char *gotap_proc_status_name(unsigned int status);
/*
 * The status with which gotap_write() writes that a goroutine or P is in @state: an enum
 * gotap_go_status or gotap_proc_status. -EINVAL if no status stands for @state: @state is not a
 * state, is undetermined, or means that the goroutine or P does not exist.
 */
GOTAP_API int gotap_state_status(unsigned int state);

#ifdef __cplusplus
}
#endif

#endif
