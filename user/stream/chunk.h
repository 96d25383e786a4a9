/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk: the records that one round of draining copied, per CPU, and a watermark. The drain passes
 * chunks to the thread that makes the trace, and a spool file consists of chunks.
 *
 * The watermark: every record with a time up to the watermark is in this chunk or an earlier one.
 * The drain takes t = now, then reads every ring up to its producer position. There are two kinds
 * of records that this drain does not read. A record that is reserved later is younger than t,
 * since a probe takes the time after the reserve. At a record that was reserved before, but not
 * submitted, the drain of its ring stops. Therefore the watermark is t if every ring was read to
 * its end, else the watermark of the previous chunk. Code in the target may take the time a little
 * before its reservation is visible: with such rings the watermark is 1 ms before t
 * (inline_rings_watermark()).
 */
#ifndef GOTAP_STREAM_CHUNK_H
#define GOTAP_STREAM_CHUNK_H

#include <stdint.h>

#include "base/vec.h"
#include "record.h"

/* Records that user space makes are in segments of this CPU. */
enum { CHUNK_USER_CPU = 0xffff };

/*
 * Bytes of storage that an empty chunk keeps: 20 ms of two million records a second need half of
 * them. A larger chunk comes from a moment at which the drain was late; the extra storage is freed.
 */
enum { CHUNK_PART = 4096 };
enum { CHUNK_KEEP = 4 << 20 };

struct chunk {
	uint64_t watermark;	/* CLOCK_MONOTONIC ns */
	uint64_t mono_ns;	/* the two clocks at one instant of this round, in ns */
	uint64_t wall_ns;
	struct buf data;	/* for each segment a struct segment and its records */
};

struct segment {
	uint32_t cpu;
	uint32_t len;		/* bytes of records that follow, a multiple of 8 */
};

/*
 * Opens a segment for @cpu at the end. The caller may then append records to c->data. Returns the
 * argument @at of chunk_segment_end().
 */
static inline size_t chunk_segment_begin(struct chunk *c, uint32_t cpu)
{
	struct segment s = { .cpu = cpu };

	buf_add(&c->data, &s, sizeof(s));
	return c->data.len;
}

/* Closes the segment of chunk_segment_begin(); removes an empty one. */
static inline void chunk_segment_end(struct chunk *c, size_t at)
{
	uint32_t len = (uint32_t)(c->data.len - at);

	if (len)
		((struct segment *)(c->data.data + at))[-1].len = len;
	else
		c->data.len -= sizeof(struct segment);
}

/* @cpu is the CPU of the record's segment. */
typedef void chunk_fn(void *ctx, uint32_t cpu, struct rec *r);
/*
 * Calls @fn with each record of the first @end bytes of @c. @fn may change the record, but not its
 * size. A segment that is longer than its bytes before @end is read up to @end.
 */
void chunk_each(const struct chunk *c, size_t end, chunk_fn *fn, void *ctx);
/*
 * As chunk_each(), with the first of @share parts of each segment. A part is no shorter than
 * CHUNK_PART bytes: of short segments all records are passed on.
 */
void chunk_each_of(const struct chunk *c, size_t end, size_t share, chunk_fn *fn, void *ctx);
/* Removes the records that are younger than @until from @c. */
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
