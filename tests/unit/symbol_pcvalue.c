// SPDX-License-Identifier: Apache-2.0
/* Tables of .gopclntab from addresses to numbers, written by hand. */
#include "symbol/pcvalue.h"

#include "unit.h"

/* Deltas are zig-zag: 2 is +1, 1 is -1, 4 is +2; the first counts from -1. */
static void runs_follow_each_other(void)
{
	static const uint8_t table[] = { 2, 4, 20, 3, 1, 1, 0 };
	struct pcvalue v = pcvalue_start(table, sizeof(table), 1);

	CHECK(pcvalue_next(&v));
	CHECK(v.value == 0 && v.start == 0 && v.stop == 4);
	CHECK(pcvalue_next(&v));
	CHECK(v.value == 10 && v.start == 4 && v.stop == 7);
	CHECK(pcvalue_next(&v));
	CHECK(v.value == 9 && v.start == 7 && v.stop == 8);
	CHECK(!pcvalue_next(&v));
}

static void values_by_offset(void)
{
	static const uint8_t table[] = { 2, 4, 20, 3, 0 };

	CHECK_EQ(pcvalue_at(table, sizeof(table), 1, 0), 0);
	CHECK_EQ(pcvalue_at(table, sizeof(table), 1, 3), 0);
	CHECK_EQ(pcvalue_at(table, sizeof(table), 1, 4), 10);
	CHECK_EQ(pcvalue_at(table, sizeof(table), 1, 6), 10);
	CHECK(pcvalue_at(table, sizeof(table), 1, 7) == -1);
}

/* The first delta may be 0, meaning -1; it ends the table only later. */
static void first_delta_may_be_zero(void)
{
	static const uint8_t table[] = { 0, 5, 2, 5, 0 };

	CHECK(pcvalue_at(table, sizeof(table), 1, 4) == -1);
	CHECK_EQ(pcvalue_at(table, sizeof(table), 1, 5), 0);
}

/* arm64: addresses count in units of 4 bytes, in which an offset may lie anywhere. */
static void addresses_count_in_quanta(void)
{
	static const uint8_t table[] = { 2, 4, 20, 3, 0 };

	CHECK_EQ(pcvalue_at(table, sizeof(table), 4, 15), 0);
	CHECK_EQ(pcvalue_at(table, sizeof(table), 4, 16), 10);
	CHECK_EQ(pcvalue_at(table, sizeof(table), 4, 27), 10);
	CHECK(pcvalue_at(table, sizeof(table), 4, 28) == -1);
}

static void long_varints(void)
{
	/* +1000 (zig-zag 2000 = 0xd0 0x0f), for 300 bytes (0xac 0x02) */
	static const uint8_t table[] = { 0xd0, 0x0f, 0xac, 0x02, 0 };
	/* the largest of five bytes: -0x80000000, which wraps below -1 */
	static const uint8_t wide[] = { 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0 };

	CHECK_EQ(pcvalue_at(table, sizeof(table), 1, 299), 999);
	CHECK(pcvalue_at(table, sizeof(table), 1, 300) == -1);
	CHECK(pcvalue_at(wide, sizeof(wide), 1, 0) == INT32_MAX);
}

static void broken_tables_end(void)
{
	static const uint8_t endless[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1 };
	static const uint8_t cut[] = { 2, 4, 0x80 };

	CHECK(pcvalue_at(endless, sizeof(endless), 1, 0) == -1);
	CHECK_EQ(pcvalue_at(cut, sizeof(cut), 1, 3), 0);
	CHECK(pcvalue_at(cut, sizeof(cut), 1, 4) == -1);
	CHECK(pcvalue_at(cut, 1, 1, 0) == -1);
	CHECK(pcvalue_at(NULL, 0, 1, 0) == -1);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(runs_follow_each_other), UNIT(values_by_offset),
		UNIT(first_delta_may_be_zero), UNIT(addresses_count_in_quanta),
		UNIT(long_varints), UNIT(broken_tables_end),
		{ 0 } });
}
