/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packets: the packets of a Perfetto trace, appended to a sink. Owns the packet sequence of the
 * trace, and the clock of the sequence. Part of perfetto.c.
 *
 * The times of packets are steps since the packet before (an incremental clock): most steps take
 * one or two bytes. A time before the last one is written in full.
 */
#ifndef GOTAP_PERFETTO_PACKETS_H
#define GOTAP_PERFETTO_PACKETS_H

#include "perfetto/fields.h"
#include "read/raw_sink.h"

struct packets {
	struct raw_sink *sink;
	int64_t last;		/* time of the last packet with a step */
	/* CLOCK_MONOTONIC_ID; CLOCK_BOOTTIME_ID if the zero point of the times is not known */
	unsigned int clock;
	/* of the packets; the next number is that of descriptors of threads */
	unsigned int sequence;
};

/* The clocks of a trace at @time, ns. @wall: time of day, ns; 0: not known. */
struct packets_clocks {
	unsigned int clock;
	int64_t time;
	uint64_t wall;
};

/* An event of a track. A field with value 0 is left out. */
struct packets_event {
	unsigned int type;		/* EVENT_BEGIN, EVENT_END, EVENT_INSTANT or EVENT_COUNTER */
	int64_t time;
	uint64_t track;
	uint32_t name, category, stack;	/* interned */
	uint64_t flow, flow_end;
	const struct buf *more;		/* further fields, encoded; NULL: none */
};

enum { PACKETS_PROCESSES = 63 };

/*
 * Begins the trace with its first packets, which have @clocks. @number: of the process in this
 * trace, below PACKETS_PROCESSES; each has sequences of its own.
 */
void packets_begin(struct packets *p, struct raw_sink *sink, const struct packets_clocks *clocks,
		   unsigned int number);
/* Writes a further snapshot of clocks. Both clocks must have advanced since the last snapshot. */
void packets_clocks(struct packets *p, const struct packets_clocks *clocks);

/*
 * Begins a packet of any kind. The caller appends its fields to packets_buf(), and ends the packet
 * with packets_close(), to which it passes the return value.
 */
size_t packets_open(struct packets *p);
/*
 * As packets_open(), but in a sequence of its own, for descriptors of threads: a reader attributes
 * all events of a sequence to the thread of which the sequence has a descriptor.
 */
size_t packets_open_beside(struct packets *p);
void packets_close(struct packets *p, size_t open);
static inline struct buf *packets_buf(struct packets *p)
{
	return &p->sink->buf;
}
/* Writes the time of the open packet, in full. */
void packets_time(struct packets *p, int64_t time);

/*
 * Writes an event of a track. The descriptor of its track and its interned data must have been
 * written before.
 */
void packets_event(struct packets *p, const struct packets_event *e);
/* Writes a counter that has the value @value from @time on. */
void packets_count(struct packets *p, uint64_t track, int64_t time, uint64_t value);

/* Appends a text as UTF-8: each invalid byte becomes U+FFFD. */
void packets_text(struct buf *b, uint32_t field, const char *text);

#endif
