/* SPDX-License-Identifier: Apache-2.0 */
/* internal: the state of spans.c, and its parts: ranges.c (ranges, regions, tasks) and procs.c. */
#ifndef GOTAP_SPANS_INTERNAL_H
#define GOTAP_SPANS_INTERNAL_H

#include "base/vec.h"
#include "read/idtab.h"
#include "read/view.h"
#include "spans/names.h"
#include "spans/spans.h"

struct proc {
	uint64_t id;
	bool alive;		/* not a record of an earlier trace */
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
	const char *gap, *stand_in;	/* the copies of SPANS_GAP and SPANS_STAND_IN */
	struct idtab goroutines, procs, threads, tasks;
	struct vec program_ranges;	/* struct range_span */
	uint32_t slots;
	int64_t first, last, sync;	/* events; the last sync event */
	int64_t wall;		/* the time of day at CLOCK_MONOTONIC 0 */
	bool has_wall;
	bool began, stopped;
};

/* Calls @fn of the visitors that have it. */
#define SHOW(s, fn, ...)								\
	do {										\
		const struct spans_visitor *v_ = (s)->visitors.data;			\
		size_t i_;								\
											\
		for (i_ = 0; i_ < (s)->visitors.len; i_++)				\
			if (v_[i_].fn)							\
				v_[i_].fn(v_[i_].ctx, __VA_ARGS__);			\
	} while (0)

/* living.c: NULL: there is no such P. */
struct proc *spans_find_proc(struct spans *s, uint64_t id);

/* procs.c: a transition of a P; all end with the trace. */
void spans_proc(struct spans *s, const struct trace_event *ev);
void spans_procs_end(struct spans *s);
/* A goroutine enters a system call on thread @m, or leaves it. */
void spans_syscall_begin(struct spans *s, uint64_t m, uint64_t g);
void spans_syscall_end(struct spans *s, uint64_t m, uint64_t g);

/* ranges.c: an event of that kind. */
void spans_range(struct spans *s, const struct trace_event *ev, enum view_kind kind);
void spans_region(struct spans *s, const struct trace_event *ev, bool begins);
void spans_task(struct spans *s, const struct trace_event *ev, bool begins);
/* What @g, a P or the program has open ends. */
void spans_end_ranges(struct spans *s, struct vec *ranges, int64_t time);
void spans_end_regions(struct spans *s, struct goroutine *g, int64_t time);
void spans_tasks_end(struct spans *s);

/* An empty vec on the heap, made when it is first needed. */
struct vec *spans_vec_of(struct vec **vec);
void spans_vec_free(struct vec **vec);

#endif
