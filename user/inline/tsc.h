/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tsc: the time stamp counter as CLOCK_MONOTONIC. Code in the target reads the counter. gotap
 * converts its values by a line of straight pieces, which gotap continues with each pair of counter
 * and clock that it reads itself.
 *
 * The line up to now is never revised: a counter value always gives the same time, and a later
 * value a later time, also with new samples between two conversions. Records that were merged
 * therefore remain in order.
 */
#ifndef GOTAP_INLINE_TSC_H
#define GOTAP_INLINE_TSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { TSC_PAIRS = 64, TSC_SHIFT = 40 };

/* The begin of a piece of the line. */
struct tsc_pair {
	uint64_t tsc, ns;	/* on the line */
	uint64_t read;		/* ns as the clock had them at that counter value */
	uint64_t rate;		/* ns per tick up to the next pair, times 2^TSC_SHIFT */
	/* the rate after the line has met the clock, if the next pair is late; 0: no other rate */
	uint64_t later;
};

/* Pairs over the last second or more; a ring. */
struct tsc_clock {
	struct tsc_pair pairs[TSC_PAIRS];
	size_t n, next;
};

/*
 * Returns whether the counter is invariant and the same on all CPUs, and the kernel uses it as its
 * clock. Only then is CLOCK_MONOTONIC a line over the counter of any CPU. kvm-clock, for instance,
 * is a line of the hypervisor's own.
 */
bool tsc_usable(void);
/* Returns 0 if tsc_usable(), else -ENOTSUP with one line that says why not. */
int tsc_check(struct error *err);
/*
 * Reads a pair: of several tries the one that took the least time. Continues the line if the last
 * pair is old enough. The caller samples at least once a second. The first call takes 10 ms, for a
 * first estimate of the rate.
 */
void tsc_sample(struct tsc_clock *c);
/*
 * Returns the CLOCK_MONOTONIC ns of @tsc; before the first pair and after the last one by the
 * nearest piece of the line. Must follow a first sample.
 */
uint64_t tsc_to_ns(const struct tsc_clock *c, uint64_t tsc);

/*
 * A straight part of the line: for a caller that converts many values, most of which lie in the
 * same part. Zeroed: it has no values.
 */
struct tsc_piece {
	uint64_t tsc, ticks;	/* the first value, and how many there are */
	uint64_t ns, rate;	/* of the first value; as in struct tsc_pair */
};
/* Returns the part with @tsc; one that lacks it if @tsc is beyond the part that is known surely. */
struct tsc_piece tsc_piece_of(const struct tsc_clock *c, uint64_t tsc);

static inline bool tsc_piece_has(const struct tsc_piece *p, uint64_t tsc)
{
	return tsc - p->tsc < p->ticks;
}

/* Returns tsc_to_ns() of a value that the part has. */
static inline uint64_t tsc_piece_ns(const struct tsc_piece *p, uint64_t tsc)
{
	return p->ns + (uint64_t)(((unsigned __int128)(tsc - p->tsc) * p->rate) >> TSC_SHIFT);
}

/*
 * Returns the counter now, after all earlier instructions are done, as the code in the target reads
 * it.
 */
uint64_t tsc_now(void);

#endif
