/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tap: an observer (trace/observer.h) that keeps what each goroutine does now: so its visitors see
 * the program at work, a few ms late, without a reader. The triggers of `gotap record --on` visit
 * it (trigger/trigger.h), and the counts of `gotap top` (top/tally.h).
 *
 *     tap_new(&opts), tap_observe() into assembler_opts.observers; the assembler's thread calls
 *     visitors
 *
 * Events come in their order. Between two of them seen() says how far they are complete: a wait
 * that goes on has lasted until then. In a gap nothing is known: each goroutine leaves its state
 * there, and enters one after it.
 */
#ifndef GOTAP_TRACE_TAP_H
#define GOTAP_TRACE_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/observer.h"
#include "trace/sink.h"

enum tap_state { TAP_NONE, TAP_RUNNABLE, TAP_RUNNING, TAP_SYSCALL, TAP_WAITING, TAP_STATES };

struct tap_thread {
	uint64_t id;
	struct tap_go *go;	/* that runs or is in a syscall there; NULL: none */
	void *data;		/* the visitor's, NULL at first */
};

struct tap_go {
	uint64_t id;
	uint8_t state;		/* enum tap_state */
	/*
	 * it was in this state before @since, or may have been: in a gap, or before the tap knew it
	 */
	bool before;
	bool born_before;	/* likewise: it lived, or may have lived, before @born */
	uint64_t since;		/* ns */
	uint64_t born;
	struct tap_thread *m;	/* of TAP_RUNNING and TAP_SYSCALL, if it is known; else NULL */
	uint64_t start;		/* key of the function that it begins with, 0: not known */
	/*
	 * key: where it waits, stopped, or entered its syscall; of a new one @start; 0: not known
	 */
	uint64_t stack;
	/* of TAP_WAITING, of a stop: as the trace has it; "": not known. Lives on */
	const char *reason;
	struct tap_go *free;	/* the tap's: list of unused ones */
	uint64_t data[];	/* the visitor's, zeroed: opts.data bytes */
};

/* What the tap handles now. */
struct tap_step {
	const struct sink_event *event;
	/* the goroutine that runs, or is in a syscall, on the event's thread; NULL: none */
	struct tap_go *by;
};

/* Each function may be NULL. A goroutine is valid until gone() has returned. */
struct tap_visitor {
	/* A goroutine that the tap did not know. It enters its first state next. */
	void (*born)(void *ctx, struct tap_go *g, const struct tap_step *s);
	/* @g is in g->state from g->since on. */
	void (*enter)(void *ctx, struct tap_go *g, const struct tap_step *s);
	/*
	 * @g was in g->state until @time. !@known: a gap begins, or the recording ends; what it did
	 * since its last event is not known.
	 */
	void (*leave)(void *ctx, struct tap_go *g, uint64_t time, bool known);
	/* The goroutine has left its last state and has ended. */
	void (*gone)(void *ctx, struct tap_go *g, uint64_t time);
	/* The model has dropped the thread: most likely it has ended. */
	void (*thread_gone)(void *ctx, struct tap_thread *m);
	/* Each event, before it moves a goroutine; @m: its thread, NULL: none. In a gap, too. */
	void (*any)(void *ctx, const struct sink_event *e, struct tap_thread *m);
	/* An event that moves no goroutine, if opts.wants has its kind. Not in a gap. */
	void (*event)(void *ctx, const struct tap_step *s);
	/* All events up to @time have come. Not in a gap. */
	void (*seen)(void *ctx, uint64_t time);
	/*
	 * A gap begins at @time: ranges and sizes of earlier events may not hold any more. leave()
	 * is called for each goroutine, too.
	 */
	void (*gap)(void *ctx, uint64_t time);
};

struct tap_opts {
	const struct tap_visitor *visitor;
	void *ctx;
	size_t data;		/* bytes behind each struct tap_go */
	bool wants[256];	/* by enum tracev2_event */
};

struct tap;

/* @opts->visitor must outlive it. */
struct tap *tap_new(const struct tap_opts *opts);
/* Adds the tap to @to. */
void tap_observe(struct tap *t, struct observers *to);
/* Goroutines that live, and the time of the last event. */
size_t tap_live(const struct tap *t);
uint64_t tap_time(const struct tap *t);
/* The goroutine of that id; NULL: the tap does not know it. */
struct tap_go *tap_find(const struct tap *t, uint64_t goid);
/* All goroutines, by age: *@at is 0 before the first call. NULL behind the last one. */
struct tap_go *tap_next(const struct tap *t, size_t *at);
/*
 * The frames of the stack with that key, at most @max, as trace_frames_fn. 0: the stack of an event
 * that has just come may not be known yet. The frames hold until the next call.
 */
size_t tap_frames(const struct tap *t, uint64_t key, struct trace_frame *out, size_t max);
/* Frees the tap without a call of the visitor. Accepts NULL. */
void tap_free(struct tap *t);

#endif
