/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds: the least and the greatest value of a page or a chunk, as statistics have them. Format:
 * struct Statistics of parquet.thrift.
 *
 * A text that is longer than BOUND_BYTES is cut: the least one to a prefix, the greatest one to a
 * greater text of whole UTF-8 characters.
 */
#ifndef GOTAP_PARQUET_BOUNDS_H
#define GOTAP_PARQUET_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parquet/parquet.h"

enum { BOUND_BYTES = 64 };

/* A value in PLAIN, for BYTE_ARRAY without its length. */
struct bound {
	uint8_t bytes[BOUND_BYTES];
	uint8_t n;
	bool exact;
};

struct bounds {
	/* Neither without a value, nor for one whose bound cannot be written. */
	bool known;
	struct bound least, greatest;
};

/* The bounds of @n values of all types but texts; unknown with a NaN. */
struct bounds bounds_of_numbers(enum parquet_type type, const int64_t *values, size_t n);
struct bounds bounds_of_texts(const char *least, size_t least_n, const char *greatest,
			      size_t greatest_n);
/* Texts by unsigned bytes, as Parquet and memcmp(3) have them. As strcmp(3). */
int bounds_compare_texts(const char *a, size_t a_n, const char *b, size_t b_n);
/* Two bounds of columns of @type. */
int bounds_compare(enum parquet_type type, const struct bound *a, const struct bound *b);
/* Extends @to by @more. Both are known, or of no value. */
void bounds_join(enum parquet_type type, struct bounds *to, const struct bounds *more);

#endif
