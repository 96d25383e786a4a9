/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto: a Go trace as a Perfetto trace (https://perfetto.dev), for its user interface and its
 * SQL. A visitor of spans/spans.h; `gotap perfetto`, `record --perfetto` and `assemble --perfetto`
 * use it. docs/perfetto.md says what is where.
 *
 * 	struct perfetto *p = perfetto_new(&sink, &process);
 * 	ret = perfetto_read(p, reader, &err);
 * 	perfetto_free(p);
 *
 * It is written as a stream, in the order of the events; what lasts until the trace ends is ended
 * there.
 *
 * Memory: that of spans, some words for each goroutine that lives, and what interned.h says.
 */
#ifndef GOTAP_PERFETTO_PERFETTO_H
#define GOTAP_PERFETTO_PERFETTO_H

#include "read/raw_sink.h"
#include "read/v2_reader.h"
#include "spans/spans.h"

struct perfetto;

/* A trace of Go does not say which process it is of. */
enum { PERFETTO_NO_PID = INT32_MAX };	/* no process of Linux has it */

struct perfetto_process {
	uint32_t pid;
	const char *name;
};

/* @sink and @process stay the caller's, and must outlive it. */
struct perfetto *perfetto_new(struct raw_sink *sink, const struct perfetto_process *process);
/*
 * All of @r. What comes before a fault of the trace is written, and the fault is an instant of the
 * recording.
 */
int perfetto_read(struct perfetto *p, struct trace_reader *r, struct error *err);
/* That it reads. */
struct spans *perfetto_spans(struct perfetto *p);
/* Accepts NULL. */
void perfetto_free(struct perfetto *p);

/* --- what Linux knows of the threads --- */

/* Values are those of GenericKernelTaskStateEvent.TaskStateEnum, but for the last one. */
enum perfetto_linux_state {
	LINUX_RUNNABLE = 2,
	LINUX_RUNNING = 3,
	LINUX_SLEEPING = 4,
	LINUX_UNINTERRUPTIBLE = 5,
	LINUX_STOPPED = 6,
	LINUX_DEAD = 7,		/* not for callers: of a main thread that has ended (threads.c) */
	/* it has ended; a state that comes after it is of another one, with its id */
	LINUX_GONE = 8,
	LINUX_UNKNOWN,		/* no record says its state; written as no state at all */
};

/* A stay of a thread in a state. */
struct perfetto_thread_span {
	int64_t from, to;	/* CLOCK_MONOTONIC, ns */
	uint32_t tid;
	const char *comm;
	enum perfetto_linux_state state;
	uint32_t cpu;		/* running: on it; else where it was last */
	uint32_t waker;		/* runnable: tid of the waker; 0: none, or not known */
	const char *why;	/* a constant: a slice of that name shows it, too; NULL: none */
	const char *by;		/* the task that had the CPU meanwhile; "": none, or not known */
	uint32_t other;		/* the process that it is of; 0: of the program */
};

/* Has the trace begun, so that the following may be called? */
bool perfetto_began(const struct perfetto *p);
/*
 * Adds a span of a thread, which fills Perfetto's tables sched and thread_state. The thread that
 * reads the trace calls it, while it reads or afterwards; the spans of one thread come in order,
 * and the last one is LINUX_GONE, or LINUX_UNKNOWN where the recording ends. Threads of other
 * programs have no @waker and no @why.
 */
void perfetto_thread_span(struct perfetto *p, const struct perfetto_thread_span *span);

#endif
