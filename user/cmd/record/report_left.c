// SPDX-License-Identifier: Apache-2.0
/* report_left: see report_left.h. */
#include "cmd/record/report_left.h"

#include <inttypes.h>

#include "v1write/steps.h"

enum { REPORT_DEFAULT = 22 };	/* of a trace of before Go 1.22, if no format is asked for */

void report_print_left(int version, const uint64_t *left, const char *prefix, FILE *f)
{
	char format[16];
	int i;

	v1_format_name(format, sizeof(format), version ? version : REPORT_DEFAULT);

	for (i = 0; i < V1_LEFT_KINDS; i++)
		if (left[i])
			fprintf(f, "%s%s %s: %s: %" PRIu64 "\n", prefix, v1_left_is_repair(i) ?
				"repaired for" : v1_left_is_added(i) ? "added for" :
				"left out, not in", format, v1_left_text(i), left[i]);
}
