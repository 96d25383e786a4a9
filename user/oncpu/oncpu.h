/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oncpu: splits the stays of a goroutine on a thread (user/spans) by the state that the thread had
 * in Linux meanwhile (user/threads): on a CPU, in the queue of one, throttled, in a page fault, and
 * so on. The states of threads come from the file beside the trace (threads/file.h), which is read
 * along with the trace.
 *
 * 	oncpu_open(&o, spans, "x.trace.threads", &err);
 * 	spans_visit(spans, ...);	visitors that call oncpu_parts() in their function span
 * 	spans_read(spans, reader, &err);
 * 	oncpu_finish(o, &err);
 * 	oncpu_free(o);
 *
 * The trace and the file have the same clock and thread ids, those of gotap's records. Memory: the
 * parts since the begin of each span that goes on, at most ONCPU_PARTS_MAX in all.
 */
#ifndef GOTAP_ONCPU_ONCPU_H
#define GOTAP_ONCPU_ONCPU_H

#include "spans/spans.h"
#include "stream/spool.h"
#include "threads/threads.h"

/*
 * Parts of all threads that are kept at a time: 16 MB. Each thread takes 0.6 KB besides, until it
 * has ended and its parts are dropped. Parts for which there is no room become unknown.
 */
enum { ONCPU_PARTS_MAX = 256 << 10 };

/* A part of a stay of a goroutine on a thread. */
struct oncpu_part {
	int64_t from, to;	/* on the clock of the trace */
	uint8_t state;		/* enum thread_state; THREAD_UNKNOWN: no record says */
	uint8_t queued;		/* enum queued_by, of QUEUED and THROTTLED */
	uint32_t cpu;		/* as in struct thread_span */
	int64_t syscall;
	struct task_ref by;
};

struct oncpu;

/*
 * Opens the file of threads at @path for the trace that @s will read, before its other visitors are
 * added: an own visitor notes which threads have goroutines. @s must live as long.
 */
int oncpu_open(struct oncpu **ret, struct spans *s, const char *path, struct error *err);
/* The header of the file: which process was recorded, by which gotap. */
const struct capture_info *oncpu_info(const struct oncpu *o);
/*
 * The threads of the file, which may get more visitors before the trace is read. These also see
 * what lies before and behind the trace.
 */
struct threads *oncpu_threads(struct oncpu *o);
/*
 * Returns the @n parts of [@from, @to) on thread @m, without a hole, in order of time; they hold
 * until the next call. To be called for spans of states GO_RUNNING and GO_SYSCALL, or a part of
 * one, when they end (function span of the visitor). @m TRACEV2_NO_ID gives one unknown part.
 */
const struct oncpu_part *oncpu_parts(struct oncpu *o, uint64_t m, int64_t from, int64_t to,
				     size_t *n);
/*
 * The same for a time without a goroutine: the parts of [@from, @to) since the last goroutine left
 * thread @m. To be called when the next one begins there; it shows what kept the thread from taking
 * a goroutine that was ready. More than 20 ms ago is unknown.
 */
const struct oncpu_part *oncpu_idle_parts(struct oncpu *o, uint64_t m, int64_t from, int64_t to,
					  size_t *n);
/*
 * Reads the rest of the file, for the visitors of the threads. Returns the first error of the file;
 * they have seen what is before it.
 */
int oncpu_finish(struct oncpu *o, struct error *err);
/*
 * Is the file of the same recording as a trace that begins at @first (ns), by their times and
 * clocks? Known as soon as the trace begins. If not, no record of the file is read, and all parts
 * are unknown.
 */
bool oncpu_begins(struct oncpu *o, int64_t first);
/*
 * To be called after oncpu_finish(): false if oncpu_begins() was, or if most of the threads that
 * had goroutines have no record. So it is with a file of another program from the same time.
 */
bool oncpu_matches(const struct oncpu *o);
/* How many parts became unknown since there was no room for them. */
uint64_t oncpu_dropped(const struct oncpu *o);
/* Accepts NULL. */
void oncpu_free(struct oncpu *o);

#endif
