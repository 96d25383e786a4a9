// SPDX-License-Identifier: Apache-2.0
/* bounds: see bounds.h. */
#include "parquet/bounds.h"

#include <math.h>
#include <string.h>

#include "parquet/utf8.h"

static struct bound bound_number(enum parquet_type type, int64_t value)
{
	struct bound b = { .exact = true };

	b.n = type == PARQUET_BOOL ? 1 : type == PARQUET_I32 || type == PARQUET_U32 ? 4 : 8;
	memcpy(b.bytes, &value, sizeof(value));
	return b;
}

static double bound_real(int64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static int64_t bound_bits(double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/*
 * A least 0 is written as -0, and a greatest one as +0, since readers may take them for equal. With
 * a NaN there are no bounds: the format would have them of the other values, which DuckDB 1.5 takes
 * for all values.
 */
static struct bounds bounds_of_reals(const int64_t *values, size_t n)
{
	struct bounds b = {0};
	double least = INFINITY, greatest = -INFINITY, value;
	size_t i;

	for (i = 0; i < n; i++) {
		value = bound_real(values[i]);
		if (isnan(value))
			return b;
		least = value < least ? value : least;
		greatest = value > greatest ? value : greatest;
	}
	b.known = n > 0;
	b.least = bound_number(PARQUET_F64, bound_bits(least == 0 ? -0.0 : least));
	b.greatest = bound_number(PARQUET_F64, bound_bits(greatest == 0 ? 0.0 : greatest));
	return b;
}

static struct bounds bounds_of_unsigned(enum parquet_type type, const int64_t *values, size_t n)
{
	uint64_t least = UINT64_MAX, greatest = 0, value;
	size_t i;

	for (i = 0; i < n; i++) {
		value = (uint64_t)values[i];
		least = value < least ? value : least;
		greatest = value > greatest ? value : greatest;
	}
	return (struct bounds){ n > 0, bound_number(type, (int64_t)least),
				bound_number(type, (int64_t)greatest) };
}

static struct bounds bounds_of_signed(enum parquet_type type, const int64_t *values, size_t n)
{
	int64_t least = INT64_MAX, greatest = INT64_MIN;
	size_t i;

	for (i = 0; i < n; i++) {
		least = values[i] < least ? values[i] : least;
		greatest = values[i] > greatest ? values[i] : greatest;
	}
	return (struct bounds){ n > 0, bound_number(type, least), bound_number(type, greatest) };
}

struct bounds bounds_of_numbers(enum parquet_type type, const int64_t *values, size_t n)
{
	switch (type) {
	case PARQUET_F64:
		return bounds_of_reals(values, n);
	case PARQUET_U32:
	case PARQUET_U64:
		return bounds_of_unsigned(type, values, n);
	default:
		return bounds_of_signed(type, values, n);
	}
}

int bounds_compare_texts(const char *a, size_t a_n, const char *b, size_t b_n)
{
	size_t both = a_n < b_n ? a_n : b_n;
	int order = both ? memcmp(a, b, both) : 0;

	return order ? order : (a_n > b_n) - (a_n < b_n);
}

static void bound_text(struct bound *b, const char *text, size_t n)
{
	b->exact = n <= BOUND_BYTES;
	b->n = (uint8_t)(b->exact ? n : utf8_cut(text, n, BOUND_BYTES));
	if (b->n)
		memcpy(b->bytes, text, b->n);
}

/* Makes the cut text greater than each that begins so. False if there is no such text. */
static bool bound_raise(struct bound *b)
{
	char next[UTF8_MOST];
	size_t at, n;

	for (; b->n; b->n = (uint8_t)at) {
		at = utf8_last((const char *)b->bytes, b->n);
		n = utf8_next((const char *)b->bytes + at, b->n - at, next);
		if (!n || at + n > BOUND_BYTES)
			continue;
		memcpy(b->bytes + at, next, n);
		b->n = (uint8_t)(at + n);
		return true;
	}
	return false;
}

struct bounds bounds_of_texts(const char *least, size_t least_n, const char *greatest,
			      size_t greatest_n)
{
	struct bounds b = {0};

	bound_text(&b.least, least, least_n);
	bound_text(&b.greatest, greatest, greatest_n);
	b.known = b.greatest.exact || bound_raise(&b.greatest);
	return b;
}

static int64_t bound_value(const struct bound *b)
{
	int64_t value = 0;
	int32_t narrow;

	if (b->n != sizeof(narrow)) {
		memcpy(&value, b->bytes, b->n);
		return value;
	}
	memcpy(&narrow, b->bytes, sizeof(narrow));
	return narrow;
}

int bounds_compare(enum parquet_type type, const struct bound *a, const struct bound *b)
{
	int64_t x, y;

	if (type == PARQUET_TEXT)
		return bounds_compare_texts((const char *)a->bytes, a->n, (const char *)b->bytes,
					    b->n);
	x = bound_value(a);
	y = bound_value(b);
	if (type == PARQUET_F64)
		return (bound_real(x) > bound_real(y)) - (bound_real(x) < bound_real(y));
	/* The sign of 32 bits was extended in both: their order as unsigned ones is kept. */
	if (type == PARQUET_U32 || type == PARQUET_U64)
		return ((uint64_t)x > (uint64_t)y) - ((uint64_t)x < (uint64_t)y);
	return (x > y) - (x < y);
}

void bounds_join(enum parquet_type type, struct bounds *to, const struct bounds *more)
{
	if (!more->known)
		return;
	if (!to->known) {
		*to = *more;
		return;
	}
	if (bounds_compare(type, &more->least, &to->least) < 0)
		to->least = more->least;
	if (bounds_compare(type, &more->greatest, &to->greatest) > 0)
		to->greatest = more->greatest;
}
