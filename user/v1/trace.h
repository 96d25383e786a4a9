/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace: a v1 execution trace: its checked events in one consistent order with times in
 * nanoseconds, with goroutine, P and thread, stacks and strings. Events are kept as the bytes of
 * the file: each iteration decodes and merges them again, so that memory is little more than the
 * file.
 *
 *	v1_trace_open(&t, data, n, &err);
 *	v1_trace_symbolize(t, "prog", &err);	// formats before 1.7, if wanted
 *	v1_iter_init(&it, t);
 *	while ((ev = v1_iter_next(&it)))
 *		use(ev, it.thread);
 *	v1_iter_release(&it);
 *	v1_trace_free(t);
 *
 * Order and checks are those of internal/trace of Go 1.19 (formats up to 1.10) and of
 * internal/trace/internal/tracev1 of Go 1.27 (from 1.11 on); before 1.5 those of the parser of that
 * time.
 */
#ifndef GOTAP_V1_TRACE_H
#define GOTAP_V1_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "v1/format.h"

/* The rows on which viewers show events, if not on the row of their P. */
enum v1_row {
	V1_ROW_P,
	V1_ROW_TIMER,		/* unblocked by a timer goroutine */
	V1_ROW_NETPOLL,		/* unblocked from the network */
	V1_ROW_SYSCALL,		/* return from a system call */
	V1_ROW_GC,
	V1_ROW_PROFILE,		/* CPU samples */
};

struct v1_event {
	int64_t time;		/* ns since the first event */
	uint64_t offset;	/* offset of the record in the file */
	uint64_t g;		/* goroutine, 0: none */
	uint64_t args[3];	/* in the order of the file, see format.def */
	uint64_t stack;		/* id, 0: none */
	int64_t p;		/* P, -1: none */
	const char *text;	/* UserLog: its message, bytes of the file */
	size_t text_len;
	uint8_t type;		/* enum v1_type; a Local variant has the plain type */
	uint8_t row;		/* enum v1_row */
	/* a GoSysCall that blocks: the goroutine's next event is GoSysBlock */
	bool sys_blocks;
	/* For damaged traces only: */
	bool fresh;		/* the first event of its P after damage */
	bool nobody;		/* its goroutine is not known, and g is 0 */
	bool repaired;		/* events that it needs are lost */
	bool senseless;		/* its content makes no sense: only @fresh is valid */
};

struct v1_frame {
	uint64_t pc;
	const char *func, *file;	/* "" if unknown */
	uint64_t line;
};

struct map64;
struct v1_trace;

/*
 * Parses, orders and checks the file in @data, which must outlive the trace. v1_trace_free() frees
 * *@ret. Returns 0 or -errno with @err: the broken rule, its offset and time.
 */
int v1_trace_open(struct v1_trace **ret, const uint8_t *data, size_t n, struct error *err);

/* The result of v1_trace_open_cut(). */
struct v1_cut {
	bool is_cut;		/* the trace is incomplete; the following is set */
	bool resumed;		/* events after damage were read */
	bool no_frequency;	/* the frequency is lost: a tick counts as a nanosecond */
	size_t places;		/* number of damaged places */
	size_t lost_bytes;	/* bytes that cannot be read */
	size_t lost_events;	/* events that were read, but need lost events */
	struct error why;	/* the error at the first damaged place */
};

/*
 * As v1_trace_open(), for a damaged file: reads the events before the damage, which all keep the
 * rules, and those from the next batch on. An event after damage may need a lost event
 * (v1_event.repaired).
 */
int v1_trace_open_cut(struct v1_trace **ret, const uint8_t *data, size_t n, struct v1_cut *cut,
		      struct error *err);
/* Accepts NULL. */
void v1_trace_free(struct v1_trace *t);

/* The format: V1_GOTRACE or the minor version of the header. */
int v1_trace_version(const struct v1_trace *t);
size_t v1_trace_count(const struct v1_trace *t);
/*
 * The text of string @id; "" for id 0 and for an id that is not in the file. strset_len() returns
 * its length.
 */
const char *v1_trace_string(const struct v1_trace *t, uint64_t id);
/*
 * Puts the frames of stack @id into @out, leaf first, at most @max. Returns their number; 0: no
 * such stack.
 */
size_t v1_trace_stack(const struct v1_trace *t, uint64_t id, struct v1_frame *out, size_t max);
/* The number of frames of stack @id. */
size_t v1_trace_depth(const struct v1_trace *t, uint64_t id);
/*
 * The start PC that the GoCreate of a format with bare PCs has in the file, for the stack id that
 * its second argument is after v1_trace_open(). False if @stack is not one of a start PC.
 */
bool v1_trace_start_pc(const struct v1_trace *t, uint64_t stack, uint64_t *pc);
/* *@frequency: ticks per second of the trace's clock, 0: not known. *@first: ticks at time 0. */
void v1_trace_clock(const struct v1_trace *t, uint64_t *frequency, int64_t *first);
/* The goroutines that run timers, up to Go 1.13: a set of ids. Owned by @t. */
const struct map64 *v1_trace_timers(const struct v1_trace *t);
/* The name of a record type in the trace's format. */
const char *v1_trace_type_name(const struct v1_trace *t, unsigned int type);

/*
 * Names the frames of a format with bare PCs by the traced executable @binary; does nothing for
 * other formats. The start PC of a GoCreate is a stack with and without names: after
 * v1_trace_open() its second argument is always a stack id.
 */
int v1_trace_symbolize(struct v1_trace *t, const char *binary, struct error *err);

/* --- iteration in order, with threads --- */

struct v1_iter {
	const struct v1_trace *t;
	uint64_t thread;	/* thread of the last event's P, V1_NO_THREAD: not known */
	struct map64 *threads;	/* P -> thread */
	struct v1_sequence *sequence;
	struct check *check;
	struct v1_event ev;
	struct error error;	/* the error, if the iteration ended by one */
};

#define V1_NO_THREAD UINT64_MAX

/*
 * Begins an iteration. For formats before 1.11 it omits futile wake-ups, like all parsers of these
 * formats.
 */
void v1_iter_init(struct v1_iter *it, const struct v1_trace *t);
/* Begins an iteration; @whole: with futile wake-ups, for any format. */
void v1_iter_init_whole(struct v1_iter *it, const struct v1_trace *t, bool whole);
/*
 * The next event, valid until the next call; NULL after the last event, or on an error (it->error).
 */
const struct v1_event *v1_iter_next(struct v1_iter *it);
void v1_iter_release(struct v1_iter *it);

/* --- the whole file --- */

struct v1_summary {
	int version;
	size_t events, goroutines, procs, stacks, strings;
	int64_t duration;	/* in ns */
};

/* Runs all checks. Returns 0 if the trace is consistent, or -errno with @err. Fills @ret. */
int v1_check(const uint8_t *data, size_t n, struct v1_summary *ret, struct error *err);

#endif
