/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_deadlock: two goroutines, or two groups of them, wait for two locks up to the end of the
 * trace, and each has the lock that the other wants (AB-BA). findings_leak.c asks, before it
 * reports goroutines that wait for a lock that nobody releases.
 *
 * Go has no owner of a lock. Which goroutine has one follows
 *
 *   surely: it was the last one whose wait for the lock ended, while another one, which waits
 *   still, had begun to wait. A release would have woken that one;
 *   likely: it stands in a function between the line at which the lock was waited for and the line
 *   at which it was released before.
 */
#ifndef GOTAP_REPORT_FINDINGS_DEADLOCK_H
#define GOTAP_REPORT_FINDINGS_DEADLOCK_H

#include "report/findings.h"

/* A wait is long if it takes at least this part of the trace, and STUCK_NS. */
#define STUCK_SHARE 0.5
#define STUCK_NS 3e8

/* A goroutine with a long wait at the end of the trace. */
struct stuck {
	uint64_t g;
	uint32_t stack, place;
	uint8_t why;
	int64_t from;
	struct trace_wait wait;	/* kind WAIT_NOTHING: not known for what */
};

/*
 * Adds a finding if the locks of @stuck (struct stuck) are such a deadlock, and returns whether it
 * did. @surely: only where it is known that each has the lock of the other; else two locks for
 * which goroutines wait, and that nobody releases, are enough for "likely".
 */
bool deadlock_judge(struct findings *f, const struct vec *stuck, bool surely);

#endif
