/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_stream: the events of one thread in one generation, and the frontier: a
 * heap of all threads by the time of their next event.
 *
 * The heap moves its items exactly as Go's does (batchcursor.go, 1.27), so
 * that events of equal time come in the same order.
 */
#ifndef GOTAP_READ_V2_STREAM_H
#define GOTAP_READ_V2_STREAM_H

#include "read/raw_source.h"
#include "read/v2_event.h"
#include "read/v2_generation.h"
#include "read/v2_order.h"

struct v2_stream {
	/*
	 * The next event and the one before it, which the reader may still be
	 * handing out: they are swapped, not copied.
	 */
	struct trace_event *ev, *last;
	int64_t time;		/* of the next event, the next difference adds to it */
	const uint8_t *pos, *end;	/* what is left of the body */
	uint64_t pos_to_offset;	/* address of a byte of the body -> its place in the file */
	int64_t serial;		/* of the batch in the file */
	uint32_t batch;		/* in the generation's list, V2_NO_BATCH = none left */
	bool loaded;		/* its body is in view */
	struct order_m *m;	/* for order_advance() */
	uint8_t *buf;		/* holds the body if it had to be read again */
	size_t cap;
	struct trace_event events[2];
};

/* What all streams of a generation read from. */
struct v2_streams {
	const struct raw_source *source;
	const struct v2_generation *gen;
	const struct raw_specs *specs;
	struct v2_fault *fault;
};

void stream_init(struct v2_stream *s, const struct v2_thread *thread);
void stream_free(struct v2_stream *s);
/*
 * Makes @s->ev the next event and leaves the last one alone: 1, 0 at the end,
 * negative with the fault set.
 */
int stream_next(struct v2_stream *s, const struct v2_streams *from);

/* A thread, by the time of its next event. Before it is needed it has no stream. */
struct v2_front {
	int64_t time;
	struct v2_stream *stream;
	uint32_t thread;	/* index into the generation's */
};

struct v2_frontier {
	struct v2_front *heap;
	size_t len, cap;
};

void frontier_add(struct v2_frontier *f, const struct v2_front *front);
/* Item @i has a new time. */
void frontier_move(struct v2_frontier *f, size_t i);
/* The same; mostly a thread goes on while it is ahead of all others, and nothing moves. */
static inline void frontier_update(struct v2_frontier *f, size_t i, int64_t time)
{
	f->heap[i].time = time;
	if (i || (f->len > 1 && f->heap[1].time < time) ||
	    (f->len > 2 && f->heap[2].time < time))
		frontier_move(f, i);
}

/* Takes out item @i. */
void frontier_remove(struct v2_frontier *f, size_t i);
/* Puts all items in order of time; they are a heap still. */
void frontier_sort(struct v2_frontier *f);

#endif
