/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans: from the events of a trace to stays of goroutines in states: from when to when, why, where
 * in the code, on which P, and who began and ended it. Reports, profiles, the critical path, pages
 * and other formats are visitors of this one stream.
 *
 * 	struct spans *s = spans_new();
 * 	spans_visit(s, &(struct spans_visitor){ .ctx = &sum, .span = add_up });
 * 	ret = spans_read(s, reader, &err);
 * 	spans_free(s);
 *
 * The spans of a goroutine follow one another without a hole, from when it is first known to its
 * end or the end of the trace: their sum is its life. A goroutine that was there when the trace
 * began is known since the first event, in the state that its first status says (as Go 1.27 has it,
 * Summarizer.Event() of internal/trace/summary.go).
 *
 * Memory: the goroutines, ranges and tasks that live, one generation of the trace, and each text
 * and stack once, up to the limits below. Several traces may be read one after the other; texts and
 * stacks keep their numbers, everything else begins anew.
 */
#ifndef GOTAP_SPANS_SPANS_H
#define GOTAP_SPANS_SPANS_H

#include "read/v2_reader.h"
#include "spans/stack_set.h"

/* Bytes of all texts. One that finds no room is "(a name too many)". */
enum { SPANS_TEXTS = 64 << 20 };

/* The reason of a wait that stands for a time in which nothing was recorded (docs/losses.md). */
#define SPANS_GAP "gotap: not recorded"

/*
 * The name of goroutine 0. No program has it: a recording in which no goroutine ran needs one that
 * says what GOMAXPROCS is, and what was lost (stand_in() of user/sched/procs.c). It counts as one
 * of the runtime's.
 */
#define SPANS_STAND_IN "(stand-in of the recorder)"

struct spans;

/* Who began or ended a span, and where. */
struct span_edge {
	/* EV_*, GoStart say; 0: the trace begins or ends, or the goroutine was found */
	uint8_t type;
	/*
	 * whose code did it: of GoUnblock and GoCreate another goroutine, TRACEV2_NO_ID: of no
	 * goroutine (the scheduler, network poller, a timer)
	 */
	uint64_t g;
	uint64_t p, m;		/* where; TRACEV2_NO_ID: of none */
	uint32_t stack;		/* where in the code @g was; 0 not known */
};

struct goroutine;

struct span {
	struct goroutine *g;
	uint8_t state;		/* enum go_state: GO_RUNNABLE, _RUNNING, _WAITING or _SYSCALL */
	bool gap;		/* its reason is SPANS_GAP: where the goroutine was is not known */
	int64_t from, to;	/* ns on the clock of the trace; to is INT64_MAX while it goes on */
	/* of a wait or a stop: "chan receive", "preempted"; "" none, or not known */
	const char *reason;
	/*
	 * the last place in the code that is known of it: of waits and system calls where it waits,
	 * of runnable ones where they go on, of running ones where they began; 0 none
	 */
	uint32_t stack;
	uint64_t p, m;		/* running, or in a system call: where; TRACEV2_NO_ID: not known */
	/* of a system call: when it lost its P to others; INT64_MAX: never did */
	int64_t p_until;
	struct span_edge begin, end;
};

/* A goroutine that lives. Visitors have data of their own in arrays by @slot. */
struct goroutine {
	uint64_t id;
	uint32_t slot;		/* from 1 on, small: one of those that have ended is given again */
	bool alive;
	bool created;		/* in the trace: by @creator; else it was there before */
	bool named;		/* @name is known and stays */
	/* the function that it began with; "" as long as no stack of it was seen */
	const char *name;
	const char *labels;	/* profiler labels as read/labels.h has them; "" none known */
	int64_t since;		/* when it was created, or is known from */
	uint64_t creator;	/* TRACEV2_NO_ID: not known, or no goroutine */
	uint32_t created_at;	/* stack of its creator */
	uint64_t starts;	/* how often it began to run */
	struct span now;	/* the one that goes on */
	struct vec *ranges, *regions;	/* of spans.c */
};

/* A stay of a P: with a thread, or idle. */
struct proc_span {
	uint64_t p, m;		/* m: TRACEV2_NO_ID idle, or not known */
	bool running;		/* also while its goroutine is in a system call and keeps it */
	bool open_begin, open_end;	/* the trace begins, ends in it */
	int64_t from, to;
};

