/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held: which goroutines had the Ps while a goroutine was runnable, and when the world was stopped
 * meanwhile. held_step() gets the runnable steps of a path backwards in time, and so reads the
 * trail backwards, once.
 */
#ifndef GOTAP_WHY_HELD_H
#define GOTAP_WHY_HELD_H

#include "why/path.h"
#include "why/trail.h"

struct held {
	struct trail *trail;
	uint32_t next;		/* records with a lower number are still to be read */
	/* struct held_stay: stays that reach back beyond the last step; the next steps need them */
	struct vec active;
	/* struct held_stay: stops of the world that reach back in the same way */
	struct vec stops;
	struct map64 sums;	/* address of a name -> ns with a P, for the current step */
	/* address of a name -> the part of @sums with the thread not on a CPU, ns */
	struct map64 off;
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
