/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain: one round of emptying the rings: a chunk of records with its watermark, put into the
 * queue. The drain thread (capture.c) calls it and owns everything here. A round waits for no other
 * thread: if the queue has no room, the records remain in the rings, and the round does the rest of
 * its work.
 */
#ifndef GOTAP_CAPTURE_DRAIN_H
#define GOTAP_CAPTURE_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/budget_meter.h"
#include "capture/chunk_queue.h"
#include "capture/goids.h"
#include "capture/losses.h"
#include "capture/states.h"
#include "capture/texts.h"
#include "capture/unreadable.h"
#include "capture/user_records.h"
#include "capture/watch.h"
#include "rings/inline_rings.h"

struct drain {
	struct ring_set *rings;
	struct inline_rings *in_target;	/* those of them that are */
	struct chunk_queue *queue;
	struct user_records *user;
	const struct states *states;
	struct budget_meter *meter;	/* NULL: no budget */
	struct watch *watch;
	struct losses losses;
	struct unreadable unreadable;
	struct texts texts;
	struct goids *goids;		/* NULL: every record of a creation has its goid */
	bool rare;		/* the rings are so large that rounds may be rare */
	bool late;		/* the end took too long: rings in the target are no longer read */
	uint64_t watermark;
	/* bytes that were passed on and wait for a later watermark */
	size_t held;
	uint64_t passed_on;		/* the last one in the queue */
	unsigned int fill;		/* of the fullest ring in the last round (pace.h) */
};

/* Sets d->fill. Looks at the program (watch.h) at the end. */
void drain_round(struct drain *d);
/*
 * Called when no probe makes records any more: takes all that is left in the rings, and waits for
 * room in the queue. After some seconds it drops and counts what code in the target has made, there
 * and in the queue.
 */
void drain_rest(struct drain *d);

#endif
