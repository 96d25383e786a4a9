// SPDX-License-Identifier: Apache-2.0
/* state: what the readers share; see state.h. */
#define _GNU_SOURCE
#include "proc/state.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void state_glob(struct containers *cs, const char *root, const char *pattern,
		void (*take)(struct containers *cs, const char *path))
{
	_cleanup_free_ char *all = xasprintf("%s%s", root, pattern);
	glob_t found;
	size_t i;

	if (glob(all, 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++)
		take(cs, found.gl_pathv[i]);
	globfree(&found);
}

char *state_component(const char *path, int i)
{
	const char *end = path + strlen(path), *s = end;

	for (;; i--, end = --s) {
		while (s > path && s[-1] != '/')
			s--;
		if (!i || s == path)
			return i ? xstrdup("") : xstrndup(s, (size_t)(end - s));
	}
}

pid_t state_pid_file(const char *path)
{
	FILE *f = fopen(path, "re");
	int pid = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%d", &pid) != 1 || pid < 0)
		pid = 0;
	fclose(f);
	return pid;
}
