/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_generation: all batches of one generation, by content: tables and clock are decoded, batches
 * of thread events are only noted, by thread in the order of the file. If the input can seek their
 * bytes are read again when they are needed, so that a generation of any length takes little
 * memory; for a pipe they are kept.
 */
#ifndef GOTAP_READ_V2_GENERATION_H
#define GOTAP_READ_V2_GENERATION_H

#include <stdbool.h>

#include "base/vec.h"
#include "read/idtab.h"
#include "read/raw_source.h"
#include "read/v2_fault.h"
#include "read/v2_table.h"
#include "read/wait_table.h"

enum { V2_NO_BATCH = UINT32_MAX };

/* A batch of thread events that is not empty. */
struct v2_note {
	uint64_t time;
	uint64_t offset;	/* offset of the body in the file */
	/* offset of the body in v2_generation.bodies, if the input cannot seek */
	uint64_t kept;
	int64_t serial;		/* number of batches before it in the file */
	uint32_t size;
	uint32_t next;		/* next batch of the thread, V2_NO_BATCH: none */
};

/* A batch of an experiment; Go's reader returns its bytes without decoding. */
struct v2_experiment {
	struct v2_note at;	/* next is not used */
	uint64_t m;		/* thread that wrote it */
	uint8_t exp;
};

/* A thread with batches of events in this generation; a record of an idtab. */
struct v2_thread {
	uint64_t m;
	uint32_t first, last;	/* indices in batches */
};

struct v2_sample {
	int64_t time;		/* ns; units of the trace until the generation is complete */
	uint64_t m, p, g;	/* TRACEV2_NO_ID: none */
	uint64_t stack;
	uint64_t offset;
};

struct v2_clock {
	bool has_freq, has_snapshot;
	double ns_per_unit;
	uint64_t safe;		/* for fewer units than this the result fits into int64_t, and */
	int64_t whole_ns;	/* if this is not 0, is a multiple of it */
	uint64_t snap_time, snap_mono, snap_sec, snap_nsec;	/* snap_time in units */
};

struct v2_generation {
	uint64_t gen;
	uint64_t min_time;	/* earliest time of a batch, in units */
	int64_t first_batch;	/* number of its first batch in the file */
	/* set by the caller: the events of an incomplete generation are returned */
	bool keep_cut;
	bool has_threads;	/* it has batches of threads, at least empty ones */
	struct vec batches;	/* struct v2_note */
	struct idtab threads;	/* struct v2_thread, by first appearance */
	struct vec samples;	/* struct v2_sample, by time */
	struct vec experiments;	/* struct v2_experiment, in file order */
	struct buf bodies;
	struct v2_clock clock;
	struct v2_tables tables;
	struct wait_table waits;
};

enum gen_status {
	GEN_FAULT = -1,		/* no part of it can be used */
	GEN_END = 0,		/* no generation follows */
	GEN_READ = 1,
	GEN_READ_LAST = 2,	/* header < 26: complete, and the last one */
	/* header < 26, or incomplete: can be used, and a fault follows */
	GEN_READ_THEN_FAULT = 3,
};

/*
 * Reads the next generation of a trace with header go 1.@version into @g, which is empty or has the
 * previous one. *@serial counts the batches of the file. @fault is set with GEN_FAULT and
 * GEN_READ_THEN_FAULT.
 */
enum gen_status generation_read(struct v2_generation *g, struct raw_source *s, int version,
				int64_t *serial, struct v2_fault *fault);
void generation_free(struct v2_generation *g);

/* The bytes of a batch, which may be in @buf; NULL if the file has changed. */
const uint8_t *generation_body(const struct v2_generation *g, struct raw_source *s,
			       const struct v2_note *note, uint8_t *buf);

/*
 * Converts units of the trace to ns as Go does: in double, truncated; out of range it returns
 * INT64_MIN.
 */
static inline int64_t clock_ns(const struct v2_clock *clock, uint64_t units)
{
	double ns;

	if (units < clock->safe && clock->whole_ns)
		return (int64_t)units * clock->whole_ns;
	if (units < clock->safe)
		return (int64_t)((double)(int64_t)units * clock->ns_per_unit);
	ns = (double)units * clock->ns_per_unit;
	return ns >= -0x1p63 && ns < 0x1p63 ? (int64_t)ns : INT64_MIN;
}

#endif
