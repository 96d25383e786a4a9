/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_event: a v2 trace as a plain sequence of events, framing and tables
 * included, with no more meaning than the event table gives (what Go's
 * internal/trace/raw calls an event).
 *
 * An event comes in pieces, so that none has to be held whole:
 *
 *	while ((n = raw_next(r, &ev)) > 0)
 *		for (i = 0; i < ev.frames; i++) raw_frame(r, frame);
 *		while ((n = raw_data(r, &ev, &p)) > 0) use n bytes at p;
 *
 * Frames and data must be taken before the next event. All three return a
 * negative errno on a fault and fill the error given to raw_open().
 */
#ifndef GOTAP_READ_RAW_EVENT_H
#define GOTAP_READ_RAW_EVENT_H

#include "base/error.h"
#include "read/raw_source.h"
#include "read/raw_spec.h"

struct raw_event {
	const struct raw_spec *spec;
	unsigned type;
	uint64_t offset;	/* of its first byte */
	uint64_t args[TRACEV2_MAX_ARGS];
	uint64_t frames;	/* of a Stack */
	uint64_t data;		/* bytes that follow and have not been taken */
};

struct raw_reader {
	struct raw_source *source;
	struct raw_specs specs;
	int version;		/* NN of header go 1.NN */
	struct error *err;
};

/* Takes the header from @source, which stays the caller's. */
int raw_open(struct raw_reader *r, struct raw_source *source, struct error *err);
/* 1 and an event, 0 at the end. */
int raw_next(struct raw_reader *r, struct raw_event *ev);
/* pc, function, file, line of the next frame of a Stack. */
int raw_frame(struct raw_reader *r, uint64_t frame[4]);
/* The next bytes of a String or ExperimentalBatch: their number, 0 when all are taken. */
int raw_data(struct raw_reader *r, struct raw_event *ev, const uint8_t **p);

#endif
