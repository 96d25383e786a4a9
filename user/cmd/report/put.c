// SPDX-License-Identifier: Apache-2.0
/* put: parts of lines of the report for people: an instant, a place in the code. See parts.h. */
#include <inttypes.h>
#include <string.h>

#include "base/show.h"
#include "base/units.h"
#include "cmd/report/parts.h"

void report_put_instant(const struct trace_report *r, uint32_t trace, int64_t time, FILE *f)
{
	fputs(unit_instant(time - trace_at(r, trace)->first).text, f);
	if (!is_one(r))
		fprintf(f, " of trace %" PRIu32, trace + 1);
}

void report_put_place(const char *file, uint64_t line, FILE *f)
{
	const char *base = strrchr(file, '/');

	if (*file)
		show_printf(f, "%s:%" PRIu64, base ? base + 1 : file, line);
}
