/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watched: what a program did since its recording for /metrics began: the sums of the lines that
 * `gotap top --json --brief` writes, one for each interval. A scraper takes differences of sums, so
 * how often it comes does not matter, and several scrapers do not disturb one another.
 */
#ifndef GOTAP_METRICS_WATCHED_H
#define GOTAP_METRICS_WATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/requests.h"

/* As enum top_state, by their names in JSON. */
enum { WATCHED_STATES = 4 };
/* More than `gotap top` has: what is beyond them is not taken. */
enum { WATCHED_LIMITS = 32, WATCHED_REASONS = 64, WATCHED_REASON = 48 };

extern const char *const watched_state_names[WATCHED_STATES];

struct watched_histogram {
	uint64_t counts[WATCHED_LIMITS + 1];
	double sum;
};

/* Waits of goroutines for one reason. */
struct watched_reason {
	char text[WATCHED_REASON];
	double seconds;
	uint64_t ended;
};

/* Seconds are doubles, everything else counts. */
struct watched {
	uint64_t intervals;		/* 0: no line yet, and all else is 0 */
	double until;			/* end of the last one, seconds since 1970 */
	double recorded, unrecorded;	/* the length of all of them */
	/* sums */
	double in_state[WATCHED_STATES];
	uint64_t created, ended, syscalls;
	uint64_t cycles, assists;
	double mark, assist;
	uint64_t limits_ns[WATCHED_LIMITS];
	unsigned int limits;
	struct watched_histogram sched, stops_gc, stops_other;
	struct watched_reason reasons[WATCHED_REASONS];
	unsigned int n_reasons;
	struct watched_requests requests;
	uint64_t records, lost, repairs;
	/* of gotap: CPU time of this recording, and of those before it of the same process */
	double own_cpu, own_cpu_before;
	/* as they were at the end of the last interval; < 0: not known */
	double goroutines[WATCHED_STATES];
	double gomaxprocs, heap, heap_goal;
	double probes, budget;		/* CPUs */
	uint64_t level;			/* of the budget: 0 leaves nothing out */
};

/* Adds a line of @n bytes. False: it is not such a line, and nothing was added. */
bool watched_add(struct watched *w, const char *line, size_t n);
/* Copies @from to *@to, which is zeroed; watched_free() frees the copy. */
void watched_copy(struct watched *to, const struct watched *from);
/* Frees what @w owns. */
void watched_free(struct watched *w);
/* The recording has ended, and another one of the same process follows. */
void watched_again(struct watched *w);

#endif
