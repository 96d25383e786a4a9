// SPDX-License-Identifier: Apache-2.0
/* encode: see encode.h. The machines that gotap runs on are little-endian, as the format is. */
#include "parquet/encode.h"

#include <string.h>

#include "parquet/thrift.h"

enum { DELTA_BLOCK = 128, DELTA_MINIS = 4, DELTA_MINI = DELTA_BLOCK / DELTA_MINIS };
/* Values of a group of packed bits in the hybrid. */
enum { HYBRID_GROUP = 8 };

void encode_bits(struct buf *out, const int64_t *values, size_t n, unsigned int width)
{
	uint64_t word = 0, value;
	unsigned int bits = 0;
	uint8_t *to;
	size_t i;

	/* Whole words are stored: up to seven bytes more than the result. */
	buf_reserve(out, n * width / 8 + 16);
	to = out->data + out->len;
	for (i = 0; i < n; i++) {
		value = (uint64_t)values[i];
		word |= value << bits;
		if (bits + width >= 64) {
			memcpy(to, &word, sizeof(word));
			to += sizeof(word);
			word = bits ? value >> (64 - bits) : 0;
			bits = bits + width - 64;
		} else {
			bits += width;
		}
	}
	memcpy(to, &word, sizeof(word));
	out->len = (size_t)(to - out->data) + (bits + 7) / 8;
}

/* Groups of packed bits; the last one is filled with zeros. */
static void hybrid_groups(struct buf *out, const int64_t *values, size_t n, unsigned int width)
{
	static const int64_t zeros[HYBRID_GROUP];
	size_t groups = (n + HYBRID_GROUP - 1) / HYBRID_GROUP, whole = n - n % HYBRID_GROUP;
	int64_t last[HYBRID_GROUP];

	if (!n)
		return;
	thrift_varint(out, groups << 1 | 1);
	encode_bits(out, values, whole, width);
	if (whole == n)
		return;
	memcpy(last, zeros, sizeof(last));
	memcpy(last, values + whole, (n - whole) * sizeof(*values));
	encode_bits(out, last, HYBRID_GROUP, width);
}

void encode_run(struct buf *out, int64_t value, size_t n, unsigned int width)
{
	thrift_varint(out, n << 1);
	buf_add(out, &value, (width + 7) / 8);
}

/* Whether all values of a group are @value: without branches, for the compiler's vectors. */
static bool hybrid_group_is(const int64_t *values, int64_t value)
{
	int64_t other = 0;
	size_t i;

	for (i = 0; i < HYBRID_GROUP; i++)
		other |= values[i] ^ value;
	return !other;
}

/* The number of first values that are the same, rounded down to groups unless they are the last. */
static size_t hybrid_same(const int64_t *values, size_t n)
{
	size_t i = 0, j;

	while (n - i >= HYBRID_GROUP && hybrid_group_is(values + i, values[0]))
		i += HYBRID_GROUP;
	for (j = i; j < n && n - i < HYBRID_GROUP && values[j] == values[0]; j++)
		;
	return j == n ? n : i;
}

/* Runs begin and end at groups, so that each group is looked at once. */
void encode_hybrid(struct buf *out, const int64_t *values, size_t n, unsigned int width)
{
	/* A run takes some four bytes, with the header of the groups after it. */
	size_t worth = width >= 4 ? HYBRID_GROUP : 32 / width, begin = 0, i, same;

	for (i = 0; i < n; i += same ? same : HYBRID_GROUP) {
		same = hybrid_same(values + i, n - i);
		if (same < worth)
			continue;
		hybrid_groups(out, values + begin, i - begin, width);
		encode_run(out, values[i], same, width);
		begin = i + same;
	}
	hybrid_groups(out, values + begin, n - begin, width);
}

/* The @n differences of @n + 1 values, modulo 2^64, or 2^32 if @narrow. Returns the least one. */
static int64_t delta_differences(int64_t *to, const int64_t *values, size_t n, bool narrow)
{
	int64_t least = INT64_MAX;
	uint64_t d;
	size_t i;

	for (i = 0; i < n; i++) {
		d = (uint64_t)values[i + 1] - (uint64_t)values[i];
		to[i] = narrow ? (int32_t)(uint32_t)d : (int64_t)d;
		least = to[i] < least ? to[i] : least;
	}
	return least;
}

/* A block of @n differences, from 1 to DELTA_BLOCK, of @n + 1 values. */
static void delta_block(struct buf *out, const int64_t *values, size_t n, bool narrow)
{
	int64_t differences[DELTA_BLOCK] = {0}, least;
	uint8_t widths[DELTA_MINIS] = {0};
	size_t i, mini, most = 0;
	uint64_t all;

	least = delta_differences(differences, values, n, narrow);
	for (i = 0; i < n; i++)
		differences[i] = (int64_t)((uint64_t)differences[i] - (uint64_t)least);
	thrift_zigzag(out, least);
	for (mini = 0; mini * DELTA_MINI < n; mini++, most = mini) {
		for (all = 0, i = mini * DELTA_MINI; i < (mini + 1) * DELTA_MINI; i++)
			all |= (uint64_t)differences[i];
		widths[mini] = (uint8_t)encode_whole_bytes(encode_width(all));
	}
	buf_add(out, widths, sizeof(widths));
	for (mini = 0; mini < most; mini++)
		encode_bits(out, differences + mini * DELTA_MINI, DELTA_MINI, widths[mini]);
}

void encode_delta(struct buf *out, const int64_t *values, size_t n, bool narrow)
{
	size_t i, more;

	thrift_varint(out, DELTA_BLOCK);
	thrift_varint(out, DELTA_MINIS);
	thrift_varint(out, n);
	thrift_zigzag(out, narrow ? (int32_t)values[0] : values[0]);
	for (i = 1; i < n; i += more) {
		more = n - i < DELTA_BLOCK ? n - i : DELTA_BLOCK;
		delta_block(out, values + i - 1, more, narrow);
	}
}

void encode_plain(struct buf *out, const int64_t *values, size_t n, bool narrow)
{
	uint8_t *to;
	size_t i;

	if (!narrow) {
		buf_add(out, values, n * sizeof(*values));
		return;
	}
	buf_reserve(out, n * sizeof(uint32_t));
	to = out->data + out->len;
	for (i = 0; i < n; i++)
		memcpy(to + i * sizeof(uint32_t), &values[i], sizeof(uint32_t));
	out->len += n * sizeof(uint32_t);
}

void encode_u32(struct buf *out, uint32_t value)
{
	buf_add(out, &value, sizeof(value));
}
