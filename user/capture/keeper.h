/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper: keeps a running capture honest. A thread of its own, because it
 * waits and reads the target's memory while the rings must be emptied.
 *
 * Where records were lost, what the stream tells of states is wrong until
 * every goroutine concerned has moved again, and some never do. So when the
 * losses are over, the states are read anew as at the attach: from some time
 * on all records are there (REC_RESUME), then everything is read, and the model
 * goes on from that (REC_SNAP_END). Losses that do not end: once a second.
 *
 * And it keeps the budget (budget.h): it looks at the counters ten times a
 * second and takes away or puts back what that says.
 */
#ifndef GOTAP_CAPTURE_KEEPER_H
#define GOTAP_CAPTURE_KEEPER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/budget.h"

struct capture;

struct keeper {
	pthread_t thread;
	bool runs, stop;
	uint64_t lost, lost_read;	/* at the last look, and when states were read last */
	uint64_t read, took;		/* when that ended and how long it took, ns */
	struct budget budget;
	uint64_t metered, hits;		/* when counters were looked at, and what they were */
	struct budget_load sum;
};

/* Once the capture runs and its snapshot is in the stream. */
int keeper_start(struct capture *cap, struct error *err);
/* Waits for the thread, for as long as it takes to read the states at most. */
void keeper_stop(struct capture *cap);

#endif
