/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live: the calls of functions while they are recorded: what calls.h reads from a trace, some
 * milliseconds after each call, for `gotap func` on a terminal. It sees the events of the
 * recording (trace/tap.h). The thread of the assembler calls it.
 */
#ifndef GOTAP_CALLS_LIVE_H
#define GOTAP_CALLS_LIVE_H

#include "report/dist.h"
#include "trace/observer.h"

struct calls_live;

struct calls_live_opts {
	const char *pattern;	/* of names, as called_new() has it */
	/*
	 * All events up to @time, in ns, have come. The values are those of the following
	 * functions.
	 */
	void (*seen)(void *ctx, uint64_t time);
	void *ctx;
};

/* @opts is copied. calls_live_free() frees the result. */
struct calls_live *calls_live_new(const struct calls_live_opts *opts);
/* Adds it to the observers @to of a recording, which must not outlive it. */
void calls_live_observe(struct calls_live *l, struct observers *to);
/* The durations of the calls of all functions that have returned, and how many were left. */
const struct dist *calls_live_dist(const struct calls_live *l);
uint64_t calls_live_left(const struct calls_live *l);
/* Accepts NULL. */
void calls_live_free(struct calls_live *l);

#endif
