// SPDX-License-Identifier: Apache-2.0
/* number: see number.h. */
#include "base/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* 10,000 hours: a longer time is most likely a typing error. */
static const double DURATION_MAX = 10000.0 * 3600;

bool number_take(const char **s, double *ret)
{
	size_t whole = strspn(*s, "0123456789"), part = 0;

	if ((*s)[whole] == '.')
		part = 1 + strspn(*s + whole + 1, "0123456789");
	if (whole + part == 0 || (part == 1 && !whole))
		return false;
	/* strtod() may read an exponent, too; callers refuse the letter e after the digits. */
	*ret = strtod(*s, NULL);
	*s += whole + part;
	return true;
}

/* Returns the seconds of the unit at the begin of @s and moves @s after it; 0: no unit is there. */
static double take_unit(const char **s)
{
	static const struct { const char *unit; double seconds; } units[] = {
		{ "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "m", 60 }, { "h", 3600 },
	};
	size_t i, n = strcspn(*s, "0123456789.");

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (n == strlen(units[i].unit) && !strncmp(*s, units[i].unit, n)) {
			*s += n;
			return units[i].seconds;
		}
	return 0;
}

/* Accepts a duration as Go prints it, "1m30s", or seconds, "90". */
bool number_duration(const char *s, double *seconds)
{
	double n, unit;

	*seconds = 0;
	do {
		if (!number_take(&s, &n))
			return false;
		unit = !*s && !*seconds ? 1 : take_unit(&s);
		if (!unit)
			return false;
		*seconds += n * unit;
	} while (*s);
	return *seconds > 0 && *seconds <= DURATION_MAX;
}

bool number_size(const char *s, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *u;
	double n;

	if (!number_take(&s, &n))
		return false;
	u = *s ? strchr(units, toupper((unsigned char)*s)) : NULL;
	if (u) {
		n *= (double)(1ULL << 10 * (u - units + 1));
		s += s[1] == 'i' && s[2] == 'B' ? 3 : s[1] == 'B' ? 2 : 1;
	} else if (*s == 'B') {
		s++;
	}
	*bytes = n < 9e18 ? (uint64_t)n : 0;
	return !*s && *bytes;
}
