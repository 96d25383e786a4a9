// SPDX-License-Identifier: Apache-2.0
/* parse: see parse.h. */
#include "cmd/parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/percent.h"
#include "capture/budget.h"
#include "v1/format.h"

bool parse_number(const char *s, unsigned long min, unsigned long max, unsigned long *ret)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*ret = strtoul(s, &end, 10);
	return !errno && !*end && *ret >= min && *ret <= max;
}

bool parse_duration(const char *s, double *seconds)
{
	return number_duration(s, seconds);
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
	if (!number_take(&s, &percent))
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

	if (!strcmp(s, "gotrace")) {
		*version = V1_GOTRACE;
		return true;
	}
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

bool parse_size(const char *s, uint64_t min, uint64_t max, uint64_t *ret)
{
	static const char units[] = "KMG";
	char *end;
	const char *u;
	unsigned long long n;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno || n > 1ULL << 33)
		return false;
	u = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (*end && (!u || end[1]))
		return false;
	if (u)
		n <<= 10 * (u - units + 1);
	*ret = n;
	return n >= min && n <= max;
}

bool parse_ring_size(const char *s, size_t *ret)
{
	uint64_t n;
	bool ok = parse_size(s, 4096, 1 << 30, &n);

	*ret = n;
	return ok && !(n & (n - 1));
}
