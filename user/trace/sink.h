/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sink: receives the events of the scheduler model (user/sched) as they happen. The writer of v2
 * traces is a sink (v2_sink.h); an analysis or another format can be one, too. The model calls the
 * sink and does not depend on its use of an event.
 *
 * A generation begins with the status of every P and goroutine, so a consumer can begin with any
 * generation. The order of the calls is one in which a reader's state machine accepts each event
 * (Go 1.27, internal/trace/order.go). Times rise, with two exceptions: GCSweepEnd, which the model
 * learns only from the thread's next record, and ProcsChange, with the steps of its thread, just
 * before the end of a generation. Neither has a time before the begin of its generation.
 *
 * Statuses, losses and gaps are events, too: GoStatus and ProcStatus, and UserLog of category
 * "gotap".
 */
#ifndef GOTAP_TRACE_SINK_H
#define GOTAP_TRACE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "trace/types.h"
#include "trace/wait.h"
#include "tracev2.h"

/* A text to which an event refers: any bytes, also zeros. */
struct sink_text {
	const char *bytes;	/* NULL: none */
	size_t len;		/* not set if @constant: then a NUL ends the text */
	bool constant;		/* the text is valid until the process ends, and never changes */
	/*
	 * Not 0: a number for a text that comes later (sink_ops.text), and bytes is one that may
	 * stand in its place.
	 */
	uint64_t later;
	uint8_t op;	/* the name of an operation of this enum op_kind; 0: of none */
};

static inline size_t sink_text_len(const struct sink_text *t)
{
	if (!t->constant)
		return t->len;
	return t->bytes ? strlen(t->bytes) : 0;
}

/*
 * A timed event. The arguments are those of tracev2.def without dt. sink_refs[] lists the arguments
 * that are texts or stacks: a text is the address of a struct sink_text, valid during the call (see
 * sink_arg_text()); a stack is a key, 0: none.
 */
struct sink_event {
	uint64_t time;		/* in ns */
	uint64_t thread;	/* TRACEV2_NO_ID: no thread */
	enum tracev2_event kind;
	int nargs;
	const uint64_t *args;
	/* in a GoStatus: key of the goroutine's start function, 0: not known */
	uint64_t start;
	/*
	 * GoStatus, GoBlock, GoCreateBlocked: the runtime's constant text for the wait reason;
	 * NULL: not known. The reason in the arguments of a GoBlock that the model adds after a gap
	 * is another text.
	 */
	const char *waits;
	/* likewise: the object that the goroutine waits for; NULL: not known */
	const struct trace_wait *object;
};

/* A text as an argument. Valid until the end of the block in which the macro is used. */
#define SINK_TEXT(s, n) ((uint64_t)(uintptr_t)&(const struct sink_text){ .bytes = (s), .len = (n) })
#define SINK_CONSTANT(s) \
	((uint64_t)(uintptr_t)&(const struct sink_text){ .bytes = (s), .constant = true })

static inline const struct sink_text *sink_arg_text(uint64_t arg)
{
	return (const struct sink_text *)(uintptr_t)arg;
}

/*
 * The arguments of a kind of event that are texts, and those that are stacks: bit i stands for
 * args[i].
 */
struct sink_refs {
	uint8_t texts, stacks;
};

/* Indexed by the number of the kind in tracev2.def. */
extern const struct sink_refs sink_refs[256];

/*
 * True for an event of goroutine 0, with which the model stands for goroutines that it does not
 * know (sched/procs.c). The program has no such goroutine, and the times of these events are
 * invented: they must not be counted with goroutines.
 */
bool sink_is_stand_in(const struct sink_event *e);

/*
 * The wait reason of a goroutine after a GoSwitch, an event without a reason: the runtime's text
 * for a coroutine switch.
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
 * A key names the same stack in the whole trace. Its frames may become known after the event that
 * refers to the key: look them up when the generation ends, with the trace_frames_fn of the source
 * of the keys (stacks_frames() of user/frames).
 */
struct sink_ops {
	void (*gen_begin)(void *ctx);
	/*
	 * @clock is the clock at the begin of the generation. Returns 0 or -errno with @err. An
	 * error ends the recording: the model returns it and must not be called again.
	 */
	int (*gen_end)(void *ctx, const struct trace_clock *clock, struct error *err);

	/*
	 * @thread will have events. The model may announce a thread several times, also before the
	 * first generation begins.
	 */
	void (*thread)(void *ctx, uint64_t thread);
	/*
	 * The thread has most likely ended. If it has further events, the model announces it again
	 * before them.
	 */
	void (*thread_done)(void *ctx, uint64_t thread);

	/* The following are called in an open generation only. */
	void (*event)(void *ctx, const struct sink_event *e);
	void (*cpu_sample)(void *ctx, const struct sink_sample *sample);
	/* A descriptor that goroutines waited for in this generation. May be NULL. */
	void (*socket)(void *ctx, const struct trace_socket_time *s);
	/*
	 * The text with number @later, to which events of this generation refer, is this one. Each
	 * such text comes before the generation ends. NULL: the sink takes the texts in the events.
	 */
	void (*text)(void *ctx, uint64_t later, const char *bytes, size_t n);
	/* Data to which events of experiment @exp refer (tracev2: 1, AllocFree). */
	void (*experiment)(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n);
};

/* All members are set, but gen_size, ops->socket and ops->text may be NULL. */
struct sink {
	const struct sink_ops *ops;
	void *ctx;
	/*
	 * The approximate bytes of the open generation: the model ends a generation that is too
	 * large. It reads this before each record. NULL: no generation is too large.
	 */
	const size_t *gen_size;
};

#endif
