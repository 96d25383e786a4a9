// SPDX-License-Identifier: Apache-2.0
/* put: parts of lines of the report for people: an instant, a place in the code. See parts.h. */
#include <inttypes.h>
#include <stdlib.h>
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

void report_put_wrapped(const char *text, unsigned indent, FILE *f)
{
	char *shown = show_dup(text), *word, *rest = shown;
	unsigned column = indent;

	while ((word = strsep(&rest, " "))) {
		unsigned n = (unsigned)strlen(word);

		if (column > indent && column + 1 + n > 110) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', f);
			column++;
		}
		fputs(word, f);
		column += n;
	}
	fputc('\n', f);
	free(shown);
}
