/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters: how many goroutines there are, run and wait to run, over time. Part of perfetto.c.
 *
 * They change with each event, so they are written at most once in COUNTERS_NS, and then with the
 * value and the time of the last change before: a value that stays is always written.
 */
#ifndef GOTAP_PERFETTO_COUNTERS_H
#define GOTAP_PERFETTO_COUNTERS_H

#include "perfetto/tracks.h"

enum { COUNTERS_NS = 1000000 };

enum counter { COUNTER_GOROUTINES, COUNTER_RUNNABLE, COUNTER_RUNNING, COUNTERS };

struct counters {
	struct packets *packets;
	uint64_t tracks[COUNTERS];
	uint64_t values[COUNTERS], written[COUNTERS];
	int64_t changed;	/* when the values became so */
	int64_t last;		/* when some were written */
	bool pending;
};

/* Adds the tracks of the counters. @packets and @tracks outlive it. */
void counters_begin(struct counters *c, struct packets *packets, struct tracks *tracks);
/* One of them changes by @step at @time (of packets). */
void counters_change(struct counters *c, enum counter counter, int step, int64_t time);
/* Writes the values that are not written yet. */
void counters_end(struct counters *c);

#endif
