/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode: the encodings of values in pages. Format: Encodings.md of apache/parquet-format. All
 * append to a buf.
 */
#ifndef GOTAP_PARQUET_ENCODE_H
#define GOTAP_PARQUET_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* Bits that the unsigned @value takes; 0 for 0. */
static inline unsigned int encode_width(uint64_t value)
{
	return value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
}

/*
 * The width for values that zstd compresses afterwards: whole bytes, which it finds again in one
 * another's place. Measured, for traces of servers: tables are 8 % smaller.
 */
static inline unsigned int encode_whole_bytes(unsigned int width)
{
	return (width + 7) / 8 * 8;
}

/* The low @width bits of each value, from the lowest bit of the first byte on. */
void encode_bits(struct buf *out, const int64_t *values, size_t n, unsigned int width);
/*
 * RLE, the hybrid of runs and packed bits, of values from 0 to 2^@width - 1. @width is from 1 to
 * 32.
 */
void encode_hybrid(struct buf *out, const int64_t *values, size_t n, unsigned int width);
/* The same of @n times @value. @n > 0. */
void encode_run(struct buf *out, int64_t value, size_t n, unsigned int width);
/* DELTA_BINARY_PACKED. @narrow: of a column of INT32. At least one value. */
void encode_delta(struct buf *out, const int64_t *values, size_t n, bool narrow);
/* PLAIN of INT64 and DOUBLE, or with @narrow of INT32. */
void encode_plain(struct buf *out, const int64_t *values, size_t n, bool narrow);
/* The four bytes of @value, little-endian. */
void encode_u32(struct buf *out, uint32_t value);

#endif
