/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tsc: the time stamp counter as CLOCK_MONOTONIC. Code in the target reads the counter; gotap converts, by
 * pairs of both that it reads itself before and after.
 */
#ifndef GOTAP_INLINE_TSC_H
#define GOTAP_INLINE_TSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TSC_PAIRS = 64 };

struct tsc_pair {
	uint64_t tsc, ns;
};

/* Pairs over the last seconds; a ring. */
struct tsc_clock {
	struct tsc_pair pairs[TSC_PAIRS];
	size_t n, next;
};

/* Is the counter invariant and the same on all CPUs, and the kernel's own clock? */
bool tsc_usable(void);
/* Reads a pair: of several tries the one that took the least time. */
void tsc_sample(struct tsc_clock *c);
/* CLOCK_MONOTONIC ns of @tsc, by the two pairs around it; beyond the last one, or before the first, by the nearest two. */
uint64_t tsc_to_ns(const struct tsc_clock *c, uint64_t tsc);

#endif
