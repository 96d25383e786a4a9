/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer: writes the bytes of a v1 trace (gotrace, headers go 1.8, 1.11, 1.19 and 1.21) as the
 * runtimes of those releases did: a buffer for each P, which goes to the file as a Batch when
 * it is full; names of annotations where they are first used; the frequency, the timer
 * goroutines and the stacks. format.def says what values a record has. Those runtimes knew
 * the frequency and the stacks at the end only. Here they follow each generation, so that a
 * file without its end has them: readers take them at any place.
 *
 * The caller decides on the order of events and what they mean (steps.h). Memory: a buffer
 * for each P, the strings, and the ids of stacks.
 */
#ifndef GOTAP_V1WRITE_WRITER_H
#define GOTAP_V1WRITE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "trace/types.h"
#include "v1/format.h"

struct v1_writer_opts {
	int version;		/* V1_GOTRACE, 8, 11, 19 or 21 */
	uint64_t frequency;	/* ticks per second */
	/*
	 * Called when a generation ends, once for each stack that was new in it; where stacks are
	 * bare addresses also at once, as a GoCreate has the address that its goroutine begins at.
	 */
	trace_frames_fn *frames;
	void *ctx;
	const char *name;	/* of the output, for errors; may be NULL */
};

struct v1_writer_counts {
	uint64_t events[V1_TYPES];
	uint64_t batches, stacks, strings;
	uint64_t bytes;		/* written so far */
	uint64_t cut_texts;	/* longer than the format allows */
	uint64_t texts_too_many;	/* uses of names that are not kept */
	uint64_t unnamed;	/* stacks with names, which the format cannot have */
};

enum { V1_NO_P = -1, V1_SAMPLES = -2 };

/* The buffer of a P, of events without one, or of CPU samples. */
struct v1_out {
	int32_t p;		/* V1_NO_P, V1_SAMPLES */
	struct buf body;
	uint64_t last;		/* ticks of the last event */
	/* Where the last record begins, and the ticks before it. */
	size_t last_start;
	uint64_t last_before;
};

struct v1_writer;

/* Returns whether gotap writes this format. */
bool v1_can_write(int version);

/* Begins a trace on @fd, which stays the caller's. */
int v1_writer_new(struct v1_writer **ret, int fd, const struct v1_writer_opts *opts,
		  struct error *err);
/* Returns the buffer of @p, valid until the writer is freed. */
struct v1_out *v1_writer_out(struct v1_writer *w, int32_t p);
/* Returns whether the format has events of this type. */
bool v1_writer_has(const struct v1_writer *w, unsigned int type);

/* Returns the id of a text, and writes the text to @out if it is new. 0 for an empty text. */
uint64_t v1_writer_string(struct v1_writer *w, struct v1_out *out, const char *s, size_t n);
/* Returns the id of the stack with this key; 0 for key 0. */
uint64_t v1_writer_stack(struct v1_writer *w, uint64_t key);
/*
 * Returns the id of a stack of one frame, the function that a goroutine begins with: the outermost
 * frame of the stack with this key, or an unnamed one. Every goroutine needs such a stack. Where
 * stacks are bare addresses the function returns the frame's address, 0 if it is not known.
 */
uint64_t v1_writer_start(struct v1_writer *w, uint64_t key);
/* Returns the id of a stack that v1_writer_define() will define later. */
uint64_t v1_writer_later(struct v1_writer *w);
void v1_writer_define(struct v1_writer *w, uint64_t id, uint64_t key);
void v1_writer_timer(struct v1_writer *w, uint64_t g);

/*
 * Appends an event at @tick, which is later than the last one of @out. @args has at least
 * as many values as the format gives that type; a stack follows if it has one.
 */
void v1_writer_event(struct v1_writer *w, struct v1_out *out, uint64_t tick, unsigned int type,
		     const uint64_t *args, uint64_t stack);
/* The same for a UserLog with its text. */
void v1_writer_log(struct v1_writer *w, struct v1_out *out, uint64_t tick, const uint64_t *args,
		   uint64_t stack, const char *text, size_t n);
/* Takes back the last event of @out, which is of type @type. False: it is in the file already. */
bool v1_writer_undo(struct v1_writer *w, struct v1_out *out, unsigned int type);

/*
 * Ends a generation: asks for the frames of new stacks, and writes buffers and tables to the file.
 */
int v1_writer_turn(struct v1_writer *w, struct error *err);
/*
 * Ends the trace: writes all that is left, with the starts that waited for it. -ENODATA if the
 * trace has no event: parsers refuse it.
 */
int v1_writer_finish(struct v1_writer *w, struct error *err);
const struct v1_writer_counts *v1_writer_counts(const struct v1_writer *w);
/* Accepts NULL. */
void v1_writer_free(struct v1_writer *w);

#endif
