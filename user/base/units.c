// SPDX-License-Identifier: Apache-2.0
/* units: see units.h. */
#include "base/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/show.h"

struct unit_text unit_time(int64_t ns)
{
	static const char *const units[] = { "us", "ms", "s" };
	struct unit_text t;
	double value = (double)ns;
	size_t i;

	if (ns < 1000) {
		snprintf(t.text, sizeof(t.text), "%" PRId64 " ns", ns);
		return t;
	}
	for (i = 0, value /= 1e3; value >= 999.5 && i < 2; i++)
		value /= 1e3;
	snprintf(t.text, sizeof(t.text), "%.*f %s",
		 value < 9.995 ? 2 :
		 value < 99.95 ? 1 :
				 0,
		 value, units[i]);
	return t;
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
	bool near = percent < 100 && percent >= 99.5;	/* not all of it */

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
