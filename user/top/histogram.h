/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram: durations in few buckets with fixed limits, for systems that add up histograms of many
 * programs (`gotap serve`, /metrics). The limits are powers of two in ns, since those of
 * runtime/metrics are, too (runtime/histogram.go): counts of both can be compared. Quantiles of an
 * interval come from report/dist.h, which is finer.
 */
#ifndef GOTAP_TOP_HISTOGRAM_H
#define GOTAP_TOP_HISTOGRAM_H

#include <stdint.h>

/*
 * The limits are 2^LOW ns, twice that, ...: so many of them. LOW is TOP_HISTOGRAM_LOW (1.024 us to
 * 1.07 s); of requests TOP_HISTOGRAM_REQUESTS (32.8 us to 34.4 s).
 */
enum { TOP_HISTOGRAM_LOW = 10, TOP_HISTOGRAM_REQUESTS = 15, TOP_HISTOGRAM_LIMITS = 21 };

struct top_histogram {
	/* durations up to limit i, and above the limit before; the last one: above all limits */
	uint64_t counts[TOP_HISTOGRAM_LIMITS + 1];
	uint64_t sum;			/* ns */
};

/* Limit @i, below TOP_HISTOGRAM_LIMITS, in ns. */
static inline uint64_t top_histogram_limit(unsigned int low, unsigned int i)
{
	return 1ULL << (low + i);
}

static inline void top_histogram_add(struct top_histogram *h, unsigned int low, uint64_t ns)
{
	unsigned int bits = ns > 1 ? 64 - (unsigned int)__builtin_clzll(ns - 1) : 0;
	unsigned int i = bits > low ? bits - low : 0;

	h->counts[i < TOP_HISTOGRAM_LIMITS ? i : TOP_HISTOGRAM_LIMITS]++;
	h->sum += ns;
}

#endif
