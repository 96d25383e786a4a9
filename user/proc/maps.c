// SPDX-License-Identifier: Apache-2.0
/* maps: see maps.h. */
#define _GNU_SOURCE
#include "proc/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/open_under.h"

enum { MAPS_MAX = 64 << 20 };

/* Reads a line: START-END PERM OFFSET DEVICE INODE PATH */
static bool read_mapping(char *line, struct mapping *ret)
{
	char exec;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64 " %*s %*s %n",
		   &ret->start, &ret->end, &exec, &ret->offset, &at) < 4 || !at)
		return false;
	ret->path = line + at;
	return exec == 'x' && *ret->path == '/';
}

int maps_read(struct maps *m, const struct procfs *fs, pid_t pid)
{
	char *line, *rest;
	struct mapping map;
	int r;

	*m = (struct maps){0};
	r = procfs_read(fs, pid, "maps", MAPS_MAX, &m->text);
	if (r)
		return r;
	for (rest = (char *)m->text.data; (line = strsep(&rest, "\n"));)
		if (read_mapping(line, &map))
			*(struct mapping *)vec_push(&m->code, sizeof(map)) = map;
	return 0;
}

void maps_free(struct maps *m)
{
	buf_free(&m->text);
	vec_free(&m->code);
}

int maps_open(const struct procfs *fs, pid_t pid, int root, const struct mapping *map)
{
	char what[64], path[PROCFS_PATH];
	int fd;

	snprintf(what, sizeof(what), "map_files/%" PRIx64 "-%" PRIx64, map->start, map->end);
	procfs_path(fs, pid, what, path);
	fd = open_regular(path);
	return fd < 0 && fd != -ENOEXEC && root >= 0 ? open_under_at(root, map->path) : fd;
}
