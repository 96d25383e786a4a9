// SPDX-License-Identifier: Apache-2.0
/* glob: see glob.h. */
#include "base/glob.h"

#include <stddef.h>

/*
 * The last `*` takes as few bytes as it can, and one more each time that what follows it does not
 * match. Earlier ones need not be tried again: whatever they could take, the last one can.
 */
bool glob_match(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			from = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
