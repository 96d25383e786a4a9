/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live: the units of work of a recording while it goes on, with the rate and the durations of the
 * instances that ended in one interval: `gotap top` shows them. A thread of its own reads the
 * generations as they are written, with the candidates and the choice of `gotap report` (choose.h),
 * so that both name the same unit.
 *
 * 	struct unit_live *l = unit_live_new(interval);
 * 	unit_live_start(l);
 * 	... unit_live_add(l, generation), unit_live_sample(l) ...
 * 	unit_live_end(l);		waits until all was read
 * 	unit_live_free(l);
 *
 * The numbers are late by two or three generations, of about a second each: one is written when it
 * has ended, and read when the next one has come. The choice is by the time since the reading
 * began: it begins anew every LIVE_ANEW, which also bounds its memory, and when the thread is
 * LIVE_QUEUE bytes behind. Generations that were skipped then are counted.
 */
#ifndef GOTAP_UNIT_LIVE_H
#define GOTAP_UNIT_LIVE_H

#include "trace/tracefile.h"
#include "unit/unit.h"

enum { LIVE_QUEUE = 32 << 20, LIVE_NAME = 256 };

/* ns */
#define LIVE_ANEW (INT64_C(600) * 1000000000)

struct unit_live_row {
	char name[LIVE_NAME];	/* "rounds of main.work" */
	const char *kind;	/* as in JSON */
	uint64_t n;		/* instances that ended in the interval */
	int64_t p50, p99, max;	/* ns; 0: there was none */
};

struct unit_live_sample {
	bool known;		/* an interval has been read; false: the rest is 0 */
	int64_t from, to;	/* the interval, on the clock of the trace, ns */
	struct unit_live_row rows[UNITS_MOST];	/* the best unit first */
	size_t n;
	uint64_t skipped;	/* generations, ever */
};

struct unit_live;

/* @interval: ns, more than 0. */
struct unit_live *unit_live_new(int64_t interval);
/* Starts the thread. Returns 0 or -errno with @err. */
int unit_live_start(struct unit_live *l, struct error *err);
/*
 * Adds the header of the trace, or a generation of which each can be the first one (assembler_opts
 * .restate). It never waits.
 */
void unit_live_add(struct unit_live *l, const struct tracefile_generation *g);
/* The last interval that was read. */
void unit_live_sample(struct unit_live *l, struct unit_live_sample *ret);
/*
 * No generation follows: reads the queue to its end. If there was no whole interval, the sample is
 * of the part of one.
 */
void unit_live_end(struct unit_live *l);
/* Ends it, and frees @l, which may be NULL. */
void unit_live_free(struct unit_live *l);

#endif
