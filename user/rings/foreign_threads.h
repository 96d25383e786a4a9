/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign_threads: which thread ids the records of code in the target may have: those of the
 * target's threads. Each id is looked up in /proc when a record has it for the first time, and
 * again each second. A thread that has ended before that look cannot be told from one that never
 * was: so many of these are believed in a second, and counted.
 */
#ifndef GOTAP_RINGS_FOREIGN_THREADS_H
#define GOTAP_RINGS_FOREIGN_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "live/process.h"

enum {
	FOREIGN_TIDS = 1 << 22,		/* PID_MAX_LIMIT of Linux */
	/*
	 * Threads that nobody has seen, per second. A program whose threads end at once, because
	 * their goroutines end locked to them, makes some 10,000 in a second; of those that live
	 * for less than a round of the drain these are kept.
	 */
	FOREIGN_UNSEEN = 1024,
};

struct foreign_threads {
	const struct process *proc;
	int task;		/* its folder of threads in /proc */
	bool inner;		/* ids are of its own PID namespace, and /proc has others */
	uint64_t *now, *before;	/* a bit for each id found in this second, and in the one before */
	/*
	 * ns: when this round and this second began, and when the ids of a namespace were read last
	 */
	uint64_t round, turned, mapped;
	unsigned int looks;	/* left in this round */
	unsigned int tokens;	/* unseen ones that are left in this second */
	uint64_t unseen;	/* that were believed, since the start */
};

/* @proc outlives it. */
void foreign_threads_init(struct foreign_threads *t, const struct process *proc);
/* Accepts a zeroed one. */
void foreign_threads_free(struct foreign_threads *t);
/* A round of the drain begins at @now, ns. */
void foreign_threads_round(struct foreign_threads *t, uint64_t now);
/* For an id that has no bit yet. */
bool foreign_threads_find(struct foreign_threads *t, uint32_t tid);

/* Was @tid looked up in this second? */
static inline bool foreign_threads_knows(const struct foreign_threads *t, uint64_t tid)
{
	return tid < FOREIGN_TIDS && t->now[tid / 64] >> (tid % 64) & 1;
}

/*
 * Is @tid a thread of the target, or was it lately? 0 is a thread that has no id any more
 * (bpf/inline/thread.h).
 */
static inline bool foreign_threads_has(struct foreign_threads *t, uint64_t tid)
{
	if (foreign_threads_knows(t, tid))
		return true;
	return !tid || (tid < FOREIGN_TIDS && foreign_threads_find(t, (uint32_t)tid));
}

#endif
