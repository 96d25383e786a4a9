// SPDX-License-Identifier: Apache-2.0
/* short: see short.h. */
#include "top/short.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/units.h"

/* Returns how many decimals @value needs to have three digits. */
static int short_digits(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

struct short_text short_time(uint64_t ns)
{
	struct short_text t;

	snprintf(t.text, sizeof(t.text), "%.23s", unit_time_close((int64_t)ns).text);
	return t;
}

static struct short_text short_scaled(double value, double step, const char *const units[])
{
	struct short_text t;
	size_t i;

	for (i = 0, value /= step; value >= 999.5 && units[i + 1]; i++)
		value /= step;
	snprintf(t.text, sizeof(t.text), "%.*f%s", short_digits(value), value, units[i]);
	return t;
}

struct short_text short_count(uint64_t n)
{
	static const char *const units[] = { "k", "M", "G", "T", NULL };
	struct short_text t;

	if (n > 99999)
		return short_scaled((double)n, 1e3, units);
	snprintf(t.text, sizeof(t.text), "%" PRIu64, n);
	return t;
}

struct short_text short_bytes(uint64_t n)
{
	static const char *const units[] = { " kB", " MB", " GB", " TB", NULL };
	struct short_text t;

	if (n > 999)
		return short_scaled((double)n, 1e3, units);
	snprintf(t.text, sizeof(t.text), "%" PRIu64 " B", n);
	return t;
}

struct short_text short_real(double value)
{
	struct short_text t;

	if (value < 0)
		snprintf(t.text, sizeof(t.text), "-");
	else if (value < 0.005)
		snprintf(t.text, sizeof(t.text), "%s", value > 0 ? "<0.01" : "0");
	else if (value > 99999)
		return short_count((uint64_t)value);
	else
		snprintf(t.text, sizeof(t.text), "%.*f", short_digits(value), value);
	return t;
}
