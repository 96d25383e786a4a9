/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace: a v1 execution trace: its events in one consistent order with
 * nanosecond times, checked, with the goroutine, P and thread they happened
 * on, their stacks and strings. Events stay in the file's bytes: each
 * iteration decodes and merges them anew, so that memory is little more than
 * the file.
 *
 *	v1_trace_open(&t, data, n, &err);
 *	v1_trace_symbolize(t, "prog", &err);	// formats before 1.7, if wanted
 *	v1_iter_init(&it, t);
 *	while ((ev = v1_iter_next(&it)))
 *		use(ev, it.thread);
 *	v1_iter_release(&it);
 *	v1_trace_free(t);
 *
 * The order and the checks are those of internal/trace of Go 1.19 (formats up
 * to 1.10) and internal/trace/internal/tracev1 of Go 1.27 (from 1.11 on);
 * before 1.5, those of the parser of that time.
 */
#ifndef GOTAP_V1_TRACE_H
#define GOTAP_V1_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "v1/format.h"

/* Rows that viewers show some events on instead of their P. */
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
	uint64_t offset;	/* of the record in the file */
	uint64_t g;		/* goroutine, 0 none */
	uint64_t args[3];	/* in wire order, see format.def */
	uint64_t stack;		/* id, 0 none */
	int64_t p;		/* -1 none */
	const char *text;	/* UserLog: its message, in the file's bytes */
	size_t text_len;
	uint8_t type;		/* enum v1_type; the Local variants appear as the plain ones */
	uint8_t row;		/* enum v1_row */
	bool sys_blocks;	/* GoSysCall whose goroutine's next event is GoSysBlock */
	/* In a trace with damage: */
	bool fresh;		/* the first event of its P after damage */
	bool nobody;		/* its goroutine is not known, and @g is 0 */
	bool repaired;		/* what it follows is lost */
	bool senseless;		/* it makes no sense: only that it is @fresh counts */
};

struct v1_frame {
	uint64_t pc;
	const char *func, *file;	/* "" if unknown */
	uint64_t line;
};

struct map64;
struct v1_trace;

/*
 * Parses, orders and checks the file in @data, which must outlive the trace.
 * The error's text says what is wrong, at which offset and time.
 */
int v1_trace_open(struct v1_trace **ret, const uint8_t *data, size_t n, struct error *err);

/* The result of v1_trace_open_cut(). */
struct v1_cut {
	bool is_cut;		/* the rest holds for what is left */
	bool resumed;		/* it goes on behind damage */
	bool no_frequency;	/* it stood behind the cut: a tick is shown as a nanosecond */
	size_t places;		/* with damage */
	size_t lost_bytes;	/* that cannot be read */
	size_t lost_events;	/* read, but what they follow is lost */
	struct error why;	/* at the first place */
};

/*
 * The same for a file that is damaged: what comes before, of which all is in order, and what
 * follows from the next batch on. There an event may follow one that is lost (v1_event.repaired).
 */
int v1_trace_open_cut(struct v1_trace **ret, const uint8_t *data, size_t n, struct v1_cut *cut,
		      struct error *err);
/* Accepts NULL. */
void v1_trace_free(struct v1_trace *t);

/* Format: V1_GOTRACE or the minor version of the header. */
int v1_trace_version(const struct v1_trace *t);
size_t v1_trace_count(const struct v1_trace *t);
/* "" for id 0 and for an id that is not in the file. strset_len() says how long it is. */
const char *v1_trace_string(const struct v1_trace *t, uint64_t id);
/*
 * The frames of stack @id, leaf first, at most @max in @out. 0 if there is no
 * such stack.
 */
size_t v1_trace_stack(const struct v1_trace *t, uint64_t id, struct v1_frame *out, size_t max);
/* How many frames it has. */
size_t v1_trace_depth(const struct v1_trace *t, uint64_t id);
/*
 * The start PC that GoCreate of a format with bare PCs has, of the stack that its second argument
 * is after v1_trace_open(). False if @stack is another one.
 */
bool v1_trace_start_pc(const struct v1_trace *t, uint64_t stack, uint64_t *pc);
/* The ticks of its clock per second, 0 if unknown, and how many there are at time 0. */
void v1_trace_clock(const struct v1_trace *t, uint64_t *frequency, int64_t *first);
/* The goroutines that run timers, up to Go 1.13: a set of ids. */
const struct map64 *v1_trace_timers(const struct v1_trace *t);
/* Name of a record type in the trace's format. */
const char *v1_trace_type_name(const struct v1_trace *t, unsigned int type);

/*
 * Names the frames of a format that has bare PCs (others are left alone) with
 * the executable that was traced. A GoCreate's start PC becomes a stack, too,
 * named or not: after v1_trace_open() its second argument is always a stack id.
 */
int v1_trace_symbolize(struct v1_trace *t, const char *binary, struct error *err);

/* --- in order, with threads --- */

struct v1_iter {
	const struct v1_trace *t;
	uint64_t thread;	/* of the last event's P, V1_NO_THREAD if unknown */
	struct map64 *threads;	/* P -> thread */
	struct v1_sequence *sequence;
	struct check *check;
	struct v1_event ev;
	struct error error;	/* why there is no next event, if that is not the end */
};

#define V1_NO_THREAD UINT64_MAX

/* Before 1.11, whose formats are read by no parser that keeps them, without futile wake-ups. */
void v1_iter_init(struct v1_iter *it, const struct v1_trace *t);
/* With or without them, whatever the format. */
void v1_iter_init_whole(struct v1_iter *it, const struct v1_trace *t, bool whole);
/* Valid until the next call; NULL after the last event. */
const struct v1_event *v1_iter_next(struct v1_iter *it);
void v1_iter_release(struct v1_iter *it);

/* --- the whole file --- */

struct v1_summary {
	int version;
	size_t events, goroutines, procs, stacks, strings;
	int64_t duration;	/* ns */
};

/* All checks; 0 if the trace is consistent. */
int v1_check(const uint8_t *data, size_t n, struct v1_summary *ret, struct error *err);

#endif
