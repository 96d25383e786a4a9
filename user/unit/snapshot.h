/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot: the trigger for which a snapshot of a flight recording was written, from the note about
 * it ("snapshot: blocked>100ms: goroutine 18 is blocked for 120 ms: ...; of goroutine 18 from T to
 * T"): which goroutine, from when to when, and who else waited at the same place. A visitor of the
 * first reading. A trace may have several notes, because further triggers lie in its window: the
 * JSON beside it says which one is its own; without that it is the last one.
 *
 * The interval is that of the note, or, if a stay of the goroutine in one state begins there, all
 * of that stay. A note about a thread means the goroutine that ran on it. A trigger about the
 * whole program (gc, heap>SIZE, hang>T, the 99th percentiles) has a note and no interval.
 */
#ifndef GOTAP_UNIT_SNAPSHOT_H
#define GOTAP_UNIT_SNAPSHOT_H

#include "spans/spans.h"

enum { SNAPSHOT_OTHERS = 16 };

/* A stay of a goroutine in one state. */
struct snapshot_stay {
	uint64_t g;
	const char *name;	/* the function that @g began with */
	const char *reason;
	int64_t from, to;	/* to: INT64_MAX while it goes on */
	uint64_t m;		/* thread of a running stay */
	uint32_t stack;
	uint8_t state;		/* enum go_state; SNAPSHOT_PART: an interval of several stays */
};

enum { SNAPSHOT_PART = 255 };

struct unit_snapshot {
	struct spans *s;
	/* by the JSON beside the trace: time of the fact, ns, and trigger; 0 and "": not known */
	int64_t want;
	char wanted[64];
	char *said;		/* the trigger and its fact, without the interval; NULL: no note */
	int64_t at;		/* time of the note */
	bool found;
	struct snapshot_stay stay;	/* of the trigger, if @found */
	/* goroutines that waited at the same place during that; the first ones by id */
	uint64_t n_others, others[SNAPSHOT_OTHERS];
	struct vec last;	/* struct snapshot_stay by slot: the last wait that ended */
	struct vec recent;	/* struct snapshot_stay: a ring of stays that have ended */
	size_t next;		/* of @recent */
};

/* Adds the visitor to @s, which must outlive @n. */
void snapshot_init(struct unit_snapshot *n, struct spans *s);
void snapshot_free(struct unit_snapshot *n);

#endif
