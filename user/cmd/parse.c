// SPDX-License-Identifier: Apache-2.0
/* parse: see parse.h. */
#include "cmd/parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "capture/budget.h"

/* Ten thousand hours: longer is a slip of the hand. */
static const double DURATION_MAX = 10000.0 * 3600;

bool parse_number(const char *s, unsigned long min, unsigned long max, unsigned long *ret)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*ret = strtoul(s, &end, 10);
	return !errno && !*end && *ret >= min && *ret <= max;
}

/* Digits, and digits behind a point, as they are: no exponent, no hexadecimal. @s moves behind them. */
static bool take_decimal(const char **s, double *ret)
{
	size_t whole = strspn(*s, "0123456789"), part = 0;

	if ((*s)[whole] == '.')
		part = 1 + strspn(*s + whole + 1, "0123456789");
	if (whole + part == 0 || (part == 1 && !whole))
		return false;
	*ret = strtod(*s, NULL);	/* may go on to an exponent, whose letter no caller takes */
	*s += whole + part;
	return true;
}

/* Seconds in the unit that begins @s, 0 if none does; @s moves behind it. */
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

/* As Go prints them, "1m30s", or seconds, "90". */
bool parse_duration(const char *s, double *seconds)
{
	double n, unit;

	*seconds = 0;
	do {
		if (!take_decimal(&s, &n))
			return false;
		unit = !*s && !*seconds ? 1 : take_unit(&s);
		if (!unit)
			return false;
		*seconds += n * unit;
	} while (*s);
	return *seconds > 0 && *seconds <= DURATION_MAX;
}

bool parse_instant(const char *s, double *seconds)
{
	if (parse_duration(s, seconds))
		return *seconds <= 9e9;
	*seconds = 0;
	return s[strspn(s, "0")] == '\0' ? *s : *s == '0' && strspn(s, "0.hmsun") == strlen(s);
}

bool parse_budget(const char *s, double *ret)
{
	double percent;

	*ret = BUDGET_NONE;
	if (!strcmp(s, "none"))
		return true;
	if (!take_decimal(&s, &percent))
		return false;
	*ret = percent_to_ns(percent);
	s += *s == '%';
	return !*s && *ret > 0 && isfinite(*ret);
}

bool parse_format(const char *s, int *version)
{
	static const int known[] = { 8, 11, 19, 21, 22, 23, 25, 26 };
	unsigned long n;
	size_t i;

	if (!strncmp(s, "go", 2))
		s += 2;
	if (!strncmp(s, "1.", 2))
		s += 2;
	if (!parse_number(s, 0, 99, &n))
		return false;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if ((int)n != known[i])
			continue;
		*version = known[i];
		return true;
	}
	return false;
}

bool parse_symbols(const char *s, enum symbol_source *ret)
{
	static const char *const names[] = {
		[SYMBOL_AUTO] = "auto", [SYMBOL_DWARF] = "dwarf", [SYMBOL_PCLNTAB] = "pclntab",
	};
	enum symbol_source i;

	for (i = SYMBOL_AUTO; i <= SYMBOL_PCLNTAB; i++) {
		if (!strcmp(s, names[i])) {
			*ret = i;
			return true;
		}
	}
	return false;
}

bool parse_release(const char *s, int *minor)
{
	unsigned long n;

	if (!strncmp(s, "go", 2))
		s += 2;
	if (strncmp(s, "1.", 2) || !parse_number(s + 2, 15, 99, &n))
		return false;
	*minor = (int)n;
	return true;
}

bool parse_ring_size(const char *s, size_t *ret)
{
	static const char units[] = "KMG";
	char *end;
	const char *u;
	unsigned long long n;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno || n > 1ULL << 30)
		return false;
	u = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (*end && (!u || end[1]))
		return false;
	if (u)
		n <<= 10 * (u - units + 1);
	*ret = n;
	return n >= 4096 && n <= 1ULL << 30 && !(n & (n - 1));
}
