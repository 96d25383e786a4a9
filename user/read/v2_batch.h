/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_batch: the outermost layer of a v2 trace: batches and end markers (docs/traceformat.md,
 * Batches). batch_peek() looks at a batch in the source's window; batch_take() consumes it.
 * Therefore the first batch of the next generation can remain in the source.
 */
#ifndef GOTAP_READ_V2_BATCH_H
#define GOTAP_READ_V2_BATCH_H

#include <stdbool.h>

#include "read/raw_source.h"
#include "read/v2_fault.h"
#include "tracev2.h"

struct v2_batch {
	uint8_t exp;		/* experiment, 0: none */
	/* the one-byte end of a generation; the other members are not set */
	bool end_marker;
	uint64_t gen, m, time;
	uint64_t offset;	/* offset of its first byte in the file */
	const uint8_t *body;
	uint32_t size;		/* bytes of body */
	uint32_t head;		/* bytes before body */
};

/*
 * Looks at the batch at the front of @s, which has header go 1.@version. @serial is its number in
 * the file. Returns 1; 0 at the end of the input; negative with @fault set. @batch->body is valid
 * until the next call that reads from @s.
 */
int batch_peek(struct raw_source *s, int version, int64_t serial, struct v2_batch *batch,
	       struct v2_fault *fault);

static inline void batch_take(struct raw_source *s, const struct v2_batch *batch)
{
	s->pos += batch->head + batch->size;
}

/* The first byte of the body, which is the kind of the batch; 0: it is empty or experimental. */
static inline uint8_t batch_kind(const struct v2_batch *batch)
{
	return !batch->exp && batch->size ? batch->body[0] : 0;
}

/*
 * True if the batch ends a generation: by the marker, or, as in Go's reader, by a body that begins
 * with its number.
 */
static inline bool batch_ends_generation(const struct v2_batch *batch)
{
	return batch->end_marker || batch_kind(batch) == EV_EndOfGeneration;
}

#endif
