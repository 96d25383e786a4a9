/* SPDX-License-Identifier: Apache-2.0 */
/* compare: one unit of work in two traces: its rate, its durations, and the time of each cause. */
#ifndef GOTAP_UNIT_COMPARE_H
#define GOTAP_UNIT_COMPARE_H

#include "unit/unit.h"

/* A number of both traces, with the standard error in each; INFINITY: not known. */
struct unit_pair {
	double value[2], error[2];
};

/* The time of a cause in the mean instance of each trace. */
struct unit_change {
	double ns[2];
	const struct unit_cause *cause;	/* of the trace that has more of it */
};

struct unit_compared {
	const struct unit *side[2];
	struct unit_pair rate, p50, p90, p99, mean;	/* per second; ns */
	struct vec changes;	/* struct unit_change: the largest difference first */
};

/*
 * Compares @a with @b, which must have their causes. A cause counts as a change if it differs by
 * more than the bounds of the mean, and by a fiftieth of the larger mean. Free with
 * unit_compared_free().
 */
void unit_compare(struct unit_compared *c, const struct unit *a, const struct unit *b);
void unit_compared_free(struct unit_compared *c);
/* Do the two values differ by more than two standard errors of each? */
bool unit_pair_differs(const struct unit_pair *p);

#endif
