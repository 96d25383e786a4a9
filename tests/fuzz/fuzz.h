/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz: the entry of a fuzzer, and how it fails. */
#ifndef GOTAP_TESTS_FUZZ_H
#define GOTAP_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run with @fact as its reason if it does not hold. */
static inline void must(bool holds, const char *fact)
{
	if (holds)
		return;
	fprintf(stderr, "not so: %s\n", fact);
	abort();
}

#endif
