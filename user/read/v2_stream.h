/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_stream: the events of one thread in one generation, and the frontier, a heap of all threads by
 * the time of their next event.
 *
 * The heap moves its items exactly as Go's heap does (batchcursor.go, 1.27), so that events with
 * equal times come in the same order.
 */
#ifndef GOTAP_READ_V2_STREAM_H
#define GOTAP_READ_V2_STREAM_H

#include <endian.h>
#include <string.h>

#include "read/raw_source.h"
#include "read/v2_event.h"
#include "read/v2_generation.h"
#include "read/v2_order.h"

struct v2_stream {
	/*
	 * The next event, and the previous one, which the reader may still be returning: they are
	 * swapped, not copied.
	 */
	struct trace_event *ev, *last;
	int64_t time;		/* time of the next event, to which the next difference is added */
	const uint8_t *pos, *end;	/* the unread part of the body */
	uint64_t pos_to_offset;	/* address of a byte of the body + this = its offset in the file */
	int64_t serial;		/* number of the batch in the file */
	uint32_t batch;		/* index in the generation's batches, V2_NO_BATCH: none left */
	bool loaded;		/* its body is visible */
	struct order_m *m;	/* cache of order_advance() */
	uint8_t *buf;		/* the body, if it was read again */
	size_t cap;
	struct trace_event events[2];
};

/* The data that all streams of a generation share. */
struct v2_streams {
	struct raw_source *source;
	const struct v2_generation *gen;
	const struct raw_specs *specs;
	struct v2_fault *fault;
};

void stream_init(struct v2_stream *s, const struct v2_thread *thread);
void stream_free(struct v2_stream *s);
/* stream_next() for all cases: the event may be near the end of its batch. */
int stream_next_slowly(struct v2_stream *s, const struct v2_streams *from);

enum { STREAM_MAX_EVENT = 1 + TRACEV2_MAX_ARGS * 10 };	/* bytes */

static inline uint64_t stream_offset(const struct v2_stream *s, const uint8_t *p)
{
	return (uint64_t)(uintptr_t)p + s->pos_to_offset;
}

/* Joins the low 7 bits of each byte, in three steps for all eight. */
static inline uint64_t stream_join_sevens(uint64_t x)
{
	x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
	x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
	return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/*
 * Reads a varint of at most eight bytes, all readable; NULL if it is longer. One to three bytes are
 * usual. Longer ones, such as times in ns, have any length, so all of them take one path without
 * branches.
 */
static inline const uint8_t *stream_uvarint(const uint8_t *p, uint64_t *v)
{
	uint64_t bytes, stops;

	if (p[0] < 0x80) {
		*v = p[0];
		return p + 1;
	}
	if (p[1] < 0x80) {
		*v = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
		return p + 2;
	}
	if (p[2] < 0x80) {
		*v = (uint64_t)(p[0] & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7 | (uint64_t)p[2] << 14;
		return p + 3;
	}
	memcpy(&bytes, p, sizeof(bytes));
	bytes = le64toh(bytes);
	stops = ~bytes & 0x8080808080808080;
	if (__builtin_expect(!stops, 0))
		return NULL;
	*v = stream_join_sevens(bytes & (stops ^ (stops - 1)) & 0x7f7f7f7f7f7f7f7f);
	return p + __builtin_ctzll(stops) / 8 + 1;
}

/* The event at s->pos, which ends at @p, becomes the next one. Its arguments are set. */
static inline int stream_accept(struct v2_stream *s, const struct v2_streams *from,
				struct trace_event *ev, const uint8_t *p, uint64_t dt)
{
	ev->type = *s->pos;
	ev->place.gen = from->gen->gen;
	ev->place.batch = s->serial;
	ev->place.offset = stream_offset(s, s->pos);
	dt = (uint64_t)clock_ns(&from->gen->clock, dt);
	ev->time = s->time = (int64_t)((uint64_t)s->time + dt);
	s->pos = p;
	s->last = s->ev;
	s->ev = ev;
	return 1;
}

/*
 * Makes @s->ev the next event and does not change the previous one. Returns 1, 0 at the end,
 * negative with the fault set. The reader spends most of its time in this loop over bytes, so it is
 * inline in its only caller for every event.
 */
static inline __attribute__((always_inline))
int stream_next(struct v2_stream *s, const struct v2_streams *from)
{
	struct trace_event *ev = s->last;
	uint64_t dt, *arg = ev->args;
	const uint8_t *p = s->pos;
	int nargs;

	if (s->end - p < STREAM_MAX_EVENT || !s->time)
		return stream_next_slowly(s, from);
	nargs = from->specs->timed_args[*p];
	p = nargs ? stream_uvarint(p + 1, &dt) : NULL;
	while (p && --nargs)
		p = stream_uvarint(p, arg++);
	return p ? stream_accept(s, from, ev, p, dt) : stream_next_slowly(s, from);
}

/* A thread, by the time of its next event. @stream is NULL until it is needed. */
struct v2_front {
	int64_t time;
	struct v2_stream *stream;
	uint32_t thread;	/* index in the generation's threads */
};

struct v2_frontier {
	struct v2_front *heap;
	size_t len, cap;
};

void frontier_add(struct v2_frontier *f, const struct v2_front *front);
/* Item @i has a new time: restores the heap. */
void frontier_move(struct v2_frontier *f, size_t i);
/* Sets the time of item @i. In most cases the first item remains the first, and no item moves. */
static inline void frontier_update(struct v2_frontier *f, size_t i, int64_t time)
{
	f->heap[i].time = time;
	if (i || (f->len > 1 && f->heap[1].time < time) ||
	    (f->len > 2 && f->heap[2].time < time))
		frontier_move(f, i);
}

/* Removes item @i. */
void frontier_remove(struct v2_frontier *f, size_t i);
/* Sorts all items by time. The result is a heap, too. */
void frontier_sort(struct v2_frontier *f);

#endif
