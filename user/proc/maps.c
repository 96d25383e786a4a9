// SPDX-License-Identifier: Apache-2.0
/* maps: see maps.h. */
#include "proc/maps.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAPS_MAX = 64 << 20 };

/* START-END PERM OFFSET DEVICE INODE PATH */
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

void maps_file(const struct procfs *fs, pid_t pid, const struct mapping *map,
	       char ret[PROCFS_PATH])
{
	char what[PROCFS_PATH];

	snprintf(what, sizeof(what), "map_files/%" PRIx64 "-%" PRIx64, map->start, map->end);
	procfs_path(fs, pid, what, ret);
	if (!access(ret, R_OK))
		return;
	snprintf(what, sizeof(what), "root%.200s", map->path);
	procfs_path(fs, pid, what, ret);
}
