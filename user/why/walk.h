/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk: the critical path of an interval of one goroutine, from its end to its begin.
 *
 * Where the goroutine waited and another one ended the wait, the time of the wait is explained by
 * that other one: its own path from the instant at which it woke the first one back to the instant
 * at which the wait began; there the path goes on in the first one. This holds for waits of the
 * other one, too. Before a goroutine was created the path goes on in its creator. docs/why.md has
 * the reasons.
 */
#ifndef GOTAP_WHY_WALK_H
#define GOTAP_WHY_WALK_H

#include "why/held.h"
#include "why/path.h"
#include "why/trail.h"

struct walk {
	struct trail *trail;
	struct path *path;	/* path_begin() says which interval */
	struct held *held;
	struct vec frames;	/* goroutines in which the path goes on at the begin of a wait */
};

/*
 * Walks back from @at, where the goroutine is: trail_now(), or trail_at_end(). It may be later than
 * the end of the interval: what lies behind that is only walked through.
 */
void walk_back(struct walk *w, const struct trail_rec *at);
/* A record from which to walk back: the end of the goroutine with the newest record @newest. */
struct trail_rec walk_from_end(uint64_t g, const char *name, int64_t time, uint32_t newest);

#endif
