// SPDX-License-Identifier: Apache-2.0
/* units: see units.h. */
#include "base/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/show.h"

static const struct {
	uint64_t ns;
	const char *name;
} units_of_time[] = { { 1, "ns" }, { 1000, "us" }, { 1000000, "ms" }, { 1000000000, "s" } };

enum { UNITS_LARGEST = sizeof(units_of_time) / sizeof(*units_of_time) - 1 };

struct unit_scaled unit_scale(double ns)
{
	size_t i = UNITS_LARGEST;

	while (i && (ns < 0 ? -ns : ns) < (double)units_of_time[i].ns)
		i--;
	return (struct unit_scaled){ ns / (double)units_of_time[i].ns, units_of_time[i].ns,
				     units_of_time[i].name };
}

/* Takes the next larger unit where three digits would round to 1000. */
static struct unit_text units_three_digits(int64_t ns, const char *space)
{
	struct unit_text t;
	double value = (double)ns;
	size_t i;

	if (ns < 1000) {
		snprintf(t.text, sizeof(t.text), "%" PRId64 "%s%s", ns, space,
			 units_of_time[0].name);
		return t;
	}
	for (i = 1, value /= 1e3; value >= 999.5 && i < UNITS_LARGEST; i++)
		value /= 1e3;
	snprintf(t.text, sizeof(t.text), "%.*f%s%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0,
		 value, space, units_of_time[i].name);
	return t;
}

struct unit_text unit_time(int64_t ns)
{
	return units_three_digits(ns, " ");
}

struct unit_text unit_time_close(int64_t ns)
{
	return units_three_digits(ns, "");
}

struct unit_text unit_instant(int64_t ns)
{
	struct unit_text t;

	snprintf(t.text, sizeof(t.text), "%.6f s", (double)ns / 1e9);
	return t;
}

struct unit_text unit_share(double part, double whole)
{
	struct unit_text t = { "-" };
	double percent = whole > 0 ? part / whole * 100 : 0;
	bool near = percent < 100 && percent >= 99.5;	/* a part must not round to the whole */

	if (whole > 0 && part > 0 && percent < 0.005)
		snprintf(t.text, sizeof(t.text), "<0.01 %%");
	else if (whole > 0)
		snprintf(t.text, sizeof(t.text), "%.*f %%", !(part > 0) ? 0 : percent < 0.095 ? 2 :
			 percent < 9.95 || near ? 1 : 0, near && percent > 99.9 ? 99.9 : percent);
	return t;
}

struct unit_text unit_count(uint64_t n)
{
	char digits[24];
	struct unit_text t;
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n), i, k = 0;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			t.text[k++] = ' ';
		t.text[k++] = digits[i];
	}
	t.text[k] = 0;
	return t;
}

struct unit_text unit_bytes(uint64_t n)
{
	char size[SHOW_SIZE];
	struct unit_text t;

	snprintf(t.text, sizeof(t.text), "%.31s", show_size(n, size));
	return t;
}

static size_t units_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

void unit_name(FILE *f, const char *name, unsigned width)
{
	_cleanup_free_ char *shown = show_dup(name);
	const char *text = shown;
	size_t n = units_columns(text), cut = n > width ? n - width + 3 : 0;

	for (; cut; cut--)
		for (text++; (*text & 0xc0) == 0x80; text++)
			;
	fprintf(f, "%s%s%*s", text == shown ? "" : "...", text, n < width ? (int)(width - n) : 0,
		"");
}
