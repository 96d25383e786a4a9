// SPDX-License-Identifier: Apache-2.0
/*
 * v2_stream: see v2_stream.h. Input: the batches of a thread. Output: its events one by one, with
 * absolute times. The usual case is inline in the header.
 */
#include "read/v2_stream.h"

#include <stdlib.h>

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

static struct v2_place place_in(const struct v2_stream *s, const struct v2_streams *from,
				const struct v2_note *note, uint64_t offset)
{
	return (struct v2_place){ .gen = from->gen->gen, .batch = note->serial,
				  .offset = offset, .thread = s->events[0].place.thread };
}

/* Makes the body of batch @note visible. */
static bool v2_stream_load(struct v2_stream *s, const struct v2_streams *from,
			   const struct v2_note *note)
{
	const uint8_t *body;

	if (from->source->seekable && note->size > s->cap && from->source->fd >= 0) {
		s->buf = xrealloc(s->buf, note->size, 1);
		s->cap = note->size;
	}
	body = generation_body(from->gen, from->source, note, s->buf);
	if (!body)
		return false;
	s->pos = body;
	s->end = body + note->size;
	s->pos_to_offset = note->offset - (uint64_t)(uintptr_t)body;
	s->serial = note->serial;
	return true;
}

/* Moves to the first batch with unread events. Returns 1, or 0 if there is none. */
static int enter_batch(struct v2_stream *s, const struct v2_streams *from)
{
	const struct v2_note *note;

	while (s->batch != V2_NO_BATCH) {
		note = vec_at(&from->gen->batches, struct v2_note, s->batch);
		if (!s->loaded && note->size && !v2_stream_load(s, from, note)) {
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

static const uint8_t *long_uvarint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	struct cursor c = cursor_of(p, (size_t)(end - p), 0);

	return cursor_uvarint_long(&c, v) == CURSOR_OK ? c.pos : NULL;
}

/* Sets the fault of the event at s->pos. Only this function spends time to find the reason. */
static int __attribute__((cold, noinline)) bad_event(struct v2_stream *s,
						     const struct v2_streams *from)
{
	const struct v2_note *note = vec_at(&from->gen->batches, struct v2_note, s->batch);
	struct v2_place place = place_in(s, from, note, stream_offset(s, s->pos));
	uint64_t dt;

	if (*s->pos >= RAW_SPECS || raw_spec_is_later(from->specs, *s->pos))
		return fault_set(from->fault, &place, "found invalid event type: %u", *s->pos);
	if (!from->specs->timed_args[*s->pos])
		return fault_set(from->fault, &place,
				 "found event without a timestamp: type=%u", *s->pos);
	if (!long_uvarint(s->pos + 1, s->end, &dt))
		return fault_set(from->fault, &place, "found invalid uvarint for timestamp");
	return fault_set(from->fault, &place, "found invalid uvarint");
}

/*
 * stream_next() for all cases: the event may be near the end of its batch, in another batch, or
 * bad.
 */
int stream_next_slowly(struct v2_stream *s, const struct v2_streams *from)
{
	struct trace_event *ev = s->last;
	const uint8_t *p;
	uint64_t dt;
	int nargs, i;

	/* Go reads the batch's time again whenever the time is 0, so this reader does. */
	if (s->pos == s->end || !s->time) {
		int ret = enter_batch(s, from);

		if (ret <= 0)
			return ret;
	}
	nargs = from->specs->timed_args[*s->pos];
	p = nargs ? long_uvarint(s->pos + 1, s->end, &dt) : NULL;
	for (i = 0; p && i < nargs - 1; i++)
		p = long_uvarint(p, s->end, &ev->args[i]);
	return p ? stream_accept(s, from, ev, p, dt) : bad_event(s, from);
}
