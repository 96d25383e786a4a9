/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans: makes stays of goroutines in states (spans) from the events of a trace: from when to when,
 * why, where in the code, on which P, and who began and ended it. Reports, profiles, the critical
 * path, pages and other formats are visitors of this one stream.
 *
 * 	struct spans *s = spans_new();
 * 	spans_visit(s, &(struct spans_visitor){ .ctx = &sum, .span = add_up });
 * 	ret = spans_read(s, reader, &err);
 * 	spans_free(s);
 *
 * The spans of a goroutine follow one another without a hole, from the time at which it is first
 * known to its end or the end of the trace: their sum is its life. A goroutine that existed when
 * the trace began is known from the first event on, in the state of its first status event (as in
 * Go 1.27, Summarizer.Event() of internal/trace/summary.go).
 *
 * Memory: the live goroutines, ranges and tasks, one generation of the trace, and each text and
 * stack once, up to the limits below. Several traces may be read one after the other: texts and
 * stacks keep their numbers, and all other state is reset.
 */
#ifndef GOTAP_SPANS_SPANS_H
#define GOTAP_SPANS_SPANS_H

#include "read/v2_reader.h"
#include "spans/stack_set.h"

/* Limit on the bytes of all texts. A text that finds no room becomes "(a name too many)". */
enum { SPANS_TEXTS = 64 << 20 };

/* The reason of a wait that fills a time in which gotap recorded nothing (docs/losses.md). */
#define SPANS_GAP "gotap: not recorded"

/*
 * The name of goroutine 0, which no program has: a recording in which no goroutine ran needs a
 * goroutine for the events of GOMAXPROCS and of losses (stand_in() of user/sched/procs.c).
 * Goroutine 0 counts as a goroutine of the runtime.
 */
#define SPANS_STAND_IN "(stand-in of the recorder)"

struct spans;

/* The event that began or ended a span: the goroutine that caused it, and its place. */
struct span_edge {
	/*
	 * EV_*, as GoStart. 0: no event caused it: the trace begins or ends, or the goroutine was
	 * found
	 */
	uint8_t type;
	/*
	 * the goroutine that caused it: for GoUnblock and GoCreate another goroutine;
	 * TRACEV2_NO_ID: no goroutine (the scheduler, the network poller, a timer)
	 */
	uint64_t g;
	uint64_t p, m;		/* P and thread of the event; TRACEV2_NO_ID: none */
	uint32_t stack;		/* stack of @g at that time; 0: not known */
};

struct goroutine;

struct span {
	struct goroutine *g;
	uint8_t state;		/* enum go_state: GO_RUNNABLE, _RUNNING, _WAITING or _SYSCALL */
	/* its reason is SPANS_GAP: the state of the goroutine is not known */
	bool gap;
	/* ns on the clock of the trace; to is INT64_MAX while the span is open */
	int64_t from, to;
	/* why it waits or stopped: "chan receive", "preempted"; "": no reason, or not known */
	const char *reason;
	/*
	 * the last stack that is known: for a wait or a system call where it waits, for a runnable
	 * span where the goroutine will go on, for a running span where it began; 0: none
	 */
	uint32_t stack;
	uint64_t p, m;		/* of a running span or a system call; TRACEV2_NO_ID: not known */
	/* of a system call: the time when it lost its P; INT64_MAX: it kept its P */
	int64_t p_until;
	/*
	 * The channel, lock or descriptor that a wait is for, if some visitor has asked for it
	 * (@waits) and the trace says it; else NULL. Valid as long as the span.
	 */
	const struct trace_wait *wait;
	struct span_edge begin, end;
};

/* A live goroutine. Visitors keep their own data in arrays by @slot. */
struct goroutine {
	uint64_t id;
	/* from 1 on; a new goroutine gets the slot of one that has ended, so slots are small */
	uint32_t slot;
	bool alive;
	bool created;		/* during the trace, by @creator; false: it existed before */
	bool named;		/* @name will not change any more */
	/* the function that it began with; "": no stack of it was seen yet */
	const char *name;
	const char *labels;	/* profiler labels, in the form of read/labels.h; "": none known */
	int64_t since;		/* time of its creation, or time from which on it is known */
	uint64_t creator;	/* TRACEV2_NO_ID: not known, or no goroutine */
	uint32_t created_at;	/* stack of its creator */
	uint64_t starts;	/* number of running spans that began */
	struct span now;	/* its open span */
	struct vec *ranges, *regions;	/* open ranges and regions; owned by spans */
	struct trace_wait *wait;	/* that of @now points here; owned by spans */
};

