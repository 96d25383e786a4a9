/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop_request: a request to end the read of memory that is under way: the user has sent a signal,
 * or another thread has set a flag. All code that reads much of the target's memory checks it
 * between two reads.
 */
#ifndef GOTAP_LIVE_STOP_REQUEST_H
#define GOTAP_LIVE_STOP_REQUEST_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* A member that is NULL requests nothing. */
struct stop_request {
	const volatile sig_atomic_t *signal;	/* not 0: stop */
	const bool *thread;			/* true: stop */
};

static inline bool stop_requested(const struct stop_request *s)
{
	if (!s)
		return false;
	return (s->signal && *s->signal) ||
	       (s->thread && __atomic_load_n(s->thread, __ATOMIC_ACQUIRE));
}

#endif
