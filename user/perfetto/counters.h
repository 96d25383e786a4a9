/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters: the number of goroutines, and how many of them run and wait for a P, over time. Part of
 * perfetto.c.
 *
 * The counters change with each event. Their values are written at most once in COUNTERS_NS, with
 * the time of their last change: a value that lasts longer is always written.
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
	int64_t changed;	/* time of the last change */
	int64_t last;		/* time of the last change that was written */
	bool pending;
};

/* Adds the tracks of the counters. @packets and @tracks must outlive @c. */
void counters_begin(struct counters *c, struct packets *packets, struct tracks *tracks);
/* Changes @counter by @step at @time, a time of the Perfetto trace. */
void counters_change(struct counters *c, enum counter counter, int step, int64_t time);
/* Writes the values that are not written yet. */
void counters_end(struct counters *c);

#endif
