/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk: the result of one round of draining: records per CPU and a watermark.
 * It is the unit between the thread that empties the rings and everything
 * behind it, and the unit of a spool file.
 *
 * The watermark: every record with a time up to it is in this chunk or an
 * earlier one. The drain takes t = now, then reads every ring up to its
 * producer position. A record that appears later was reserved after that, and
 * takes its time after the reserve, so it is younger than t; or it was
 * reserved before and not submitted yet, which stops that ring's drain. So
 * the watermark is t if every ring was read to its end, else it stays.
 */
#ifndef GOTAP_STREAM_CHUNK_H
#define GOTAP_STREAM_CHUNK_H

#include <stdint.h>

#include "base/vec.h"
#include "record.h"

/* Records made by user space travel as records of this CPU. */
enum { CHUNK_USER_CPU = 0xffff };

/*
 * Room that an empty chunk keeps: 10 ms of 600,000 records a second need half of
 * it. More is of a moment at which the drain was late, and does not stay.
 */
enum { CHUNK_KEEP = 512 << 10 };

struct chunk {
	uint64_t watermark;	/* CLOCK_MONOTONIC ns */
	uint64_t mono_ns;	/* the two clocks at one instant of this round */
	uint64_t wall_ns;
	struct buf data;	/* segments: struct segment, then its bytes, and so on */
};

struct segment {
	uint32_t cpu;
	uint32_t len;		/* bytes of records that follow, a multiple of 8 */
};

/* Opens a segment for @cpu at the end; records may then be appended to c->data. */
static inline size_t chunk_segment_begin(struct chunk *c, uint32_t cpu)
{
	struct segment s = { .cpu = cpu };

	buf_add(&c->data, &s, sizeof(s));
	return c->data.len;
}

/* Closes the segment that began at @at; an empty one is taken back. */
static inline void chunk_segment_end(struct chunk *c, size_t at)
{
	uint32_t len = (uint32_t)(c->data.len - at);

	if (len)
		((struct segment *)(c->data.data + at))[-1].len = len;
	else
		c->data.len -= sizeof(struct segment);
}

/* @cpu is that of the record's segment. */
typedef void chunk_fn(void *ctx, uint32_t cpu, struct rec *r);
/*
 * Calls @fn, which may change it but for its size, with each record of the first @end bytes of @c.
 * A segment that says to be longer than those is read up to their end.
 */
void chunk_each(const struct chunk *c, size_t end, chunk_fn *fn, void *ctx);
/* Takes the records out of @c that are younger than @until. */
void chunk_drop_after(struct chunk *c, uint64_t until);

static inline void chunk_reset(struct chunk *c)
{
	buf_empty(&c->data, CHUNK_KEEP);
}

static inline void chunk_free(struct chunk *c)
{
	buf_free(&c->data);
}

#endif
