/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tap: an observer (trace/observer.h) that keeps the current state of each goroutine. Its visitors
 * see the program a few ms late, without a reader of the trace. Visitors are the triggers of `gotap
 * record --on` (trigger/trigger.h) and the counts of `gotap top` (top/tally.h).
 *
 *     tap_new(&opts), tap_observe() into assembler_opts.observers; the assembler's thread calls
 *     the visitors
 *
 * Events come in their order. Between events seen() reports the time up to which they are complete:
 * a wait that has not ended has lasted until then. In a gap nothing is known: after it
 * each goroutine leaves its old state and enters one.
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
	/* goroutine that runs, or is in a syscall, on the thread; NULL: none */
	struct tap_go *go;
	void *data;		/* for the visitor, NULL at first */
};

struct tap_go {
	uint64_t id;
	uint8_t state;		/* enum tap_state */
	/*
	 * the goroutine was, or may have been, in this state before @since: during a gap, or before
	 * the tap knew the goroutine
	 */
	bool before;
	bool born_before;	/* the goroutine lived, or may have lived, before @born */
	uint64_t since;		/* ns */
	uint64_t born;
	struct tap_thread *m;	/* thread in TAP_RUNNING and TAP_SYSCALL, if known; else NULL */
	uint64_t start;		/* key of its start function, 0: not known */
	/*
	 * key of the stack on which it waits, stopped, or entered its syscall; for a new goroutine
	 * @start; 0: not known
	 */
	uint64_t stack;
	/* in TAP_WAITING, and after a stop: the reason in the trace; "": not known. Constant */
	const char *reason;
	struct tap_go *free;	/* next in the tap's list of unused ones */
	uint64_t data[];	/* opts.data bytes for the visitor, zeroed at first */
};

/* The event that the tap handles now. */
struct tap_step {
	const struct sink_event *event;
	/* the goroutine that runs, or is in a syscall, on the event's thread; NULL: none */
	struct tap_go *by;
};

/* Each function may be NULL. A goroutine is valid until gone() has returned. */
struct tap_visitor {
	/* The tap has learned of @g, which enters its first state next. */
	void (*born)(void *ctx, struct tap_go *g, const struct tap_step *s);
	/* @g is in state g->state from g->since on. */
	void (*enter)(void *ctx, struct tap_go *g, const struct tap_step *s);
	/*
	 * @g was in state g->state until @time. @known false: a gap lies before @time, or the
	 * recording ends, and the state of @g since its last event is not known.
	 */
	void (*leave)(void *ctx, struct tap_go *g, uint64_t time, bool known);
	/* @g has left its last state, and has ended. */
	void (*gone)(void *ctx, struct tap_go *g, uint64_t time);
	/* The model has dropped the thread, which has most likely ended. */
	void (*thread_gone)(void *ctx, struct tap_thread *m);
	/*
	 * Called for each event, before it changes a state, also in a gap. @m: its thread, NULL:
	 * none.
	 */
	void (*any)(void *ctx, const struct sink_event *e, struct tap_thread *m);
	/* An event that changes no state, if opts.wants[kind] is set. Not called in a gap. */
	void (*event)(void *ctx, const struct tap_step *s);
	/* A text to which earlier events refer (sink_ops.text). Also called in a gap. */
	void (*text)(void *ctx, uint64_t later, const char *bytes, size_t n);
	/* All events up to @time have come. Not called in a gap. */
	void (*seen)(void *ctx, uint64_t time);
	/*
	 * A gap has ended: @time is that of the first event after it. Ranges and sizes of earlier
	 * events may no longer hold. leave(), with @known false, and enter() follow for each
	 * goroutine.
	 */
	void (*gap)(void *ctx, uint64_t time);
};

struct tap_opts {
	const struct tap_visitor *visitor;
	void *ctx;
	size_t data;		/* bytes after each struct tap_go */
	bool wants[256];	/* index: enum tracev2_event */
};

struct tap;

/* @opts->visitor must outlive the tap. tap_free() frees the result. */
struct tap *tap_new(const struct tap_opts *opts);
/* Adds the tap to the observers @to. */
void tap_observe(struct tap *t, struct observers *to);
/* The number of live goroutines, and the time of the last event in ns. */
size_t tap_live(const struct tap *t);
uint64_t tap_time(const struct tap *t);
/* The goroutine with this id; NULL: the tap does not know it. */
struct tap_go *tap_find(const struct tap *t, uint64_t goid);
/*
 * Iterates over all goroutines, oldest first: *@at is 0 before the first call. NULL after the last
 * one.
 */
struct tap_go *tap_next(const struct tap *t, size_t *at);
/*
 * The frames of the stack with this key, at most @max, as a trace_frames_fn. 0: the record of the
 * stack may still come. The frames are valid until the next call.
 */
size_t tap_frames(const struct tap *t, uint64_t key, struct trace_frame *out, size_t max);
/* Frees the tap without a call of its visitor. @t may be NULL. */
void tap_free(struct tap *t);

#endif
