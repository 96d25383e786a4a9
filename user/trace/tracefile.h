/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracefile: writes a v2 Go execution trace (headers go 1.22, 1.23, 1.25 and 1.26; the format is
 * internal/trace/tracev2 of Go 1.27).
 *
 * The writer makes header, generations, batches per thread, tables of strings and stacks, and sync
 * data. Its callers are responsible for the order of events: the scheduler model (through v2_sink),
 * the converters, the API. The writer holds one generation in memory and writes it at once when it
 * ends: the file is a sequence of complete generations at any time, even if the writer is killed.
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
#include "trace/wait.h"
#include "tracev2.h"

struct tracefile;
struct trace_stream;	/* the events of one thread */

/* A written generation: its bytes are the parts in their order, valid during the call. */
struct tracefile_generation {
	struct {
		const void *data;
		size_t n;
	} parts[2];
	uint64_t number;	/* number of the generation, from 1 on; 0: the header of the file */
	uint64_t from, to;	/* times of the first and the last timed event, in ns */
};

typedef void tracefile_written_fn(void *ctx, const struct tracefile_generation *g);

struct tracefile_opts {
	int version;			/* NN of the header go 1.NN: 22, 23, 25 or 26 */
	/* times in the file have units of 2^time_shift ns, 0 to 9 */
	unsigned int time_shift;
	/*
	 * Called when a generation ends, once for each stack that the generation uses. NULL: the
	 * trace has no stacks.
	 */
	trace_frames_fn *frames;
	void *ctx;
	const char *name;		/* name of the output, for errors; may be NULL */
	/* called with the header and each generation; may be NULL */
	tracefile_written_fn *written;
	void *written_ctx;
};

/* Counts since the file was opened, for the final report. */
struct tracefile_counts {
	uint64_t events[256];	/* timed events by number */
	uint64_t generations;
	uint64_t batches;
	uint64_t stacks;	/* entries of the stack tables of all generations */
	uint64_t strings;
	uint64_t bytes;		/* bytes written so far */
};

/*
 * Begins a trace on @fd, and writes its header at once. The caller closes @fd. @fd -1: no file,
 * only calls of opts->written. -EINVAL: unknown version; or the negative errno of write(2).
 */
int tracefile_new(struct tracefile **ret, int fd, const struct tracefile_opts *opts,
		  struct error *err);

/* Opens the next generation. Events, strings and stacks need an open one. */
void tracefile_gen_begin(struct tracefile *tf);

/*
 * The approximate bytes of the open generation with its tables, to end generations by their size.
 * Valid until tracefile_free(): the writer counts there.
 */
const size_t *tracefile_gen_size(const struct tracefile *tf);

/*
 * Writes the open generation with its tables and sync data. A generation without a timed event is
 * dropped (readers before Go 1.25 refuse one). On an error a regular file is truncated to the
 * generations before.
 */
int tracefile_gen_end(struct tracefile *tf, const struct trace_clock *clock, struct error *err);

/* The id of a text in the open generation; 0 for NULL. */
uint64_t tracefile_string(struct tracefile *tf, const char *text);
/* As tracefile_string(), for @n bytes, which may hold zeros. */
uint64_t tracefile_bytes(struct tracefile *tf, const char *s, size_t n);
/*
 * The id of a text that is not known yet: tracefile_define() gives it the text, before the
 * generation ends.
 */
uint64_t tracefile_later(struct tracefile *tf);
void tracefile_define(struct tracefile *tf, uint64_t id, const char *s, size_t n);
/*
 * The id of a reason in the open generation, for a GoBlock of a goroutine that waits for @wait.
 * @reason: the id of the reason's text.
 */
uint64_t tracefile_reason(struct tracefile *tf, uint64_t reason, const struct trace_wait *wait);
/* Goroutine @goid, which has a status in this generation, waits for @wait. */
void tracefile_waiting(struct tracefile *tf, uint64_t goid, const struct trace_wait *wait);
/* A descriptor was a socket in that time, for readers of waits of this generation. */
void tracefile_socket(struct tracefile *tf, const struct trace_socket_time *s);
/* The id of a stack in the open generation; 0 for key 0. */
uint64_t tracefile_stack(struct tracefile *tf, uint64_t key);

/*
 * The stream of thread @m (TRACEV2_NO_ID: the stream of events without a thread). Valid until
 * tracefile_stream_done(@m) or tracefile_free().
 */
struct trace_stream *tracefile_stream(struct tracefile *tf, uint64_t m);
/* The thread has ended: its stream is freed after the end of the generation. */
void tracefile_stream_done(struct tracefile *tf, uint64_t m);

/*
 * Appends event @ev at @time (ns) with @nargs arguments after dt. Times of one stream must not
 * decrease.
 */
void trace_emit_args(struct trace_stream *s, uint64_t time, enum tracev2_event ev, int nargs,
		     const uint64_t *args);

#define trace_emit(s, time, ev, ...)                                                    \
	trace_emit_args(s, time, ev, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8,           \
			(const uint64_t[]){ __VA_ARGS__ })

/* Adds a CPU sample. @stack is an id of tracefile_stack(). @p and @g may be TRACEV2_NO_ID and 0. */
void tracefile_cpu_sample(struct tracefile *tf, uint64_t time, uint64_t m, uint64_t p,
			  uint64_t g, uint64_t stack);

/*
 * Adds @n bytes of data to which events of experiment @exp (tracev2: 1, AllocFree) refer, to the
 * open generation, from thread @m (TRACEV2_NO_ID: none). For headers from 1.23 on.
 */
void tracefile_experiment(struct tracefile *tf, uint8_t exp, uint64_t m, uint64_t time,
			  const void *body, size_t n);

const struct tracefile_counts *tracefile_counts(const struct tracefile *tf);

/* Frees @tf without a write of the open generation. @tf may be NULL. */
void tracefile_free(struct tracefile *tf);

#endif
