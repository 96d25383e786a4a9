// SPDX-License-Identifier: Apache-2.0
/* parse: what options take and what they refuse. */
#include "unit.h"

#include "cmd/parse.h"

static void numbers_are_digits_within_limits(void)
{
	static const char *const wrong[] = { "", " 1", "1 ", "-1", "+1", "0x10", "1.0", "9", "101",
					     "99999999999999999999999" };
	unsigned long n;
	size_t i;

	CHECK(parse_number("10", 10, 100, &n) && n == 10);
	CHECK(parse_number("100", 10, 100, &n) && n == 100);
	CHECK(parse_number("0042", 10, 100, &n) && n == 42);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!parse_number(wrong[i], 10, 100, &n));
}

static void durations_have_units(void)
{
	static const struct { const char *text; double seconds; } right[] = {
		{ "5", 5 }, { "5s", 5 }, { "500ms", 0.5 }, { "2m", 120 }, { "1h", 3600 },
		{ "1.5s", 1.5 }, { ".5", 0.5 }, { "100us", 1e-4 }, { "1m30s", 90 },
		{ "10000h", 3.6e7 }, { "1.s", 1 }, { "1h0m0.5s", 3600.5 }, { "0m2s", 2 },
	};
	static const char *const wrong[] = { "", "s", "0", "0s", "-5", "5 s", "5sec", "5x", "inf",
					     "nan", "1e999", "5s ", "1m30", "1m 30s", "1mm", "0m0s",
					     "1m-5s", "1e3s", "1e3", "0x10s", "0x1", "99999999h",
					     "10001h", ".", ".s", "1..5s", "1.5.5s", "infs" };
	double s;
	size_t i;

	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		CHECK(parse_duration(right[i].text, &s));
		CHECK(s > right[i].seconds * 0.999999 && s < right[i].seconds * 1.000001);
	}
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!parse_duration(wrong[i], &s));
}

static void formats_are_those_that_exist(void)
{
	static const char *const wrong[] = { "", "go", "go1.24", "1.24", "1.20", "go1.27", "22x",
					     "go 1.22", "1.22.1", "2.25" };
	int v = 0;
	size_t i;

	CHECK(parse_format("go1.22", &v) && v == 22);
	CHECK(parse_format("1.23", &v) && v == 23);
	CHECK(parse_format("go1.25", &v) && v == 25);
	CHECK(parse_format("26", &v) && v == 26);
	CHECK(parse_format("go1.8", &v) && v == 8);
	CHECK(parse_format("gotrace", &v) && v == 4);
	CHECK(!parse_format("go1.4", &v));
	CHECK(parse_format("go1.11", &v) && v == 11);
	CHECK(parse_format("1.19", &v) && v == 19);
	CHECK(parse_format("21", &v) && v == 21);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!parse_format(wrong[i], &v));
}

static void ring_sizes_are_powers_of_two(void)
{
	static const char *const wrong[] = { "", "K", "0", "4095", "2048", "5000", "3M", "2G", "4KB",
					     "-4K", "4 K", "4T", "99999999999999999999", "1025M" };
	size_t n, i;

	CHECK(parse_ring_size("4096", &n) && n == 4096);
	CHECK(parse_ring_size("4K", &n) && n == 4096);
	CHECK(parse_ring_size("16m", &n) && n == 16 << 20);
	CHECK(parse_ring_size("1G", &n) && n == 1 << 30);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!parse_ring_size(wrong[i], &n));
}

static void budgets(void)
{
	static const char *const wrong[] = { "", "0", "-1", "x", "5x", "nan", "inf", "1e999", "5 ", "%" };
	double ns;
	size_t i;

	CHECK(parse_budget("none", &ns) && ns == 0);
	CHECK(parse_budget("100", &ns) && ns == 1e9);
	CHECK(parse_budget("0.5%", &ns) && ns == 5e6);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!parse_budget(wrong[i], &ns));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(numbers_are_digits_within_limits),
		UNIT(durations_have_units),
		UNIT(formats_are_those_that_exist),
		UNIT(ring_sizes_are_powers_of_two),
		UNIT(budgets), {0} });
}
