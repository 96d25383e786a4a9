/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held: which goroutines had the Ps while a goroutine was runnable, and when the world was stopped
 * meanwhile. held reads the trail once, backwards, as the path gets its steps: each step must end
 * before the step that was given last.
 */
#ifndef GOTAP_WHY_HELD_H
#define GOTAP_WHY_HELD_H

#include "why/path.h"
#include "why/trail.h"

struct held {
	struct trail *trail;
	uint32_t next;		/* records with a lower number are still to be read */
	/*
	 * struct held_stay: stays that begin before the last step; the next steps look at them, too
	 */
	struct vec active;
	struct vec stops;	/* struct held_stay: stops of the world, in the same way */
	struct map64 sums;	/* address of a name -> ns with a P, of the current step */
	struct map64 off;	/* address of a name -> ns of sums with the thread not on a CPU */
	uint64_t read;		/* number of records that were read */
};

/* Prepares for a path that ends at @time. */
void held_begin(struct held *h, struct trail *t, int64_t time, struct path *path);
void held_free(struct held *h);
/*
 * Adds a runnable @step to @path, with its holders. The parts in which the world was stopped become
 * steps of their own.
 */
void held_step(struct held *h, struct step *step, struct path *path);

#endif
