/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packets: the packets of a Perfetto trace, appended to a sink. Owns the one sequence that all of
 * them are of, and its clock. Part of perfetto.c.
 *
 * Times of the sequence are steps since the packet before (an incremental clock): most take one or
 * two bytes. A time that is before the last one is given in full.
 */
#ifndef GOTAP_PERFETTO_PACKETS_H
#define GOTAP_PERFETTO_PACKETS_H

#include "perfetto/fields.h"
#include "read/raw_sink.h"

struct packets {
	struct raw_sink *sink;
	int64_t last;		/* time of the last packet that has one in steps */
	/* CLOCK_MONOTONIC_ID, or CLOCK_BOOTTIME_ID if the zero point of the times is not known */
	unsigned int clock;
};

/* The clocks of a trace at @time; @wall 0: the time of day is not known. */
struct packets_clocks {
	unsigned int clock;
	int64_t time;
	uint64_t wall;
};

/* An event of a track. What is 0 it does not have. */
struct packets_event {
	unsigned int type;		/* EVENT_BEGIN... */
	int64_t time;
	uint64_t track;
	uint32_t name, category, stack;	/* interned */
	uint64_t flow, flow_end;
	const struct buf *more;		/* further fields, encoded */
};

/* Begins the trace: the first packet. */
void packets_begin(struct packets *p, struct raw_sink *sink, const struct packets_clocks *clocks);
/* The clocks again: only if both have gone on since then. */
void packets_clocks(struct packets *p, const struct packets_clocks *clocks);

/* A packet of any kind: fields are appended to packets_buf() between the two. */
size_t packets_open(struct packets *p);
/*
 * The same in a sequence of its own, for descriptors of threads: a reader takes the descriptor of a
 * thread in a sequence for the thread of all events of that sequence.
 */
size_t packets_open_beside(struct packets *p);
void packets_close(struct packets *p, size_t open);
static inline struct buf *packets_buf(struct packets *p)
{
	return &p->sink->buf;
}
/* The time of the open packet, in full. */
void packets_time(struct packets *p, int64_t time);

/* Writes an event of a track; its numbers (uuid, interned) must have been written before. */
void packets_event(struct packets *p, const struct packets_event *e);
/* A counter has the value from @time on. */
void packets_count(struct packets *p, uint64_t track, int64_t time, uint64_t value);

/* Appends a text as UTF-8: bytes that are none become U+FFFD. */
void packets_text(struct buf *b, uint32_t field, const char *text);

#endif
