// SPDX-License-Identifier: Apache-2.0
/*
 * v2_stream: see v2_stream.h. In: the batches of a thread. Out: its events
 * one by one, with absolute times. This is where the reader spends its time:
 * a short loop over bytes.
 */
#include "read/v2_stream.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void stream_init(struct v2_stream *s, const struct v2_thread *thread)
{
	struct v2_stream old = *s;

	*s = (struct v2_stream){ .batch = thread->first, .buf = old.buf, .cap = old.cap,
				 .ev = &s->events[0], .last = &s->events[1] };
	s->events[0].place.thread = s->events[1].place.thread = thread->m;
}

void stream_free(struct v2_stream *s)
{
	free(s->buf);
	free(s);
}

static uint64_t offset_of(const struct v2_stream *s, const uint8_t *p)
{
	return (uint64_t)(uintptr_t)p + s->pos_to_offset;
}

static struct v2_place place_in(const struct v2_stream *s, const struct v2_streams *from,
				const struct v2_note *note, uint64_t offset)
{
	return (struct v2_place){ .gen = from->gen->gen, .batch = note->serial,
				  .offset = offset, .thread = s->events[0].place.thread };
}

/* The body of batch @note into view. */
static bool load(struct v2_stream *s, const struct v2_streams *from, const struct v2_note *note)
{
	const uint8_t *body;

	if (!from->source->seekable) {
		body = from->gen->bodies.data + note->kept;
	} else {
		if (note->size > s->cap && from->source->fd >= 0) {
			s->buf = xrealloc(s->buf, note->size, 1);
			s->cap = note->size;
		}
		body = source_read_at(from->source, note->offset, s->buf, note->size);
	}
	if (!body)
		return false;
	s->pos = body;
	s->end = body + note->size;
	s->pos_to_offset = note->offset - (uint64_t)(uintptr_t)body;
	s->serial = note->serial;
	return true;
}

/* Goes on to the first batch that has something left: 1, 0 if there is none. */
static int enter_batch(struct v2_stream *s, const struct v2_streams *from)
{
	const struct v2_note *note;

	while (s->batch != V2_NO_BATCH) {
		note = vec_at(&from->gen->batches, struct v2_note, s->batch);
		if (!s->loaded && note->size && !load(s, from, note)) {
			struct v2_place place = place_in(s, from, note, note->offset);

			return fault_set(from->fault, &place, "the file changed while it was read");
		}
		s->loaded = true;
		if (s->pos < s->end) {
			if (!s->time)
				s->time = clock_ns(&from->gen->clock, note->time);
			return 1;
		}
		s->batch = note->next;
		s->loaded = false;
		s->time = 0;
	}
	return 0;
}

enum { MAX_EVENT = 1 + TRACEV2_MAX_ARGS * 10 };	/* bytes */

static const uint8_t *long_uvarint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	struct cursor c = cursor_of(p, (size_t)(end - p), 0);

	return cursor_uvarint_long(&c, v) == CURSOR_OK ? c.pos : NULL;
}

/* Puts the low 7 bits of each byte together: three steps for all eight. */
static inline uint64_t join_sevens(uint64_t x)
{
	x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
	x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
	return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/*
 * binary.Uvarint of at most eight bytes, which are there: NULL if it is
 * longer. One and two bytes are the rule; longer ones, as times in ns, are of
 * any length, so they all go one way.
 */
static inline const uint8_t *take_uvarint(const uint8_t *p, uint64_t *v)
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
	memcpy(&bytes, p, sizeof(bytes));
	bytes = le64toh(bytes);
	stops = ~bytes & 0x8080808080808080;
	if (__builtin_expect(!stops, 0))
		return NULL;
	*v = join_sevens(bytes & (stops ^ (stops - 1)) & 0x7f7f7f7f7f7f7f7f);
	return p + __builtin_ctzll(stops) / 8 + 1;
}

/* Finds out what is wrong with the event at s->pos; nothing may cost time before that. */
static int __attribute__((cold, noinline)) bad_event(struct v2_stream *s,
						     const struct v2_streams *from)
{
	const struct v2_note *note = vec_at(&from->gen->batches, struct v2_note, s->batch);
	struct v2_place place = place_in(s, from, note, offset_of(s, s->pos));
	uint64_t dt;

	if (*s->pos >= RAW_SPECS)
		return fault_set(from->fault, &place, "found invalid event type: %u", *s->pos);
	if (!from->specs->timed_args[*s->pos])
		return fault_set(from->fault, &place,
				 "found event without a timestamp: type=%u", *s->pos);
	if (!long_uvarint(s->pos + 1, s->end, &dt))
		return fault_set(from->fault, &place, "found invalid uvarint for timestamp");
	return fault_set(from->fault, &place, "found invalid uvarint");
}

/* The event at s->pos, which ends at @p, becomes the next one; its arguments are there. */
static inline int accept(struct v2_stream *s, const struct v2_streams *from,
			 struct trace_event *ev, const uint8_t *p, uint64_t dt)
{
	ev->type = *s->pos;
	ev->place.gen = from->gen->gen;
	ev->place.batch = s->serial;
	ev->place.offset = offset_of(s, s->pos);
	dt = (uint64_t)clock_ns(&from->gen->clock, dt);
	ev->time = s->time = (int64_t)((uint64_t)s->time + dt);
	s->pos = p;
	s->last = s->ev;
	s->ev = ev;
	return 1;
}

/* The general case: the event may be near the end of its batch, or in another one, or bad. */
static int __attribute__((noinline)) next_slowly(struct v2_stream *s,
						 const struct v2_streams *from)
{
	struct trace_event *ev = s->last;
	const uint8_t *p;
	uint64_t dt;
	int nargs, i;

	/* Go looks at the batch's time again whenever it stands at 0, so do we. */
	if (s->pos == s->end || !s->time) {
		int ret = enter_batch(s, from);

		if (ret <= 0)
			return ret;
	}
	nargs = from->specs->timed_args[*s->pos];
	p = nargs ? long_uvarint(s->pos + 1, s->end, &dt) : NULL;
	for (i = 0; p && i < nargs - 1; i++)
		p = long_uvarint(p, s->end, &ev->args[i]);
	return p ? accept(s, from, ev, p, dt) : bad_event(s, from);
}

int stream_next(struct v2_stream *s, const struct v2_streams *from)
{
	struct trace_event *ev = s->last;
	uint64_t dt, *arg = ev->args;
	const uint8_t *p = s->pos;
	int nargs;

	if (s->end - p < MAX_EVENT || !s->time)
		return next_slowly(s, from);
	nargs = from->specs->timed_args[*p];
	p = nargs ? take_uvarint(p + 1, &dt) : NULL;
	while (p && --nargs)
		p = take_uvarint(p, arg++);
	return p ? accept(s, from, ev, p, dt) : next_slowly(s, from);
}
