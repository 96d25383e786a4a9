/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sink: takes the events of the scheduler model (user/sched) as they happen. The writer of
 * v2 traces is one (v2_sink.h); an analysis or another format is another. The model calls
 * it and knows nothing of what becomes of an event.
 *
 * A generation begins with the status of every P and goroutine, so a consumer can begin
 * with any of them. The calls come in an order in which a reader's state machine accepts
 * each event (Go 1.27, internal/trace/order.go). Their times rise, with two exceptions:
 * GCSweepEnd, which the model knows only by the thread's next record, and ProcsChange (with
 * the steps of the thread that says it) just before the end of a generation. Neither is
 * dated before the begin of its generation.
 *
 * Statuses, losses and gaps are events, too: GoStatus and ProcStatus, and UserLog of
 * category "gotap".
 */
#ifndef GOTAP_TRACE_SINK_H
#define GOTAP_TRACE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "trace/types.h"
#include "tracev2.h"

/* A text that an event refers to. It need not be text: it may hold zeros. */
struct sink_text {
	const char *bytes;	/* NULL: none */
	size_t len;		/* not set of a constant, which ends with a 0 */
	bool constant;		/* it lives as long as the program, and never changes */
};

static inline size_t sink_text_len(const struct sink_text *t)
{
	if (!t->constant)
		return t->len;
	return t->bytes ? strlen(t->bytes) : 0;
}

/*
 * A timed event. The arguments are those of tracev2.def without dt. sink_refs[] says which of them
 * are texts and stacks: a text is the address of a struct sink_text, which is valid during the call
 * (see sink_arg_text()); a stack is a key, 0 for none.
 */
struct sink_event {
	uint64_t time;		/* ns */
	uint64_t thread;	/* TRACEV2_NO_ID: of nobody */
	enum tracev2_event kind;
	int nargs;
	const uint64_t *args;
	/* of a GoStatus: key of the function that the goroutine begins with, 0 unknown */
	uint64_t start;
	/*
	 * GoStatus, GoBlock, GoCreateBlocked: the runtime's text of why the goroutine waits, a
	 * constant; NULL: not known. The reason among the arguments of a GoBlock behind a gap is
	 * another text.
	 */
	const char *waits;
};

/* A text as an argument. */
#define SINK_TEXT(s, n) ((uint64_t)(uintptr_t)&(const struct sink_text){ .bytes = (s), .len = (n) })
#define SINK_CONSTANT(s) \
	((uint64_t)(uintptr_t)&(const struct sink_text){ .bytes = (s), .constant = true })

static inline const struct sink_text *sink_arg_text(uint64_t arg)
{
	return (const struct sink_text *)(uintptr_t)arg;
}

/* Which arguments of a kind of event are texts, and which are stacks: bit i is set for args[i]. */
struct sink_refs {
	uint8_t texts, stacks;
};

/* The index is the number of the kind; tracev2.def has the kinds. */
extern const struct sink_refs sink_refs[256];

/*
 * Is it an event of the model's stand-in, goroutine 0 (sched/procs.c)? That is no goroutine of the
 * program, and the times of its events are made up: to be left out when goroutines are counted.
 */
bool sink_is_stand_in(const struct sink_event *e);

/*
 * The reason of a goroutine that waits after a GoSwitch, an event without a reason: the runtime's
 * text for a coroutine switch.
 */
#define SINK_COROUTINE "coroutine"

struct sink_sample {
	uint64_t time;
	uint64_t thread;
	uint64_t p;		/* TRACEV2_NO_ID: none */
	uint64_t g;		/* 0: none */
	uint64_t stack;		/* key, 0: none */
};

/*
 * A stack's key stands for the same stack in the whole trace, but its frames may become
 * known after the event that refers to it: look them up when the generation ends, with the
 * trace_frames_fn of the source of the keys (stacks_frames() of user/frames).
 */
struct sink_ops {
	void (*gen_begin)(void *ctx);
	/*
	 * @clock is that of the generation's begin. An error ends the recording: the model
	 * returns it and must not be called again.
	 */
	int (*gen_end)(void *ctx, const struct trace_clock *clock, struct error *err);
	/*
	 * About the bytes of the open generation so far: the model ends those that get too large.
	 */
	size_t (*gen_size)(const void *ctx);

	/*
	 * @thread is about to have events. Known threads may be announced again, and some
	 * are before the first generation begins.
	 */
	void (*thread)(void *ctx, uint64_t thread);
	/*
	 * The thread has most likely ended. The sink gets it announced again before it has more
	 * events.
	 */
	void (*thread_done)(void *ctx, uint64_t thread);

	/* The rest comes in an open generation only. */
	void (*event)(void *ctx, const struct sink_event *e);
	void (*cpu_sample)(void *ctx, const struct sink_sample *sample);
	/* Data that the events of experiment @exp refer to (tracev2: 1, AllocFree). */
	void (*experiment)(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n);
};

/* All operations are set. */
struct sink {
	const struct sink_ops *ops;
	void *ctx;
};

#endif
