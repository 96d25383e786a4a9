/* SPDX-License-Identifier: Apache-2.0 */
/*
 * saturate: sums of numbers that a traced program chooses, which must not overflow.
 */
#ifndef GOTAP_BASE_SATURATE_H
#define GOTAP_BASE_SATURATE_H

#include <stdint.h>

/* Returns a + b; INT64_MAX or INT64_MIN where int64_t has no room for it. */
static inline int64_t saturate_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

/* Returns a - b, as saturate_add(). */
static inline int64_t saturate_sub(int64_t a, int64_t b)
{
	int64_t difference;

	if (!__builtin_sub_overflow(a, b, &difference))
		return difference;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

#endif
