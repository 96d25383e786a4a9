/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oncpu: splits the time of a goroutine on a thread (spans of user/spans) by the thread's states in
 * Linux during that time (user/threads): on a CPU, in the queue of a CPU, throttled, in a page
 * fault, and so on. The states of threads come from the file beside the trace (threads/file.h),
 * which is read in step with the trace.
 *
 *	oncpu_open(&o, spans, "x.trace.threads", &err);
 *	spans_visit(spans, ...);	visitors that call oncpu_parts() in their function span
 *	spans_read(spans, reader, &err);
 *	oncpu_finish(o, &err);
 *	oncpu_free(o);
 *
 * Trace and file have the clock and the thread ids of gotap's records. Memory: the parts since the
 * begin of each open span, at most ONCPU_PARTS_MAX in all.
 */
#ifndef GOTAP_ONCPU_ONCPU_H
#define GOTAP_ONCPU_ONCPU_H

#include "spans/spans.h"
#include "stream/spool.h"
#include "threads/threads.h"

/*
 * The number of parts of all threads in memory at one time: 16 MB. Each thread takes another 0.6 KB
 * until it has ended and its parts are dropped. Parts beyond the number become unknown.
 */
enum { ONCPU_PARTS_MAX = 256 << 10 };

/* A part of the time of a goroutine on a thread, in which the thread has one state. */
struct oncpu_part {
	int64_t from, to;	/* on the clock of the trace */
	uint8_t state;		/* enum thread_state; THREAD_UNKNOWN: no record shows the state */
	uint8_t queued;		/* enum queued_by, for the states QUEUED and THROTTLED */
	uint32_t cpu;		/* as in struct thread_span */
	int64_t syscall;
	struct task_ref by;
};

struct oncpu;

/*
 * Opens the file of threads at @path for the trace that @s will read. Call it before the other
 * visitors of @s are added: oncpu adds its own visitor, which notes the threads that have
 * goroutines. @s must outlive *@ret. Returns 0 or -errno with @err.
 */
int oncpu_open(struct oncpu **ret, struct spans *s, const char *path, struct error *err);
/* The header of the file: which process was recorded, by which gotap. */
const struct capture_info *oncpu_info(const struct oncpu *o);
/*
 * The threads of the file. More visitors may be added before the trace is read. These visitors also
 * see the time before and after the trace.
 */
struct threads *oncpu_threads(struct oncpu *o);
/*
 * Returns the parts of [@from, @to) on thread @m, without a hole, in order of time; @n is their
 * number. They are valid until the next call. To be called for a span of state GO_RUNNING or
 * GO_SYSCALL, or a part of it, when the span ends (function span of the visitor). @m TRACEV2_NO_ID
 * returns one unknown part.
 */
const struct oncpu_part *oncpu_parts(struct oncpu *o, uint64_t m, int64_t from, int64_t to,
				     size_t *n);
/*
 * As oncpu_parts(), for a time without a goroutine on thread @m: the parts of [@from, @to) since
 * the last goroutine left the thread. To be called when the next goroutine begins on the thread.
 * The parts show why the thread did not take a runnable goroutine earlier. The time more than 20 ms
 * ago is unknown.
 */
const struct oncpu_part *oncpu_idle_parts(struct oncpu *o, uint64_t m, int64_t from, int64_t to,
					  size_t *n);
/*
 * Reads the rest of the file, for the visitors of its threads. Returns the first error of the file;
 * the visitors have seen all records before the error.
 */
int oncpu_finish(struct oncpu *o, struct error *err);
/*
 * True if the file, by its times and clocks, is of the same recording as a trace that begins at
 * @first (ns). Available as soon as the trace begins. If false, no record of the file is read, and
 * all parts are unknown.
 */
bool oncpu_begins(struct oncpu *o, int64_t first);
/*
 * To be called after oncpu_finish(). False if oncpu_begins() was false, or if most of the threads
 * that had goroutines have no record, as with a file of another program from the same time.
 */
bool oncpu_matches(const struct oncpu *o);
/* The number of parts that became unknown because of ONCPU_PARTS_MAX. */
uint64_t oncpu_dropped(const struct oncpu *o);
/* Accepts NULL. */
void oncpu_free(struct oncpu *o);

#endif
