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
		if (s->at < note->size)
			return 1;
		s->batch = note->next;
		s->at = 0;
		s->body = NULL;
		s->last_time = 0;
	}
	return 0;
}

static int bad_event(struct v2_stream *s, const struct v2_streams *from, const char *what,
		     unsigned type)
{
	const struct v2_note *note = vec_at(&from->gen->batches, struct v2_note, s->batch);
	struct v2_place place = place_in(s, note);

	if (type)
		return fault_set(from->fault, &place, "%s%u", what, type);
	return fault_set(from->fault, &place, "%s", what);
}

/* binary.Uvarint: NULL if the number ends outside or overflows. */
static inline const uint8_t *take_uvarint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	struct cursor c;

	if (p < end && *p < 0x80) {
		*v = *p;
		return p + 1;
	}
	if (end - p >= 2 && p[1] < 0x80) {
		*v = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
		return p + 2;
	}
	c = cursor_of(p, (size_t)(end - p), 0);
	return cursor_uvarint_long(&c, v) == CURSOR_OK ? c.pos : NULL;
}

static int read_event(struct v2_stream *s, const struct v2_streams *from,
		      struct trace_event *ev)
{
	const uint8_t *start = s->body + s->at, *p = start + 1, *end = s->body + s->size;
	const struct raw_spec *spec;
	unsigned type = *start;
	uint64_t dt;
	int i;

	if (type >= RAW_SPECS)
		return bad_event(s, from, "found invalid event type: ", type);
	spec = &from->specs->of[type];
	if (!raw_spec_timed(spec))
		return bad_event(s, from, "found event without a timestamp: type=", type);
	p = take_uvarint(p, end, &dt);
	if (!p)
		return bad_event(s, from, "found invalid uvarint for timestamp", 0);
	for (i = 0; i < spec->nargs - 1; i++) {
		p = take_uvarint(p, end, &ev->args[i]);
		if (!p)
			return bad_event(s, from, "found invalid uvarint", 0);
	}
	ev->type = (uint8_t)type;
	ev->text = NULL;
	s->last_time = (int64_t)((uint64_t)clock_ns(&from->gen->clock, dt) + (uint64_t)s->last_time);
	ev->time = s->time = s->last_time;
	s->at += (uint32_t)(p - start);
	s->ev = ev;
	return 1;
}

int stream_next(struct v2_stream *s, const struct v2_streams *from)
{
	struct trace_event *ev = &s->events[s->ev == s->events];
	const struct v2_note *note;
	int ret;

	if (!s->body || s->at == s->size) {
		ret = enter_batch(s, from);
		if (ret <= 0)
			return ret;
	}
	note = vec_at(&from->gen->batches, struct v2_note, s->batch);
	if (!s->last_time)
		s->last_time = clock_ns(&from->gen->clock, note->time);
	ev->place.gen = from->gen->gen;
	ev->place.batch = note->serial;
	ev->place.offset = note->offset + s->at;
	return read_event(s, from, ev);
}
