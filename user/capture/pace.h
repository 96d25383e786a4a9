/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pace: how often gotap empties the rings, and with which priority, by how full they are. Pure
 * functions of these fills: the drain (drain.c) asks for the time until its next round, the
 * guard (guard.c) for the priorities.
 *
 * A gotap of high priority takes a CPU from the program or its client at each wake-up, and what it
 * preempts waits while another CPU runs dry: that was 2.2 of the 5.6 us that a recording added to a
 * request of a saturated server. A gotap of low priority loses records when the CPUs are busy.
 * So the priority is low only as long as the rings are nearly empty.
 */
#ifndef GOTAP_CAPTURE_PACE_H
#define GOTAP_CAPTURE_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Fills are in thousandths of the room. */
enum {
	PACE_WHOLE = 1000,
	PACE_URGENT = PACE_WHOLE / 4,	/* a ring that needs a high priority */
	PACE_CALM = PACE_WHOLE / 8,
	PACE_QUEUE_URGENT = PACE_WHOLE / 2,
};

/* The state of rings, drain and caller at one look of the guard. */
struct pace_look {
	uint64_t now;		/* ns */
	unsigned int ring;	/* fill of the fullest ring */
	unsigned int rate;	/* what it fills in 10 ms, by the last round */
	uint64_t drain_late;	/* ns since the drain began its last round */
	unsigned int queue;	/* fill of the queue of chunks */
	uint64_t caller_late;	/* ns since the caller could have taken a chunk */
};

/* The priority of one thread; zeroed: high. */
struct pace_level {
	bool low;
	uint64_t calm_since;	/* ns; 0: not calm */
	uint64_t lowered;	/* ns */
	uint64_t hold;		/* ns for which it must be calm before it gets a low priority */
};

struct pace {
	struct pace_level drain, caller;
	unsigned int ring_before;	/* at the look before */
};

/*
 * Decides by a look which priorities the two threads get: p->drain.low and p->caller.low. A ring
 * that is a quarter full, or would be at the next look, raises both: the drain may wait for a lock
 * that the caller has.
 */
void pace_step(struct pace *p, const struct pace_look *look);

/* Returns what a ring with the fill @fill, empty @elapsed ns before, fills in 10 ms. */
unsigned int pace_rate(unsigned int fill, uint64_t elapsed);

/*
 * Returns the time in ns from the end of a round of draining to the next one. The fullest ring had
 * the fill @fill in the round, which began @elapsed ns after the one before. @idle: the time with
 * empty rings.
 */
long pace_sleep(unsigned int fill, uint64_t elapsed, long idle);

#endif
