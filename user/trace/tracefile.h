/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracefile: writes a v2 Go execution trace (headers go 1.22, 1.23, 1.25 and
 * 1.26; the format is internal/trace/tracev2 of Go 1.27).
 *
 * The writer owns the framing: header, generations, batches per thread,
 * string and stack tables, sync data. Its callers see to the order of events:
 * the scheduler model (through v2_sink), the converters, the API. One generation
 * is held in memory and written in one piece when it ends, so that a file is at
 * any time a sequence of whole generations, whatever happens to the writer.
 *
 *	tracefile_new(&tf, fd, opts, err);
 *	tracefile_gen_begin(tf);
 *	s = tracefile_stream(tf, tid);
 *	trace_emit(s, time, EV_GoStart, 2, goid, seq);
 *	tracefile_gen_end(tf, &clock, err);
 *	tracefile_free(tf);
 */
#ifndef GOTAP_TRACE_TRACEFILE_H
#define GOTAP_TRACE_TRACEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/types.h"
#include "tracev2.h"

struct tracefile;
struct trace_stream;	/* the events of one thread */

/*
 * A generation that is in the file: its bytes are the parts, one behind the other, valid during the
 * call.
 */
struct tracefile_generation {
	struct {
		const void *data;
		size_t n;
	} parts[2];
	uint64_t number;	/* the first one is 1; 0: no generation, but the header before it */
	uint64_t from, to;	/* first and last timed event, ns */
};

typedef void tracefile_written_fn(void *ctx, const struct tracefile_generation *g);

struct tracefile_opts {
	int version;			/* 22, 23, 25 or 26 */
	unsigned int time_shift;	/* the file counts units of 2^time_shift ns, 0 to 9 */
	/*
	 * Called when a generation ends, once per stack used in it. NULL: the trace has no stacks.
	 */
	trace_frames_fn *frames;
	void *ctx;
	const char *name;		/* of the output, for errors; may be NULL */
	/* called with the header and each generation; may be NULL */
	tracefile_written_fn *written;
	void *written_ctx;
};

/* Counts since the file was opened; what the final report prints. */
struct tracefile_counts {
	uint64_t events[256];	/* timed events by number */
	uint64_t generations;
	uint64_t batches;
	uint64_t stacks;	/* stack table entries, all generations */
	uint64_t strings;
	uint64_t bytes;		/* written so far */
};

/*
 * Begins a trace on @fd, which stays the caller's; -1: on none, for opts->written alone. Writes the
 * header at once.
 * -EINVAL for an unknown version, else the error of write(2).
 */
int tracefile_new(struct tracefile **ret, int fd, const struct tracefile_opts *opts,
		  struct error *err);

/* Opens the next generation. Events, strings and stacks need an open one. */
void tracefile_gen_begin(struct tracefile *tf);

/*
 * About the bytes of the open generation so far, with its tables: for turning generations by size.
 */
size_t tracefile_gen_size(const struct tracefile *tf);

/*
 * Writes the open generation with its tables and sync data. A generation
 * without a timed event is dropped (readers before Go 1.25 cannot read one).
 * On an error a regular file is cut back to the generations before.
 */
int tracefile_gen_end(struct tracefile *tf, const struct trace_clock *clock, struct error *err);

/* Ids in the open generation. A key 0 or NULL text gives id 0, "none". */
uint64_t tracefile_string(struct tracefile *tf, const char *text);
/* Likewise for bytes that need not be text: they may hold zeros and are passed on as they are. */
uint64_t tracefile_bytes(struct tracefile *tf, const char *s, size_t n);
/* Likewise for a text that lives as long as the program and never changes: it is not compared. */
uint64_t tracefile_constant(struct tracefile *tf, const char *text);
uint64_t tracefile_stack(struct tracefile *tf, uint64_t key);

/*
 * The stream of thread @m (TRACEV2_NO_ID: the stream of events that have no thread). Valid until
 * the trace is freed or tracefile_stream_done() was called for it.
 */
struct trace_stream *tracefile_stream(struct tracefile *tf, uint64_t m);
/* The thread has ended: its storage may go when the generation does. */
void tracefile_stream_done(struct tracefile *tf, uint64_t m);

/*
 * Appends event @ev at @time (ns) with @nargs arguments after dt.
 * Times of one stream must not go backwards.
 */
void trace_emit_args(struct trace_stream *s, uint64_t time, enum tracev2_event ev, int nargs,
		     const uint64_t *args);

#define trace_emit(s, time, ev, ...)                                                    \
	trace_emit_args(s, time, ev, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8,           \
			(const uint64_t[]){ __VA_ARGS__ })

/* A CPU sample; @stack is a tracefile_stack() id; @p and @g may be TRACEV2_NO_ID and 0. */
void tracefile_cpu_sample(struct tracefile *tf, uint64_t time, uint64_t m, uint64_t p,
			  uint64_t g, uint64_t stack);

/*
 * @n bytes of data that the events of experiment @exp (tracev2: 1, AllocFree) refer
 * to, for the open generation, by thread @m (TRACEV2_NO_ID: none); from header 1.23 on.
 */
void tracefile_experiment(struct tracefile *tf, uint8_t exp, uint64_t m, uint64_t time,
			  const void *body, size_t n);

const struct tracefile_counts *tracefile_counts(const struct tracefile *tf);

/* Frees without writing the open generation. Accepts NULL. */
void tracefile_free(struct tracefile *tf);

#endif
