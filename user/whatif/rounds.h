/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds: the instances of a unit of work (unit/) in the programs: at which op each begins and
 * ends. The same ops are executed by each replay, so the instances of a replay are those of the
 * trace, at other times.
 *
 * Memory: 8 bytes for each op, and 24 for each instance.
 */
#ifndef GOTAP_WHATIF_ROUNDS_H
#define GOTAP_WHATIF_ROUNDS_H

#include "unit/unit.h"
#include "whatif/programs.h"

#define ROUND_NONE INT64_MIN	/* it has not begun, or not ended */

struct rounds {
	/* by op: 1 + the instance that begins when the op is done, and that ends with it */
	uint32_t *begins, *ends;
	/* an instance ends when a goroutine comes to the wait, not after it */
	bool at_arrival;
	size_t n;
	struct vec from, to;	/* int64_t: in the trace, ns; ROUND_NONE */
};

enum rounds_quantity { ROUNDS_RATE, ROUNDS_P50, ROUNDS_P90, ROUNDS_P99, ROUNDS_QUANTITIES };

enum { ROUNDS_PARTS = 4 };

/* The rate of a unit, and its durations, between two of its completions. */
struct measured {
	size_t done, n;		/* instances that were completed; in the part that is measured */
	double value[ROUNDS_QUANTITIES];	/* per second, ns; NAN: too few */
	double parts[ROUNDS_PARTS];	/* the rate in parts with the same number of completions */
	double spread;		/* part of the time from the first to the last completion */
	int64_t from, to;	/* of the part that is measured */
};

/* Finds the instances of @unit of @u in @p. Free with rounds_free(). */
void rounds_find(struct rounds *r, const struct programs *p, struct units *u, size_t unit);
void rounds_free(struct rounds *r);
/*
 * Measures from the tenth to the eightieth percent of the completions in @to, one of each of @n
 * instances: what comes last is cut, since a faster replay runs out of work. @begin, @end: of all.
 */
struct measured rounds_measure(const int64_t *from, const int64_t *to, size_t n, int64_t begin,
			       int64_t end);

#endif
