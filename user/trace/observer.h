/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observer: sees a recording while it becomes a trace, and changes nothing: each event
 * (trace/tap.h), the bytes of each generation (flight, the Perfetto trace beside a Go trace), and
 * the time up to which all events have come. The thread of the assembler calls the functions.
 *
 * v2_sink.h passes events and generations to its observers, assemble/assembler.h the rest.
 */
#ifndef GOTAP_TRACE_OBSERVER_H
#define GOTAP_TRACE_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

#include "trace/sink.h"
#include "trace/tracefile.h"
#include "trace/types.h"

struct rec_user;

/* Each function may be NULL. */
struct observer_ops {
	/*
	 * Called before all others. @frames returns the frames of a stack by its key, 0 if its
	 * record has not come yet.
	 */
	void (*begin)(void *ctx, trace_frames_fn *frames, void *frames_ctx);
	/* An event, after it was written. */
	void (*event)(void *ctx, const struct sink_event *e);
	/* The text with number @later, to which earlier events refer (sink_ops.text). */
	void (*text)(void *ctx, uint64_t later, const char *bytes, size_t n);
	/* The thread has most likely ended: the model has dropped it. */
	void (*thread_done)(void *ctx, uint64_t thread);
	/* The open generation ends. It is written next. */
	void (*gen_end)(void *ctx);
	/* The header, or a whole generation, has been written. */
	void (*written)(void *ctx, const struct tracefile_generation *g);
	/* Called after each chunk: all events up to @time (ns) have come. */
	void (*seen)(void *ctx, uint64_t time);
	/*
	 * A gap begins at @time, or a little later: until the next generation begins, events are
	 * missing.
	 */
	void (*gap)(void *ctx, uint64_t time);
	/*
	 * The program dies of a panic, a fatal error or a signal. The record of its stack may come
	 * later.
	 */
	void (*dies)(void *ctx, const struct rec_user *r);
};

struct observer {
	const struct observer_ops *ops;
	void *ctx;
};

enum { OBSERVERS_MAX = 8 };

/* Observers are called in the order in which they were added. */
struct observers {
	struct observer list[OBSERVERS_MAX];
	size_t n;
	size_t of_events;	/* number of observers with the function event */
};

/* Adds an observer; the caller adds at most OBSERVERS_MAX. */
void observers_add(struct observers *o, const struct observer_ops *ops, void *ctx);

/* Each of these calls the function of the same name of all observers that have it. */
void observers_begin(const struct observers *o, trace_frames_fn *frames, void *frames_ctx);
void observers_event(const struct observers *o, const struct sink_event *e);
void observers_text(const struct observers *o, uint64_t later, const char *bytes, size_t n);
void observers_thread_done(const struct observers *o, uint64_t thread);
void observers_gen_end(const struct observers *o);
/* A tracefile_written_fn; @observers is the struct observers. */
void observers_written(void *observers, const struct tracefile_generation *g);
void observers_seen(const struct observers *o, uint64_t time);
void observers_gap(const struct observers *o, uint64_t time);
void observers_dies(const struct observers *o, const struct rec_user *r);

/* A sink without a trace: it only passes events to @o. Valid as long as @o. */
struct sink observers_sink(const struct observers *o);

#endif
