/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_batch: the outermost layer of a v2 trace, batches and the end markers
 * between them (docs/traceformat.md, Batches). A batch is looked at while it still lies in
 * the source's window and taken only when its reader wants it: the first
 * batch of the next generation is simply left there.
 */
#ifndef GOTAP_READ_V2_BATCH_H
#define GOTAP_READ_V2_BATCH_H

#include <stdbool.h>

#include "read/raw_source.h"
#include "read/v2_fault.h"
#include "tracev2.h"

struct v2_batch {
	uint8_t exp;		/* experiment, 0 = none */
	bool end_marker;	/* the one-byte end of a generation; no other field counts */
	uint64_t gen, m, time;
	uint64_t offset;	/* of its first byte in the file */
	const uint8_t *body;
	uint32_t size;		/* of body */
	uint32_t head;		/* bytes before body */
};

/*
 * Looks at the batch at the front of @s, of header go 1.@version: 1, 0 at the end of the input,
 * negative with @fault set. @batch->body holds until more is asked of @s.
 */
int batch_peek(struct raw_source *s, int version, int64_t serial, struct v2_batch *batch,
	       struct v2_fault *fault);

static inline void batch_take(struct raw_source *s, const struct v2_batch *batch)
{
	s->pos += batch->head + batch->size;
}

/* First byte of the body, which says what the batch holds; 0 if it is empty or experimental. */
static inline uint8_t batch_kind(const struct v2_batch *batch)
{
	return !batch->exp && batch->size ? batch->body[0] : 0;
}

/* Ends a generation: by the marker, or (as Go has it) by a body that opens with its number. */
static inline bool batch_ends_generation(const struct v2_batch *batch)
{
	return batch->end_marker || batch_kind(batch) == EV_EndOfGeneration;
}

#endif
