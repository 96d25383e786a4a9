// SPDX-License-Identifier: Apache-2.0
/* report_left: see report_left.h. */
#include "cmd/record/report_left.h"

#include <inttypes.h>

#include "v1write/steps.h"

void report_print_left(int version, const uint64_t *left, const char *prefix, FILE *f)
{
	int i;

	for (i = 0; i < V1_LEFT_KINDS; i++)
		if (left[i])
			fprintf(f, "%s%s go1.%d: %s: %" PRIu64 "\n", prefix, v1_left_is_repair(i) ?
				"repaired for" : v1_left_is_added(i) ? "added for" :
				"left out, not in", version, v1_left_text(i), left[i]);
}
