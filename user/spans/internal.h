/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: the state of spans.c, and the functions that its parts share: living.c (look-up),
 * goroutines.c (transitions), procs.c (Ps, system calls), ranges.c (ranges, regions, tasks) and
 * logs.c (log events).
 */
#ifndef GOTAP_SPANS_INTERNAL_H
#define GOTAP_SPANS_INTERNAL_H

#include "base/vec.h"
#include "read/idtab.h"
#include "read/view.h"
#include "spans/names.h"
#include "spans/spans.h"

struct proc {
	uint64_t id;
	bool alive;		/* false: the record of a P of a trace that was read before */
	struct proc_span now;
	struct vec *ranges;
};

/* A thread that has a goroutine in a system call. */
struct thread {
	uint64_t id, g;
};

struct task {
	uint64_t id;
	bool alive;
	struct task_span now;
};

struct spans {
	struct names names;
	struct vec visitors;		/* struct spans_visitor */
	/* the texts SPANS_GAP and SPANS_STAND_IN as spans_text() returns them */
	const char *gap, *stand_in;
	struct idtab goroutines, procs, threads, tasks;
	struct vec program_ranges;	/* struct range_span */
	uint32_t slots;
	/* times: of the first event, of the last event, of the last sync event */
	int64_t first, last, sync;
	/* time of day at CLOCK_MONOTONIC 0, ns: by the first clock, by the last one so far */
	int64_t wall, wall_now;
	bool has_wall;
	bool began, stopped;
	bool waits;		/* some visitor wants them */
	struct buf message;		/* of the log event at hand, for op_log */
	struct trace_reader *reader;	/* that is read now */
};

/* Calls the function @fn of each visitor that has one. */
#define SHOW(s, fn, ...)								\
	do {										\
		const struct spans_visitor *v_ = (s)->visitors.data;			\
		size_t i_;								\
											\
		for (i_ = 0; i_ < (s)->visitors.len; i_++)				\
			if (v_[i_].fn)							\
				v_[i_].fn(v_[i_].ctx, __VA_ARGS__);			\
	} while (0)

/* living.c: returns the P with @id, or NULL if no such P lives. */
struct proc *spans_find_proc(struct spans *s, uint64_t id);

/* goroutines.c: takes a transition of a goroutine. */
void spans_transition(struct spans *s, const struct trace_event *ev);
/* Ends all live goroutines with the trace, in no particular order. */
void spans_goroutines_end(struct spans *s);
/* Frees the table of goroutines; the slots begin anew. */
void spans_goroutines_free(struct spans *s);

/* procs.c: spans_proc() takes a transition of a P; spans_procs_end() ends all Ps with the trace. */
void spans_proc(struct spans *s, const struct trace_event *ev);
void spans_procs_end(struct spans *s);
/* Frees the tables of Ps and of threads in system calls. */
void spans_procs_free(struct spans *s);
/* The goroutine @g enters a system call on thread @m, or leaves it. */
void spans_syscall_begin(struct spans *s, uint64_t m, uint64_t g);
void spans_syscall_end(struct spans *s, uint64_t m, uint64_t g);

/* ranges.c: each function takes an event of its kind. */
void spans_range(struct spans *s, const struct trace_event *ev, enum view_kind kind);
void spans_region(struct spans *s, const struct trace_event *ev, bool begins);
void spans_task(struct spans *s, const struct trace_event *ev, bool begins);
/* The open task with that id, and its region of the same name, have another name from now on. */
void spans_name_task(struct spans *s, uint64_t id, const char *name);
/*
 * Each function ends all open ones at @time: the ranges of one owner (a goroutine, a P or the
 * program), the regions of @g, and the tasks.
 */
void spans_end_ranges(struct spans *s, struct vec *ranges, int64_t time);
void spans_end_regions(struct spans *s, struct goroutine *g, int64_t time);
/* The innermost region of the goroutine with that id was left at some time before it ends. */
void spans_leave_region(struct spans *s, uint64_t id);
void spans_tasks_end(struct spans *s);

/* logs.c: takes a log event. */
void spans_log(struct spans *s, const struct trace_event *ev);

/* ranges.c: returns *@vec, which it allocates, empty, if *@vec is NULL. */
struct vec *spans_vec_of(struct vec **vec);
void spans_vec_free(struct vec **vec);

#endif
