/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracks: the tracks of a trace, and their descriptors. Each descriptor is written before the first
 * event of its track. The number (uuid) of a track counts from 1. Part of perfetto.c.
 *
 *     process           memory and goroutine counters; its threads have tracks of their own
 *       Ps              P 0, P 1...: the goroutine that runs; below it the sweeps of the P
 *       Goroutines      main.worker 17...: its states; below it assists and regions
 *       GC              the cycles; below it the times when the world was stopped
 *       Tasks
 *       Recording       parts that are missing in the trace
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

/* The numbers of the tracks of process N of a trace count from N << TRACKS_BITS. */
enum { TRACKS_BITS = 40 };

struct tracks {
	struct packets *packets;
	uint64_t last;			/* the uuid that was assigned last */
	uint64_t process;
	uint64_t groups[TRACK_GROUPS];	/* 0: not written yet */
	const struct perfetto_process *about;
};

/*
 * A track for slices that are written when they end, when later slices are not known yet. Slices of
 * one track must nest: a slice that overlaps with the last one goes to a new track with the same
 * name, and the user interface shows both as one.
 */
struct lane {
	uint64_t track;		/* 0: none yet */
	int64_t until;		/* end of its last slice */
};

/* Writes the descriptor of the process. @packets and @about must outlive @t. */
void tracks_begin(struct tracks *t, struct packets *packets, const struct perfetto_process *about);
/* Returns the track of a group, and writes its descriptor if it is new. */
uint64_t tracks_group(struct tracks *t, enum track_group group);
/* Adds a track under @parent. The user interface shows siblings with equal names as one. */
uint64_t tracks_add(struct tracks *t, uint64_t parent, const char *name);
/*
 * Add a track for the P, thread or goroutine @id, and return its uuid. @time: of the first event of
 * the thread. trace_processor takes a descriptor that follows the end of a thread for that of a
 * second thread with the same tid, and @time prevents this.
 */
uint64_t tracks_add_p(struct tracks *t, uint64_t id);
uint64_t tracks_add_m(struct tracks *t, uint64_t id, int64_t time);
uint64_t tracks_add_goroutine(struct tracks *t, uint64_t id, const char *name);
void tracks_name_goroutine(struct tracks *t, uint64_t track, uint64_t id, const char *name);
/*
 * Adds the track of a counter. @unit: UNIT_BYTES or UNIT_COUNT. @text describes the counter; NULL:
 * no description.
 */
uint64_t tracks_add_counter(struct tracks *t, const char *name, unsigned int unit,
			    const char *text);
/*
 * Returns the track for a slice from @from to @to: that of @lane, or a new one, which becomes that
 * of @lane.
 */
uint64_t tracks_lane(struct tracks *t, struct lane *lane, uint64_t parent, const char *name,
		     int64_t from, int64_t to);

#endif