/* GC cycle, stop-the-world, mark assist, sweep: the names and scopes are those of read/view.h. */
struct range_span {
	/* "GC mark assist": a constant, equal names are not the same pointer */
	const char *name;
	const char *reason;	/* of a stop-the-world; else "" */
	enum resource scope;	/* RESOURCE_NONE: the whole program */
	uint64_t id;		/* of the goroutine or P that it is about */
	uint64_t g;		/* that began it; TRACEV2_NO_ID: none, or not known */
	uint32_t stack;		/* where it did so */
	bool open_begin, open_end;
	int64_t from, to;
	uint64_t attrs[2];	/* of a sweep: bytes swept, bytes reclaimed */
};

struct region_span {
	struct goroutine *g;
	uint64_t task;		/* 0: of none */
	const char *type;
	uint32_t depth;		/* regions of the goroutine around it */
	uint32_t stack;		/* where it began */
	bool open_begin, open_end;
	int64_t from, to;
};

struct task_span {
	uint64_t id, parent;	/* parent: TRACEV2_NO_ID none, or not known */
	const char *type;	/* "" not known: it began before the trace */
	uint64_t g;		/* that began it; TRACEV2_NO_ID not known */
	bool open_begin, open_end;
	int64_t from, to;
};

/*
 * Functions that may be NULL. What they are shown holds until they return; texts hold as long as
 * the spans. Spans come in the order of their ends.
 */
struct spans_visitor {
	void *ctx;
	void (*trace_begin)(void *ctx, int64_t time);
	/* Each event that is not CPUSample, before it has its effect. */
	void (*event)(void *ctx, const struct trace_event *ev);
	/* Found, or created: before its first span begins. */
	void (*goroutine_begin)(void *ctx, struct goroutine *g);
	/* g->now has begun: now.to is INT64_MAX. */
	void (*span_begin)(void *ctx, const struct span *span);
	void (*span)(void *ctx, const struct span *span);
	/* After its last span. @ended: it did, and not only the trace. */
	void (*goroutine_end)(void *ctx, struct goroutine *g, int64_t time, bool ended);
	void (*proc)(void *ctx, const struct proc_span *span);
	void (*range)(void *ctx, const struct range_span *range);
	/* to is INT64_MAX */
	void (*region_begin)(void *ctx, const struct region_span *region);
	void (*region)(void *ctx, const struct region_span *region);
	void (*task_begin)(void *ctx, const struct task_span *task);	/* to is INT64_MAX */
	void (*task)(void *ctx, const struct task_span *task);
	/* @name: of read/view.h, "/gc/heap/goal:bytes". */
	void (*metric)(void *ctx, int64_t time, const char *name, uint64_t value);
	/*
	 * A log event of the program, or with category "gotap" a note of the recorder
	 * (docs/losses.md).
	 */
	void (*log)(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
		    const char *message);
	void (*sample)(void *ctx, const struct trace_event *ev, uint32_t stack);
	/* After all spans were ended. */
	void (*trace_end)(void *ctx, int64_t time);
};

struct spans *spans_new(void);
/* Accepts NULL. */
void spans_free(struct spans *s);
/* Adds a visitor, of whom a copy is kept; they are called in the order in which they were added. */
void spans_visit(struct spans *s, const struct spans_visitor *visitor);
/* The visitors of @ctx are called no more. */
void spans_leave(struct spans *s, const void *ctx);
/*
 * Reads all of @r. What comes before a fault of the trace is shown, ends as at the end of a trace,
 * and the fault is the error.
 */
int spans_read(struct spans *s, struct trace_reader *r, struct error *err);

/*
 * A visitor has seen enough: the event at hand is the last one, and all ends as at the end of the
 * trace.
 */
void spans_stop(struct spans *s);

/* While a trace is read: the time of its first event, and of the last one. */
int64_t spans_first(const struct spans *s);
int64_t spans_last(const struct spans *s);
/*
 * The time of day, in ns, at time 0 of CLOCK_MONOTONIC as the first clock of the trace has it.
 * False: it has none.
 */
bool spans_wall(const struct spans *s, int64_t *ret);
/* The goroutine of that id, if it lives; else NULL. */
struct goroutine *spans_goroutine(struct spans *s, uint64_t id);
/* All slots are below this. */
uint32_t spans_slots(const struct spans *s);
/* While an event is shown: the number of the stack of its id @id, the text of its string @id. */
uint32_t spans_stack(struct spans *s, uint64_t id);
const char *spans_string(struct spans *s, uint64_t id);
/* The one copy of the text. */
const char *spans_text(struct spans *s, const char *text, size_t n);
/* Texts that found no room. */
uint64_t spans_texts_dropped(const struct spans *s);
struct stack_set *spans_stacks(struct spans *s);

/*
 * Is it of the runtime's own goroutines? As IsSystemGoroutine() of internal/trace (Go 1.27) has it.
 */
bool spans_is_system(const char *name);

#endif
