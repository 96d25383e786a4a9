// SPDX-License-Identifier: Apache-2.0
/*
 * v2_stream: see v2_stream.h. In: the batches of a thread. Out: its events
 * one by one, with absolute times. This is where the reader spends its time:
 * a short loop over bytes.
 */
#include "read/v2_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void stream_init(struct v2_stream *s, const struct v2_thread *thread)
{
	uint8_t *buf = s->buf;
	size_t cap = s->cap;

	memset(s, 0, sizeof(*s));
	s->buf = buf;
	s->cap = cap;
	s->batch = thread->first;
	s->events[0].place.thread = s->events[1].place.thread = thread->m;
	s->ev = s->events;
}

void stream_free(struct v2_stream *s)
{
	free(s->buf);
	free(s);
}

static struct v2_place place_in(const struct v2_stream *s, const struct v2_note *note)
{
	return (struct v2_place){ .gen = s->ev->place.gen, .batch = note->serial,
				  .offset = note->offset + s->at, .thread = note->m };
}

/* The body of batch @note into view. */
static bool load(struct v2_stream *s, const struct v2_streams *from, const struct v2_note *note)
{
	s->size = note->size;
	if (!from->source->seekable) {
		s->body = from->gen->bodies.data + note->kept;
		return true;
	}
	if (note->size > s->cap && from->source->fd >= 0) {
		s->buf = xrealloc(s->buf, note->size, 1);
		s->cap = note->size;
	}
	s->body = source_read_at(from->source, note->offset, s->buf, note->size);
	return s->body != NULL;
}

/* Goes on to the first batch that has something left: 1, 0 if there is none. */
static int enter_batch(struct v2_stream *s, const struct v2_streams *from)
{
	const struct v2_note *note;

	while (s->batch != V2_NO_BATCH) {
		note = vec_at(&from->gen->batches, struct v2_note, s->batch);
		if (!s->body && note->size && !load(s, from, note)) {
			struct v2_place place = place_in(s, note);

			return fault_set(from->fault, &place, "the file changed while it was read");
		}
		if (s->at < note->size) {
			s->offset = note->offset;
			s->serial = note->serial;
			if (!s->last_time)
				s->last_time = clock_ns(&from->gen->clock, note->time);
			return 1;
		}
		s->batch = note->next;
		s->at = 0;
		s->body = NULL;
		s->last_time = 0;
	}
	return 0;
}

enum { MAX_EVENT = 1 + TRACEV2_MAX_ARGS * 10 };	/* bytes */

static const uint8_t *long_uvarint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	struct cursor c = cursor_of(p, (size_t)(end - p), 0);

	return cursor_uvarint_long(&c, v) == CURSOR_OK ? c.pos : NULL;
}

/* binary.Uvarint, of which @end is at least two bytes away: NULL if it overflows or is cut. */
static inline const uint8_t *take_uvarint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	if (p[0] < 0x80) {
		*v = p[0];
		return p + 1;
	}
	if (p[1] < 0x80) {
		*v = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
		return p + 2;
	}
	return long_uvarint(p, end, v);
}

static const uint8_t *last_uvarint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	return end - p >= 2 ? take_uvarint(p, end, v) : long_uvarint(p, end, v);
}

/* The arguments of an event near the end of the body. */
static const uint8_t *take_last_args(const uint8_t *p, const uint8_t *end, uint64_t *dt,
				     uint64_t *args, int n)
{
	p = last_uvarint(p, end, dt);
	while (p && n--)
		p = last_uvarint(p, end, args++);
	return p;
}

static inline const uint8_t *take_args(const uint8_t *p, const uint8_t *end, uint64_t *dt,
				       uint64_t *args, int n)
{
	if (end - p < MAX_EVENT)
		return take_last_args(p, end, dt, args, n);
	p = take_uvarint(p, end, dt);
	while (p && n--)
		p = take_uvarint(p, end, args++);
	return p;
}

/* Finds out what is wrong with the event at s->at; nothing may cost time before that. */
static int __attribute__((cold, noinline)) bad_event(struct v2_stream *s,
						     const struct v2_streams *from)
{
	const struct v2_note *note = vec_at(&from->gen->batches, struct v2_note, s->batch);
	const uint8_t *start = s->body + s->at;
	struct v2_place place = place_in(s, note);
	uint64_t dt;

	if (*start >= RAW_SPECS)
		return fault_set(from->fault, &place, "found invalid event type: %u", *start);
	if (!from->specs->timed_args[*start])
		return fault_set(from->fault, &place,
				 "found event without a timestamp: type=%u", *start);
	if (!last_uvarint(start + 1, s->body + s->size, &dt))
		return fault_set(from->fault, &place, "found invalid uvarint for timestamp");
	return fault_set(from->fault, &place, "found invalid uvarint");
}

int stream_next(struct v2_stream *s, const struct v2_streams *from)
{
	struct trace_event *ev = &s->events[s->ev == s->events];
	const uint8_t *start, *p;
	uint64_t dt;
	int nargs;

	/* Go looks at the batch's time again whenever it stands at 0, so do we. */
	if (s->at == s->size || !s->last_time) {
		int ret = enter_batch(s, from);

		if (ret <= 0)
			return ret;
	}
	start = s->body + s->at;
	nargs = from->specs->timed_args[*start];
	if (!nargs)
		return bad_event(s, from);
	p = take_args(start + 1, s->body + s->size, &dt, ev->args, nargs - 1);
	if (!p)
		return bad_event(s, from);
	ev->type = *start;
	ev->text = NULL;
	ev->place.gen = from->gen->gen;
	ev->place.batch = s->serial;
	ev->place.offset = s->offset + s->at;
	dt = (uint64_t)clock_ns(&from->gen->clock, dt);
	ev->time = s->time = s->last_time = (int64_t)((uint64_t)s->last_time + dt);
	s->at += (uint32_t)(p - start);
	s->ev = ev;
	return 1;
}
