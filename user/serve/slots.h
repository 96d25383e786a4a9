/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots: limits how many requests are worked on at a time, and how many wait for that. First come,
 * first served; but while a user has as many slots as one user may have (shares.h), that user's
 * requests let others pass. All functions may be called from any thread.
 */
#ifndef GOTAP_SERVE_SLOTS_H
#define GOTAP_SERVE_SLOTS_H

#include <pthread.h>

#include "serve/patience.h"
#include "serve/peer.h"
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
/* To be called when no request has a slot or waits for one. */
void slots_free(struct slots *s);

/*
 * SLOTS_SHARE: the user has as many requests as one user may have. The last three are as in enum
 * patience_end.
 */
enum slots_result { SLOTS_TAKEN, SLOTS_FULL, SLOTS_SHARE, SLOTS_LATE, SLOTS_CLIENT, SLOTS_STOP };

/*
 * Waits for a slot, at most @ms. The caller gives each slot that it got (SLOTS_TAKEN) back, for the
 * same @who.
 */
enum slots_result slots_take(struct slots *s, const struct peer *who, const struct patience *p,
			     int ms);
/* Gives a slot of @who back, and passes it on to the first request that waits and may have it. */
void slots_give(struct slots *s, const struct peer *who);

#endif