/* A stay of a P: with a thread, or idle. */
struct proc_span {
	uint64_t p, m;		/* m: TRACEV2_NO_ID if idle, or not known */
	bool running;		/* also while its goroutine is in a system call and keeps the P */
	bool open_begin, open_end;	/* the stay was there when the trace began, ended */
	int64_t from, to;
};

/* A GC cycle, stop-the-world, mark assist or sweep; names and scopes are those of read/view.h. */
struct range_span {
	/* "GC mark assist": a constant; equal names may have different addresses */
	const char *name;
	const char *reason;	/* of a stop-the-world; otherwise "" */
	enum resource scope;	/* RESOURCE_NONE: the whole program */
	uint64_t id;		/* id of the goroutine or P of the range, by @scope */
	uint64_t g;		/* the goroutine that began it; TRACEV2_NO_ID: none, or not known */
	uint32_t stack;		/* stack where @g began it */
	bool open_begin, open_end;
	int64_t from, to;
	uint64_t attrs[2];	/* of a sweep: bytes swept, bytes reclaimed */
};

struct region_span {
	struct goroutine *g;
	uint64_t task;		/* 0: none */
	const char *type;
	/* number of open regions of the goroutine that contain this region */
	uint32_t depth;
	uint32_t stack;		/* stack where the region began */
	bool open_begin, open_end;
	/* the goroutine left it some time before @to (read/func.h); @open_end is set, too */
	bool left;
	int64_t from, to;
};

struct task_span {
	uint64_t id, parent;	/* parent: TRACEV2_NO_ID: none, or not known */
	const char *type;	/* "": not known, the task began before the trace */
	uint64_t g;		/* the goroutine that began it; TRACEV2_NO_ID: not known */
	bool open_begin, open_end;
	int64_t from, to;
};

/* A sampled allocation, or the end of such an object (read/alloc.h). */
struct alloc_event {
	int64_t time;
	uint64_t g;		/* that allocates, or sweeps */
	bool freed;
	uint32_t stack;		/* of the allocation; 0: not known */
	uint64_t size, rate;	/* rate 0: not known */
	uint64_t collections;	/* of an end; 0: not known */
	const char *type;	/* "": not known; a text of the spans */
};

/*
 * The functions of a visitor; each may be NULL. The structs that a function gets are valid until it
 * returns; texts are valid as long as the struct spans. Spans come in the order of their ends.
 */
struct spans_visitor {
	void *ctx;
	bool waits;	/* spans of waits say for what (struct span, @wait) */
	bool notes;	/* @log is for notes of the recorder alone (read/notes.h) */
	void (*trace_begin)(void *ctx, int64_t time);
	/* Each event except CPUSample, before it changes any span. */
	void (*event)(void *ctx, const struct trace_event *ev);
	/* A goroutine was found, or created; its first span begins next. */
	void (*goroutine_begin)(void *ctx, struct goroutine *g);
	/* g->now has begun: now.to is INT64_MAX. */
	void (*span_begin)(void *ctx, const struct span *span);
	void (*span)(void *ctx, const struct span *span);
	/* After the last span of @g. @ended: the goroutine ended; false: only the trace did. */
	void (*goroutine_end)(void *ctx, struct goroutine *g, int64_t time, bool ended);
	void (*proc)(void *ctx, const struct proc_span *span);
	void (*range)(void *ctx, const struct range_span *range);
	/* region->to is INT64_MAX. */
	void (*region_begin)(void *ctx, const struct region_span *region);
	void (*region)(void *ctx, const struct region_span *region);
	void (*task_begin)(void *ctx, const struct task_span *task);	/* to is INT64_MAX */
	void (*task)(void *ctx, const struct task_span *task);
	/* @name is one of read/view.h, as "/gc/heap/goal:bytes". */
	void (*metric)(void *ctx, int64_t time, const char *name, uint64_t value);
	/*
	 * A log event of the program, or, with category "gotap", a note of the recorder
	 * (docs/losses.md).
	 */
	void (*log)(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
		    const char *message);
	/*
	 * The log event of gotap about an operation (read/http.h). @message is valid until the
	 * function returns: a trace can have more of them than there is room for texts. Visitors
	 * with this function do not get such an event by @log.
	 */
	void (*op_log)(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
		       const char *message);
	/* Visitors with this function do not get the log event of it by @log. */
	void (*alloc)(void *ctx, const struct alloc_event *e);
	/* The recording says which program it is of: for origin_take() (read/origin.h). */
	void (*origin)(void *ctx, int64_t time, const char *text);
	void (*sample)(void *ctx, const struct trace_event *ev, uint32_t stack);
	/* All spans have ended. */
	void (*trace_end)(void *ctx, int64_t time);
};

