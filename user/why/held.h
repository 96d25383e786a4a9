/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held: who had the Ps while a goroutine was runnable, and when the world was stopped meanwhile. It
 * reads the trail once, backwards, as the steps of a path come: each must end before the one that
 * came before.
 */
#ifndef GOTAP_WHY_HELD_H
#define GOTAP_WHY_HELD_H

#include "why/path.h"
#include "why/trail.h"

struct held {
	struct trail *trail;
	uint32_t next;		/* records below this are still to be read */
	/* struct held_stay: those that reach back beyond what was asked for */
	struct vec active;
	struct vec stops;	/* the same, of the stopped world */
	struct map64 sums;	/* name's address -> ns, of the step at hand */
	struct map64 off;	/* likewise, of that with the thread not on a CPU */
	uint64_t read;		/* records */
};

/* At the end of an interval, at @time. */
void held_begin(struct held *h, struct trail *t, int64_t time, struct path *path);
void held_free(struct held *h);
/*
 * Adds a runnable @step to @path: the parts in which the world was stopped are steps of their own.
 */
void held_step(struct held *h, struct step *step, struct path *path);

#endif
