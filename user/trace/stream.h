/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream: the open batch of one thread, for tracefile.c and for v2_sink.c, which writes most events
 * of a recording without a call.
 */
#ifndef GOTAP_TRACE_STREAM_H
#define GOTAP_TRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "trace/tracefile.h"
#include "trace/varint.h"

struct trace_stream {
	struct tracefile *tf;
	uint64_t m;
	uint64_t base, last;	/* times of the open batch: its begin, its last event */
	struct buf body;
	size_t fits;		/* an event fits behind so many bytes of the batch, or fewer */
	uint64_t *events;	/* counts of the file, by kind */
	unsigned int time_shift;	/* of the file */
	bool done;
	bool busy;		/* the thread has filled a batch in this generation */
};

/* False: the batch must be begun first. */
static inline bool stream_has_room(const struct trace_stream *s)
{
	/* an empty one becomes the largest number */
	return s->body.len - 1 < s->fits;
}

/*
 * Puts kind and time of an event at the end; returns where arguments go. The time is in units of
 * the file, and not before the last one.
 */
static inline uint8_t *stream_put_head(struct trace_stream *s, uint64_t time, enum tracev2_event ev)
{
	uint8_t *p = s->body.data + s->body.len;

	*p++ = (uint8_t)ev;
	return varint_put(p, time - s->last);
}

/* The event is whole: it ends at @end. */
static inline void stream_put_end(struct trace_stream *s, uint64_t time, enum tracev2_event ev,
			      const uint8_t *end)
{
	s->body.len = (size_t)(end - s->body.data);
	s->last = time;
	s->events[ev]++;
}

#endif
