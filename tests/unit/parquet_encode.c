// SPDX-License-Identifier: Apache-2.0
/* parquet: the encodings, UTF-8, bounds and dictionaries of pages, by the examples of Encodings.md and RFC 3629. */
#include "unit.h"

#include "parquet/bounds.h"
#include "parquet/dictionary.h"
#include "parquet/encode.h"
#include "parquet/thrift.h"
#include "parquet/utf8.h"

static void check_bytes(struct buf *b, const char *expected, size_t n)
{
	CHECK_EQ(b->len, n);
	CHECK(b->len == n && !memcmp(b->data, expected, n));
	buf_free(b);
}

static void packed_bits(void)
{
	const int64_t values[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, wide[] = { -1, 0, -1 };
	struct buf b = {0};

	encode_bits(&b, values, 8, 3);
	check_bytes(&b, "\x88\xc6\xfa", 3);
	encode_bits(&b, wide, 3, 64);
	check_bytes(&b, "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 24);
	encode_bits(&b, values, 8, 0);
	check_bytes(&b, "", 0);
}

/* A run of 16, then a group of packed bits with a value and seven zeros that fill it. */
static void hybrid(void)
{
	int64_t values[17];
	struct buf b = {0};
	size_t i;

	for (i = 0; i < 16; i++)
		values[i] = 4;
	values[16] = 1;
	encode_hybrid(&b, values, 17, 4);
	check_bytes(&b, "\x20\x04\x03\x01\0\0\0", 7);
	encode_hybrid(&b, values, 3, 4);
	check_bytes(&b, "\x03\x44\x04\0\0", 5);
	/* Of one bit a run has to be longer. */
	values[16] = values[0];
	for (i = 0; i < 17; i++)
		values[i] = 1;
	encode_hybrid(&b, values, 17, 1);
	check_bytes(&b, "\x07\xff\xff\x01", 4);
	encode_hybrid(&b, values, 0, 1);
	check_bytes(&b, "", 0);
}

static void deltas(void)
{
	const int64_t one_by_one[] = { 1, 2, 3, 4, 5 }, down[] = { 7, 5, 3, 1, 2, 3, 4, 5 },
		      far[] = { INT32_MIN, INT32_MAX }, one[] = { -1 };
	struct buf b = {0};

	encode_delta(&b, one_by_one, 5, false);
	check_bytes(&b, "\x80\x01\x04\x05\x02\x02\0\0\0\0", 10);
	/* Differences -2 -2 -2 1 1 1 1: above the least one 0 0 0 3 3 3 3, in whole bytes, of which there are 32. */
	encode_delta(&b, down, 8, false);
	check_bytes(&b, "\x80\x01\x04\x08\x0e\x03\x08\0\0\0\0\0\0\x03\x03\x03\x03"
		    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 42);
	/* Modulo 2^32 the difference is -1. */
	encode_delta(&b, far, 2, true);
	check_bytes(&b, "\x80\x01\x04\x02\xff\xff\xff\xff\x0f\x01\0\0\0\0", 14);
	encode_delta(&b, one, 1, false);
	check_bytes(&b, "\x80\x01\x04\x01\x01", 5);
}

static void fields_of_thrift(void)
{
	struct buf b = {0};
	struct thrift t;

	thrift_begin(&t, &b);
	thrift_i32(&t, 1, -1);
	thrift_bool(&t, 3, true);
	thrift_open(&t, 20);
	thrift_text(&t, 2, "ab");
	thrift_close(&t);
	thrift_list(&t, 21, THRIFT_I64, 2);
	thrift_element_int(&t, 1);
	thrift_element_int(&t, 300);
	thrift_close(&t);
	check_bytes(&b, "\x15\x01\x21\x0c\x28\x28\x02" "ab\0\x19\x26\x02\xd8\x04\0", 16);
	thrift_begin(&t, &b);
	thrift_list(&t, 1, THRIFT_BOOL, 15);
	check_bytes(&b, "\x19\xf1\x0f", 3);
}

static void check_repaired(const char *text, const char *expected)
{
	struct buf b = {0};

	utf8_repair(&b, text, strlen(text));
	buf_add_byte(&b, 0);
	CHECK_STR((const char *)b.data, expected);
	buf_free(&b);
}

static void texts_become_valid(void)
{
	CHECK_EQ(utf8_valid("h\xc3\xa9\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", 13), 13);
	CHECK_EQ(utf8_valid("\xc0\x80", 2), 0);
	CHECK_EQ(utf8_valid("a\xed\xa0\x80", 4), 1);
	CHECK_EQ(utf8_valid("\xf4\x90\x80\x80", 4), 0);
	CHECK_EQ(utf8_valid("12345678\xe2\x82", 10), 8);
	check_repaired("a\xff" "b", "a\xef\xbf\xbd" "b");
	check_repaired("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");
	check_repaired("", "");
	CHECK_EQ(utf8_cut("ab\xe2\x82\xac", 5, 4), 2);
	CHECK_EQ(utf8_cut("ab\xe2\x82\xac" "c", 6, 5), 5);
	CHECK_EQ(utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
}

static struct bounds bounds_of(const char *text)
{
	return bounds_of_texts(text, strlen(text), text, strlen(text));
}

/* The bounds of a text of BOUND_BYTES - @n letters, then @last, then one more letter. */
static struct bounds bounds_of_long(size_t n, const char *last)
{
	char text[BOUND_BYTES + 20];

	memset(text, 'a', BOUND_BYTES);
	snprintf(text + BOUND_BYTES - n, sizeof(text) - BOUND_BYTES + n, "%sz", last);
	return bounds_of(text);
}

static void bounds_of_long_texts(void)
{
	struct bounds b = bounds_of("short");
	char last[BOUND_BYTES + 5];
	size_t i;

	CHECK(b.known && b.least.exact && b.greatest.exact && b.greatest.n == 5);
	b = bounds_of_long(0, "");
	CHECK(b.known && !b.least.exact && !b.greatest.exact && b.least.n == BOUND_BYTES);
	CHECK_EQ(b.least.bytes[BOUND_BYTES - 1], 'a');
	CHECK_EQ(b.greatest.bytes[BOUND_BYTES - 1], 'b');
	/* A character that does not fit whole is left out. */
	b = bounds_of_long(1, "\xe2\x82\xac");
	CHECK(b.least.n == BOUND_BYTES - 1 && b.greatest.bytes[BOUND_BYTES - 2] == 'b');
	/* The character before the surrogates is followed by the one after them. */
	b = bounds_of_long(3, "\xed\x9f\xbf");
	CHECK(b.greatest.n == BOUND_BYTES && !memcmp(b.greatest.bytes + BOUND_BYTES - 3, "\xee\x80\x80", 3));
	/* There is no place for a longer one, so that the one before is raised. */
	b = bounds_of_long(1, "\x7f");
	CHECK(b.greatest.n == BOUND_BYTES - 1 && b.greatest.bytes[BOUND_BYTES - 2] == 'b');
	for (i = 0; i + 4 <= sizeof(last); i += 4)
		memcpy(last + i, "\xf4\x8f\xbf\xbf", 4);
	CHECK(!bounds_of_texts("a", 1, last, i).known);
}

static void bounds_of_values(void)
{
	const int64_t values[] = { -1, 5, INT64_MIN }, narrow[] = { 0xffffffff, 1 };
	const double reals[] = { 1.5, -0.0, 0.0 }, nan[] = { 1.0, __builtin_nan("") };
	int64_t bits[3];
	struct bounds b = bounds_of_numbers(PARQUET_I64, values, 3), more;

	CHECK(b.known && !memcmp(b.least.bytes, &values[2], 8) && !memcmp(b.greatest.bytes, &values[1], 8));
	b = bounds_of_numbers(PARQUET_U64, values, 3);
	CHECK(!memcmp(b.least.bytes, &values[1], 8) && !memcmp(b.greatest.bytes, &values[0], 8));
	b = bounds_of_numbers(PARQUET_U32, narrow, 2);
	CHECK(b.greatest.n == 4 && !memcmp(b.greatest.bytes, "\xff\xff\xff\xff", 4));
	more = bounds_of_numbers(PARQUET_U32, narrow + 1, 1);
	CHECK(bounds_compare(PARQUET_U32, &more.greatest, &b.greatest) < 0);
	bounds_join(PARQUET_U32, &more, &b);
	CHECK_EQ(bounds_compare(PARQUET_U32, &more.greatest, &b.greatest), 0);
	CHECK(!bounds_of_numbers(PARQUET_I64, values, 0).known);
	memcpy(bits, reals, sizeof(reals));
	b = bounds_of_numbers(PARQUET_F64, bits, 3);
	CHECK(b.known && !memcmp(b.least.bytes, &reals[1], 8) && !memcmp(b.greatest.bytes, &reals[0], 8));
	memcpy(bits, nan, sizeof(nan));
	CHECK(!bounds_of_numbers(PARQUET_F64, bits, 2).known);
}

static void dictionaries_are_bounded(void)
{
	struct dictionary d = {0};
	char text[1000] = "";
	int64_t i;

	for (i = 0; i < DICTIONARY_ENTRIES && dictionary_int(&d, i * i) == i; i++)
		;
	CHECK_EQ(i, DICTIONARY_ENTRIES);
	CHECK_EQ(dictionary_int(&d, -1), DICTIONARY_NONE);
	CHECK_EQ(dictionary_int(&d, 49), 7);
	dictionary_empty(&d);
	CHECK_EQ(dictionary_int(&d, 49), 0);
	dictionary_empty(&d);
	for (i = 1; dictionary_find(&d, text, sizeof(text)) == DICTIONARY_NONE; i++) {
		if (dictionary_add(&d, text, sizeof(text)) == DICTIONARY_NONE)
			break;
		memcpy(text, &i, sizeof(i));
	}
	CHECK(d.bytes.len <= DICTIONARY_BYTES && i * 1004 > DICTIONARY_BYTES - 2000);
	CHECK_EQ(dictionary_find(&d, "", 0), DICTIONARY_NONE);
	CHECK(dictionary_memory(&d) < 8 << 20);
	dictionary_free(&d);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(packed_bits), UNIT(hybrid), UNIT(deltas), UNIT(fields_of_thrift),
		UNIT(texts_become_valid), UNIT(bounds_of_long_texts), UNIT(bounds_of_values),
		UNIT(dictionaries_are_bounded), {0} });
}
