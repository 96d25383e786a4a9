// SPDX-License-Identifier: Apache-2.0
/* units: a duration as text: its unit, and where three digits round into the next unit. */
#include "unit.h"

#include <stdint.h>
#include <string.h>

#include "base/units.h"

struct duration_row {
	int64_t ns;
	double value;		/* of the largest unit of which there is one */
	const char *unit, *text, *close;
};

static const struct duration_row durations[] = {
	{ 0, 0, "ns", "0 ns", "0ns" },
	{ 999, 999, "ns", "999 ns", "999ns" },
	{ 1000, 1, "us", "1.00 us", "1.00us" },
	{ 12300, 12.3, "us", "12.3 us", "12.3us" },
	{ 999499, 999.499, "us", "999 us", "999us" },
	{ 999500, 999.5, "us", "1.00 ms", "1.00ms" },
	{ 1000000, 1, "ms", "1.00 ms", "1.00ms" },
	{ 999999999, 999.999999, "ms", "1.00 s", "1.00s" },
	{ 1000000000, 1, "s", "1.00 s", "1.00s" },
	{ 3600000000000, 3600, "s", "3600 s", "3600s" },
};

enum { DURATIONS = sizeof(durations) / sizeof(*durations) };

static double differ(double a, double b)
{
	return a < b ? b - a : a - b;
}

static void durations_have_the_largest_unit(void)
{
	size_t i;

	for (i = 0; i < DURATIONS; i++) {
		const struct duration_row *d = &durations[i];
		struct unit_scaled u = unit_scale((double)d->ns);

		CHECK(!strcmp(u.name, d->unit));
		CHECK(differ(u.value, d->value) < 1e-9);
		CHECK(differ(u.value * (double)u.ns, (double)d->ns) < 1e-3);
	}
}

static void a_negative_duration_has_the_same_unit(void)
{
	struct unit_scaled u = unit_scale(-1500);

	CHECK(!strcmp(u.name, "us"));
	CHECK(differ(u.value, -1.5) < 1e-9);
}

static void three_digits_round_into_the_next_unit(void)
{
	size_t i;

	for (i = 0; i < DURATIONS; i++) {
		CHECK(!strcmp(unit_time(durations[i].ns).text, durations[i].text));
		CHECK(!strcmp(unit_time_close(durations[i].ns).text, durations[i].close));
	}
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(durations_have_the_largest_unit), UNIT(a_negative_duration_has_the_same_unit),
		UNIT(three_digits_round_into_the_next_unit), {0} });
}
