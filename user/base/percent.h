/* SPDX-License-Identifier: Apache-2.0 */
/*
 * percent: converts CPU time per time between its two units. Users read and write percent of one
 * CPU's time (--budget, reports, notes in the trace); all other code counts ns per second.
 */
#ifndef GOTAP_BASE_PERCENT_H
#define GOTAP_BASE_PERCENT_H

#include <stdio.h>

struct percent_text {
	char text[32];
};

/* A text such as "12.3"; a number below 1 has two significant digits: "0.012". */
static inline struct percent_text percent_text(double percent)
{
	struct percent_text ret;

	snprintf(ret.text, sizeof(ret.text), percent >= 1 || percent < 1e-4 ? "%.1f" : "%.2g",
		 percent);
	return ret;
}

static inline double percent_to_ns(double percent)
{
	return percent * 1e7;
}

static inline double percent_of_ns(double ns)
{
	return ns / 1e7;
}

#endif
