/* SPDX-License-Identifier: Apache-2.0 */
/*
 * taker: the process that takes an image: it copies, stops the threads, and continues them. It has
 * one thread, and all signals blocked. Called by moment.c, in a child. What it finds it writes to
 * memory that it shares with gotap.
 */
#ifndef GOTAP_MOMENT_TAKER_H
#define GOTAP_MOMENT_TAKER_H

#include "moment/moment.h"

enum { TAKER_RANGES = 1 << 16, TAKER_THREADS = 1 << 15 };

struct taker_shared {
	struct moment_facts facts;
	/* counts up with each step of work: gotap ends a taker that makes none */
	uint64_t progress;
	/* the begin of the stop that is under way, on the clock of now_ns(); 0: there is none */
	uint64_t held_since;
	int result; /* once @done */
	bool done;
	struct error err;
	size_t n_ranges, n_threads;
	struct moment_range ranges[TAKER_RANGES];
	struct moment_thread threads[TAKER_THREADS];
};

/* Takes the image into the file @memory. The result and its text are in @shared. */
void taker_run(const struct moment_opts *opts, int memory, struct taker_shared *shared);

#endif
