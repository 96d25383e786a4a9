/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracks: which tracks there are, and their descriptors, each written before the first event of its
 * track. A track has a number (uuid) that counts from 1. Part of perfetto.c.
 *
 *     process                         memory and goroutine counters; its threads are tracks of
 *     their own (thread)
 *       Ps                              P 0, P 1...: the goroutine that runs; below it what the P
 *       sweeps
 * 	  Goroutines			main.worker 17...: its states; below it assists and regions
 * 	  GC				the cycles; below it the times when the world was stopped
 * 	  Tasks
 * 	  Recording			what is missing in the trace
 */
#ifndef GOTAP_PERFETTO_TRACKS_H
#define GOTAP_PERFETTO_TRACKS_H

#include "perfetto/packets.h"
#include "perfetto/perfetto.h"

enum track_group {
	GROUP_PS,
	GROUP_GOROUTINES,
	GROUP_GC,
	GROUP_TASKS,
	GROUP_RECORDING,
	TRACK_GROUPS
};

struct tracks {
	struct packets *packets;
	uint64_t last;			/* uuid given out last */
	uint64_t process;
	uint64_t groups[TRACK_GROUPS];	/* 0: not there yet */
	const struct perfetto_process *about;
};

/*
 * Slices of a track must nest. A lane is a track that gets slices when they end, and does not know
 * of those that are still to come: one that overlaps with the last one goes to a new track of the
 * same name, which the user interface shows as one.
 */
struct lane {
	uint64_t track;		/* 0: not there yet */
	int64_t until;		/* end of its last slice */
};

/* Writes the descriptor of the process. @packets outlives it. */
void tracks_begin(struct tracks *t, struct packets *packets, const struct perfetto_process *about);
/* The track of a group. */
uint64_t tracks_group(struct tracks *t, enum track_group group);
/* A track under @parent; siblings of one name are shown as one. */
uint64_t tracks_add(struct tracks *t, uint64_t parent, const char *name);
/*
 * A track of P or thread or goroutine @id; of goroutines again if its @name has become known.
 * @time: of the first event on it, as trace_processor takes one that comes when the thread has
 * ended for that of a second thread of the same id.
 */
uint64_t tracks_add_p(struct tracks *t, uint64_t id);
uint64_t tracks_add_m(struct tracks *t, uint64_t id, int64_t time);
uint64_t tracks_add_goroutine(struct tracks *t, uint64_t id, const char *name);
void tracks_name_goroutine(struct tracks *t, uint64_t track, uint64_t id, const char *name);
/* @unit: UNIT_BYTES or UNIT_COUNT. @text describes it, NULL: nothing. */
uint64_t tracks_add_counter(struct tracks *t, const char *name, unsigned int unit,
			    const char *text);
/* The track for a slice from @from to @to. */
uint64_t tracks_lane(struct tracks *t, struct lane *lane, uint64_t parent, const char *name,
		     int64_t from, int64_t to);

#endif
