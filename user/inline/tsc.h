/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tsc: the time stamp counter as CLOCK_MONOTONIC. Code in the target reads the counter; gotap
 * converts, by a line of straight pieces that it carries on from pairs of both that it reads
 * itself.
 *
 * The line up to now is never revised: a counter value always gives the same time, and a later
 * value a later one, whatever is sampled between two conversions. So records that were merged stay
 * in order.
 */
#ifndef GOTAP_INLINE_TSC_H
#define GOTAP_INLINE_TSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TSC_PAIRS = 64 };

/* The begin of a piece of the line. */
struct tsc_pair {
	uint64_t tsc, ns;	/* on the line */
	uint64_t read;		/* ns as they were read there */
	uint64_t rate;		/* ns per tick up to the next pair, times 2^40 */
	/* the same once the line has met the clock, if the next pair is late; 0: no other */
	uint64_t later;
};

/* Pairs over the last second or more; a ring. */
struct tsc_clock {
	struct tsc_pair pairs[TSC_PAIRS];
	size_t n, next;
};

/*
 * Is the counter invariant and the same on all CPUs, and the kernel's own clock? Only then is
 * CLOCK_MONOTONIC a line over the counter of whatever CPU. Not so with kvm-clock, the hypervisor's
 * own line.
 */
bool tsc_usable(void);
/*
 * Reads a pair: of several tries the one that took the least time. Carries the line on if the last
 * pair is old enough. The first call takes 10 ms, for a first idea of the rate. At least once a
 * second.
 */
void tsc_sample(struct tsc_clock *c);
/*
 * CLOCK_MONOTONIC ns of @tsc; beyond the first and the last pair by the pieces there. After a first
 * sample.
 */
uint64_t tsc_to_ns(const struct tsc_clock *c, uint64_t tsc);
/* The counter now, after all that was before it; as the code in the target reads it. */
uint64_t tsc_now(void);

#endif
