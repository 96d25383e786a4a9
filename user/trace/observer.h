/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observer: looks on while a recording becomes a trace: at its events (trace/tap.h), at the bytes
 * of each generation (flight, the Perfetto trace beside a Go trace), at how far the events are
 * complete. It changes nothing. The thread of the assembler calls it.
 *
 * v2_sink.h shows events and generations to its observers, assemble/assembler.h the rest.
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
	 * Before all else: @frames gives the frames of a stack by its key, 0 if it has not come
	 * yet.
	 */
	void (*begin)(void *ctx, trace_frames_fn *frames, void *frames_ctx);
	/* An event, after it was written. */
	void (*event)(void *ctx, const struct sink_event *e);
	/* The thread has most likely ended. */
	void (*thread_done)(void *ctx, uint64_t thread);
	/* The open generation ends. It is written next. */
	void (*gen_end)(void *ctx);
	/* The header, or a whole generation, has been written. */
	void (*written)(void *ctx, const struct tracefile_generation *g);
	/* After a chunk: all events up to @time (ns) have come. */
	void (*seen)(void *ctx, uint64_t time);
	/*
	 * A gap begins at @time, or a little later: events are missing until the next generation
	 * begins.
	 */
	void (*gap)(void *ctx, uint64_t time);
	/* The program dies by its own doing; the stack of the record may come later. */
	void (*dies)(void *ctx, const struct rec_user *r);
};

struct observer {
	const struct observer_ops *ops;
	void *ctx;
};

enum { OBSERVERS_MAX = 8 };

/* The observers are called in the order in which they were added. */
struct observers {
	struct observer list[OBSERVERS_MAX];
	size_t n;
	size_t of_events;	/* those that look at events */
};

/* Adds one of at most OBSERVERS_MAX. */
void observers_add(struct observers *o, const struct observer_ops *ops, void *ctx);

/* Each calls the function of the same name of those observers that have it. */
void observers_begin(const struct observers *o, trace_frames_fn *frames, void *frames_ctx);
void observers_event(const struct observers *o, const struct sink_event *e);
void observers_thread_done(const struct observers *o, uint64_t thread);
void observers_gen_end(const struct observers *o);
/* A tracefile_written_fn; @observers is the struct observers. */
void observers_written(void *observers, const struct tracefile_generation *g);
void observers_seen(const struct observers *o, uint64_t time);
void observers_gap(const struct observers *o, uint64_t time);
void observers_dies(const struct observers *o, const struct rec_user *r);

/* The sink of a recording that is not written: it shows events to @o. Valid as long as @o. */
struct sink observers_sink(const struct observers *o);

#endif
