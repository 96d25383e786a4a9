/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stuck: how long a record of code in the target is waited for that its thread has begun and not
 * finished. A thread that was preempted in it goes on when it gets a CPU. A thread that is stopped,
 * by a signal, a debugger or the freezer of its cgroup, goes on later. So the time that counts is
 * CPU time of that thread: if it has run, and the record is not finished, it never will be.
 *
 * A thread that has not written its id yet may be any one of the process: then no thread may be
 * stopped, and the process must have run for longer.
 */
#ifndef GOTAP_RINGS_STUCK_H
#define GOTAP_RINGS_STUCK_H

#include <stdbool.h>
#include <stdint.h>

#include "live/process.h"
#include "rings/ring.h"

/* The record in the way of one ring. All zero: no record is in the way. */
struct stuck {
	bool waits;
	struct ring_block block;	/* the record that is waited for */
	uint64_t since, looked;		/* ns */
	bool of_thread;			/* ran is of the record's thread, else of the process */
	uint64_t ran;			/* ns of CPU time at first sight */
};

/* The record @block is in the way at @now, ns: may it still be finished? */
bool stuck_may_end(struct stuck *s, const struct process *proc, struct ring_block block,
		   uint64_t now);

#endif
