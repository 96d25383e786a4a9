/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard: a thread that watches how full the rings and the queue are, and sets the priorities of the
 * drain and of the caller by it (pace.h), for --attach inline. A thread of low priority that gets
 * no CPU cannot raise itself. The guard has a high priority all the time; it only reads some words
 * and sleeps. It waits for no lock, since a thread of low priority may hold it.
 */
#ifndef GOTAP_CAPTURE_GUARD_H
#define GOTAP_CAPTURE_GUARD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "capture/chunk_queue.h"
#include "capture/pace.h"
#include "rings/ring_set.h"

/* Zeroed: there is none, and all priorities remain as they are. */
struct guard {
	const struct ring_set *rings;
	const struct chunk_queue *queue;
	pid_t drain, caller;
	uint64_t round;		/* ns: when the drain began its last round; atomic, as */
	unsigned int rate;	/* pace_look.rate */
	bool held;		/* atomic: the guard raises both and ends */
	struct pace pace;	/* of the guard's thread, with the priorities that it has set: */
	bool drain_low, caller_low;
	sem_t ready;		/* it has given up its rights; or a failure: */
	int failure;
	struct error why;
	pthread_t thread;
	bool runs;
};

/*
 * Raises the priority of the calling thread, which is the caller of capture_next(), and of threads
 * that it starts from now on; and starts the guard. Without the right to raise it nothing happens:
 * a priority that was low could not be raised again. To be called before gotap gives up its rights:
 * the guard keeps CAP_SYS_NICE and nothing else.
 */
int guard_begin(struct guard *g, const struct ring_set *rings, const struct chunk_queue *queue,
		struct error *err);
/* The drain calls them: at its begin, and at the begin and the end of each round. */
void guard_drain_begins(struct guard *g);
void guard_round(struct guard *g, uint64_t now);
void guard_round_found(struct guard *g, unsigned int fill, uint64_t elapsed);
/*
 * From any thread: the drain and the caller get a high priority, within 10 ms, and will have it
 * until the end.
 */
void guard_hold(struct guard *g);
/*
 * Ends the thread. The caller gets the priority that it had before guard_begin(): no more records
 * come.
 */
void guard_end(struct guard *g);

#endif
