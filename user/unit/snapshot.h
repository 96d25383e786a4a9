/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot: the wait for which a snapshot of a flight recording was written, from the note about
 * its trigger ("snapshot: blocked>100ms: goroutine 18 is blocked for 120 ms: ..."): which
 * goroutine, from when to when, and who else waited at the same place. A visitor of the first
 * reading. If a trace has several notes, the last one is its own: it has those before it because
 * they lie in its window.
 */
#ifndef GOTAP_UNIT_SNAPSHOT_H
#define GOTAP_UNIT_SNAPSHOT_H

#include "spans/spans.h"

enum { SNAPSHOT_OTHERS = 16 };

/* A wait of a goroutine. */
struct snapshot_wait {
	uint64_t g;
	const char *name;	/* the function that @g began with */
	const char *reason;
	int64_t from, to;	/* to: INT64_MAX while it goes on */
	uint32_t stack;
};

struct unit_snapshot {
	struct spans *s;
	bool found;
	struct snapshot_wait wait;	/* of the trigger, if @found */
	/* goroutines that waited at the same place during that; the first ones by id */
	uint64_t n_others, others[SNAPSHOT_OTHERS];
	struct vec last;	/* struct snapshot_wait by slot: the last wait that ended */
	struct vec recent;	/* struct snapshot_wait: a ring of waits that have ended */
	size_t next;		/* of @recent */
};

/* Adds the visitor to @s, which must outlive @n. */
void snapshot_init(struct unit_snapshot *n, struct spans *s);
void snapshot_free(struct unit_snapshot *n);

#endif
