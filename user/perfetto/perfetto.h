/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto: writes a Go trace as a Perfetto trace (https://perfetto.dev), for its user interface
 * and its SQL. Uses visitors of spans/spans.h. The callers are `gotap perfetto`, `record
 * --perfetto` and `assemble --perfetto`. docs/perfetto.md describes the tracks.
 *
 * 	struct perfetto *p = perfetto_new(&sink, &process);
 * 	ret = perfetto_read(p, reader, &err);
 * 	perfetto_free(p);
 *
 * The Perfetto trace is written as a stream, in the order of the events. Slices that are open when
 * the Go trace ends are ended then.
 *
 * Memory: the memory of spans, some words for each live goroutine, and the memory that interned.h
 * names.
 */
#ifndef GOTAP_PERFETTO_PERFETTO_H
#define GOTAP_PERFETTO_PERFETTO_H

#include "read/raw_sink.h"
#include "read/v2_reader.h"
#include "spans/spans.h"

struct perfetto;

/* The pid for traces without one: a Go trace does not name its process. */
enum { PERFETTO_NO_PID = INT32_MAX };	/* no process of Linux has it */

struct perfetto_process {
	uint32_t pid;
	const char *name;
	/* of several processes in one Perfetto trace, from 0 on */
	unsigned int number;
};

enum { PERFETTO_PROCESSES = 63 };

/*
 * Makes the writer, which the caller frees with perfetto_free(). The caller owns @sink and
 * @process; both must outlive the writer.
 */
struct perfetto *perfetto_new(struct raw_sink *sink, const struct perfetto_process *process);
/*
 * Reads @r to its end. If the trace is damaged, all that comes before the damage is written, the
 * track Recording gets an instant with the fault, and the return value and @err have the fault
 * (-errno).
 */
int perfetto_read(struct perfetto *p, struct trace_reader *r, struct error *err);
/*
 * Makes a writer for a further process of the Perfetto trace of @with, which has the same sink and
 * must live longer. The number of @process must differ.
 */
struct perfetto *perfetto_new_beside(struct perfetto *with, const struct perfetto_process *process);
/*
 * As perfetto_read(), for processes of one machine: reads @others side by side with @p, each with
 * its reader of @readers, to the end of the trace of @p. Calls over connections between them, or
 * within one, have arrows (joins/joins.h). @faults gets the fault of each of the @n others; code 0:
 * it has none.
 */
int perfetto_read_all(struct perfetto *p, struct trace_reader *r, struct perfetto *const *others,
		      struct trace_reader *const *readers, struct error *faults, size_t n,
		      struct error *err);
/* Returns the spans that perfetto_read() reads, to add further visitors. */
struct spans *perfetto_spans(struct perfetto *p);
/* Frees @p, which may be NULL. */
void perfetto_free(struct perfetto *p);

/* --- states of threads in Linux --- */

/* Values up to LINUX_GONE are those of GenericKernelTaskStateEvent.TaskStateEnum. */
enum perfetto_linux_state {
	LINUX_RUNNABLE = 2,
	LINUX_RUNNING = 3,
	LINUX_SLEEPING = 4,
	LINUX_UNINTERRUPTIBLE = 5,
	LINUX_STOPPED = 6,
	/* not for callers: written for a main thread that has ended (threads.c) */
	LINUX_DEAD = 7,
	/* the thread has ended; a later state with its tid is about another thread */
	LINUX_GONE = 8,
	LINUX_UNKNOWN,		/* no record says the state; no state is written */
};

/* A stay of a thread in a state of Linux's scheduler. */
struct perfetto_thread_span {
	int64_t from, to;	/* CLOCK_MONOTONIC, ns */
	uint32_t tid;
	const char *comm;
	enum perfetto_linux_state state;
	/* running: the CPU; otherwise the CPU on which the thread ran last */
	uint32_t cpu;
	uint32_t waker;		/* runnable: tid of the waker; 0: none, or not known */
	/* a constant, the name of an additional slice; NULL: no such slice */
	const char *why;
	const char *by;		/* the task that had the CPU meanwhile; "": none, or not known */
	uint32_t other;		/* pid of another program; 0: a thread of the program */
};

/* Has the trace begun? perfetto_thread_span() may be called from then on. */
bool perfetto_began(const struct perfetto *p);
/*
 * Adds a span of a thread, which fills Perfetto's tables sched and thread_state. To be called by
 * the thread that reads the trace, during perfetto_read() or after it. The spans of one thread come
 * in order, and the last one has the state LINUX_GONE, or LINUX_UNKNOWN where the recording ends.
 * For threads of other programs @waker is 0 and @why NULL.
 */
void perfetto_thread_span(struct perfetto *p, const struct perfetto_thread_span *span);

#endif
