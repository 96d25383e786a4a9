/* SPDX-License-Identifier: Apache-2.0 */
/* unit_random: numbers that look random and are the same in each run (xorshift64). */
#ifndef GOTAP_TESTS_UNIT_RANDOM_H
#define GOTAP_TESTS_UNIT_RANDOM_H

#include <stdint.h>

/* The next number. *@state must not be 0. */
static inline uint64_t unit_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
