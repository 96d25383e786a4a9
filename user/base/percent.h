/* SPDX-License-Identifier: Apache-2.0 */
/*
 * percent: CPU time per time, in the two units that gotap has for it. Users give and read percent of one CPU's
 * time (--budget, reports, notes in the trace); everything else counts ns per second. Called where one becomes
 * the other.
 */
#ifndef GOTAP_BASE_PERCENT_H
#define GOTAP_BASE_PERCENT_H

static inline double percent_to_ns(double percent)
{
	return percent * 1e7;
}

static inline double percent_of_ns(double ns)
{
	return ns / 1e7;
}

#endif
