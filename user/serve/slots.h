/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots: how many requests do something at a time, and how many wait for that: first come, first served, but for those
 * of a user who has his share (shares.h): they let others pass. Any thread.
 */
#ifndef GOTAP_SERVE_SLOTS_H
#define GOTAP_SERVE_SLOTS_H

#include <pthread.h>

#include "serve/patience.h"
#include "serve/shares.h"

struct slots_waiter;

struct slots {
	pthread_mutex_t lock;
	unsigned int free, waiting, max_waiting;
	unsigned int most, most_waiting;	/* of one user */
	struct shares has, waits;
	struct slots_waiter *first, **last;
};

void slots_init(struct slots *s, unsigned int max, unsigned int max_waiting);
/* Nobody has one, or waits. */
void slots_free(struct slots *s);

/* SLOTS_SHARE: his requests are as many as those of one user may be. */
enum slots_result { SLOTS_TAKEN, SLOTS_FULL, SLOTS_SHARE, SLOTS_LATE, SLOTS_CLIENT, SLOTS_STOP };

/* Waits for one, at most @ms. Each that was taken is given back, for the same @who. */
enum slots_result slots_take(struct slots *s, const struct peer *who, const struct patience *p, int ms);
void slots_give(struct slots *s, const struct peer *who);

#endif
