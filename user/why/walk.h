/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: the critical path of an interval of one goroutine, from its end to its begin.
 *
 * If another goroutine ended a wait, the path during that wait is the path of the waker: from the
 * wake-up back to the time at which the wait began. Before that time the path continues in the
 * goroutine that waited. The same holds for waits of the waker. Before the creation of a goroutine
 * the path continues in its creator. docs/why.md has the reasons.
 */
#ifndef GOTAP_WHY_WALK_H
#define GOTAP_WHY_WALK_H

#include "why/sides.h"
#include "why/held.h"
#include "why/path.h"
#include "why/trail.h"

struct walk {
	struct trail *trail;
	struct path *path;	/* its interval is set with path_begin() */
	struct held *held;
	/* traces of other processes, in which the path goes on; NULL: none */
	struct sides *sides;
	/* struct turn: goroutines in which the path continues at the begin of a wait */
	struct vec frames;
};

/*
 * Walks back from @at, the current piece of the goroutine: of trail_now() or walk_from_end(). @at
 * may end later than the interval: the path has no steps for the time after the interval.
 */
void walk_back(struct walk *w, const struct trail_rec *at);
/*
 * Returns a record for walk_back() at the end of a goroutine, of which @newest is the newest
 * record.
 */
struct trail_rec walk_from_end(uint64_t g, const char *name, int64_t time, uint32_t newest);

#endif
