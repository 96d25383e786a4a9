/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_event: a v2 trace as a plain sequence of events, with framing and tables, and with no further
 * meaning than the table of events has (an event of Go's internal/trace/raw).
 *
 * An event is read in pieces, so that no event must be in memory as a whole:
 *
 *	while ((n = raw_next(r, &ev)) > 0)
 *		for (i = 0; i < ev.frames; i++) raw_frame(r, frame);
 *		while ((n = raw_data(r, &ev, &p)) > 0) use n bytes at p;
 *
 * Frames and data must be read before the next event. All three functions return a negative errno
 * on a fault and fill the error that was passed to raw_open().
 */
#ifndef GOTAP_READ_RAW_EVENT_H
#define GOTAP_READ_RAW_EVENT_H

#include "base/error.h"
#include "read/raw_source.h"
#include "read/raw_spec.h"

struct raw_event {
	const struct raw_spec *spec;
	unsigned type;
	uint64_t offset;	/* offset of its first byte */
	uint64_t args[TRACEV2_MAX_ARGS];
	uint64_t frames;	/* number of frames of a Stack */
	uint64_t data;		/* bytes of data that were not read yet */
};

struct raw_reader {
	struct raw_source *source;
	struct raw_specs specs;
	int version;		/* NN of the header go 1.NN */
	struct error *err;
};

/* Reads the header from @source, which the caller closes after its last use of @r. */
int raw_open(struct raw_reader *r, struct raw_source *source, struct error *err);
/* Returns 1 with an event, or 0 at the end. */
int raw_next(struct raw_reader *r, struct raw_event *ev);
/* Reads pc, function, file, line of the next frame of a Stack. */
int raw_frame(struct raw_reader *r, uint64_t frame[4]);
/*
 * Puts the address of the next bytes of a String or ExperimentalBatch into *@p and returns their
 * number, 0 after the last ones.
 */
int raw_data(struct raw_reader *r, struct raw_event *ev, const uint8_t **p);

#endif