struct spans *spans_new(void);
/* Frees @s, which may be NULL. */
void spans_free(struct spans *s);
/* Adds a copy of @visitor. The visitors are called in the order in which they were added. */
void spans_visit(struct spans *s, const struct spans_visitor *visitor);
/* Removes the visitors that have @ctx. */
void spans_leave(struct spans *s, const void *ctx);
/*
 * Reads @r to its end. If the trace is damaged, all that comes before the damage is shown, open
 * spans end as at the end of a trace, and the return value and @err have the fault (-errno).
 */
int spans_read(struct spans *s, struct trace_reader *r, struct error *err);

/*
 * Another trace that is read beside one: of another process of the same machine, hence on the same
 * clock (CLOCK_MONOTONIC).
 */
struct spans_beside {
	struct spans *s;		/* of spans_new_beside() */
	struct trace_reader *reader;
	/* Set by spans_read_beside(): */
	const struct trace_event *next;	/* the event that comes next */
	bool over;			/* it has no further event */
	/* the fault of a damaged trace; what comes before the damage was shown */
	struct error fault;
};

/*
 * Makes a struct spans for a trace beside those of @with: texts and stacks of both are the same
 * and have the same numbers. To be freed before @with.
 */
struct spans *spans_new_beside(const struct spans *with);
/*
 * As spans_read(), and before an event of @r the events of the @n @others up to its time are shown
 * to their visitors. Their spans end where those of @s do.
 */
int spans_read_beside(struct spans *s, struct trace_reader *r, struct spans_beside *others,
		      size_t n, struct error *err);

/*
 * For visitors that have seen enough: spans_read() takes no further event, and ends all spans as at
 * the end of the trace.
 */
void spans_stop(struct spans *s);

/* The time of the first event, and of the last event so far. Valid while a trace is read. */
int64_t spans_first(const struct spans *s);
int64_t spans_last(const struct spans *s);
/*
 * Stores the time of day, in ns, at time 0 of CLOCK_MONOTONIC, from the first clock of the trace.
 * False: the trace has no clock.
 */
bool spans_wall(const struct spans *s, int64_t *ret);
/* The same from the last clock so far: each generation of a trace has one. */
bool spans_wall_now(const struct spans *s, int64_t *ret);
/* Returns the live goroutine with @id, or NULL. */
struct goroutine *spans_goroutine(struct spans *s, uint64_t id);
/* Is there an open task with that id, of which the trace has the begin? */
bool spans_has_task(struct spans *s, uint64_t id);
/* All slots are below this number. */
uint32_t spans_slots(const struct spans *s);
/*
 * The number of the stack with id @id, and the text of the string with id @id. To be called only
 * while a visitor gets an event.
 */
uint32_t spans_stack(struct spans *s, uint64_t id);
const char *spans_string(struct spans *s, uint64_t id);
/* Returns the copy of @text that all equal texts share; it lives as long as @s. */
const char *spans_text(struct spans *s, const char *text, size_t n);
/* Number of texts that found no room. */
uint64_t spans_texts_dropped(const struct spans *s);
struct stack_set *spans_stacks(struct spans *s);
/*
 * The number of the first frame of @stack, leaf first, of which the package is none of the standard
 * library, by its path; 0 if that is the leaf, or there is none.
 */
uint32_t spans_own_frame(struct spans *s, uint32_t stack);

/*
 * Is @name the first function of a goroutine of the runtime itself? As IsSystemGoroutine() of
 * internal/trace (Go 1.27), and true for SPANS_STAND_IN.
 */
bool spans_is_system(const char *name);

#endif
