/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oncpu: Linux beside Go: the stays of a goroutine on a thread, as user/spans has them, split by the state that the
 * thread had in Linux meanwhile (user/threads): on a CPU, in the queue of one, throttled, in a page fault, and so on. The
 * second half comes from the file beside the trace (threads/file.h), which is read along with the trace.
 *
 *	oncpu_open(&o, spans, "x.trace.threads", &err);
 *	spans_visit(spans, ...);	visitors that call oncpu_parts() in their function span
 *	spans_read(spans, reader, &err);
 *	oncpu_finish(o, &err);
 *	oncpu_free(o);
 *
 * Both sides have the clock and the thread ids of gotap's records. Memory: the parts since the begins of the
 * spans that go on, at most ONCPU_PARTS_MAX.
 */
#ifndef GOTAP_ONCPU_ONCPU_H
#define GOTAP_ONCPU_ONCPU_H

#include "spans/spans.h"
#include "stream/spool.h"
#include "threads/threads.h"

/*
 * Of all threads: 16 MB, and the room between. A thread takes 0.6 KB besides until it has ended and its parts are of the past. Parts
 * for which there is no room become unknown.
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
 * Opens the file of threads at @path for the trace that @s will read, before its other visitors are added: an own visitor notes
 * which threads have goroutines. @s must live as long.
 */
int oncpu_open(struct oncpu **ret, struct spans *s, const char *path, struct error *err);
const struct capture_info *oncpu_info(const struct oncpu *o);
/* Of the file: for more visitors, before the trace is read. They are shown what lies before and behind the trace, too. */
struct threads *oncpu_threads(struct oncpu *o);
/*
 * The parts of [@from, @to) on thread @m, without a hole, in order of time; they hold until the next call. To be called for
 * spans of states GO_RUNNING and GO_SYSCALL, or a part of one, when they end (function span of the visitor). @m TRACEV2_NO_ID
 * gives one unknown part.
 */
const struct oncpu_part *oncpu_parts(struct oncpu *o, uint64_t m, int64_t from, int64_t to, size_t *n);
/*
 * Of these the time since the last goroutine left the thread, to be called when the next one begins there: what kept the thread from
 * taking one that was ready. Of the far past it is unknown.
 */
const struct oncpu_part *oncpu_idle_parts(struct oncpu *o, uint64_t m, int64_t from, int64_t to, size_t *n);
/* Reads what is left, for the visitors of the threads. An error is the fault of the file; what came before it was shown. */
int oncpu_finish(struct oncpu *o, struct error *err);
/*
 * Is the file of the same recording as a trace that begins at @first, by their times and clocks? The trace that @s reads answers as it
 * begins, before other visitors see that. Of a file that is not no record is read, and it answers no question.
 */
bool oncpu_begins(struct oncpu *o, int64_t first);
/*
 * After oncpu_finish(): false also if most of the threads that had goroutines have no record. Files of other recordings that come so far
 * are of the same time, and unknown is all that they say of these threads.
 */
bool oncpu_matches(const struct oncpu *o);
/* Parts that became unknown for want of room. */
uint64_t oncpu_dropped(const struct oncpu *o);
/* Accepts NULL. */
void oncpu_free(struct oncpu *o);

#endif
