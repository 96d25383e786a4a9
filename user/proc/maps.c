// SPDX-License-Identifier: Apache-2.0
/* maps: see maps.h. */
#define _GNU_SOURCE
#include "proc/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

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

static int below_root(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));	/* Linux 5.6 */
}

int maps_open(const struct procfs *fs, pid_t pid, int root, const struct mapping *map)
{
	char what[64], path[PROCFS_PATH];
	_cleanup_close_ int fd = -1;
	struct stat st;
	int file;

	snprintf(what, sizeof(what), "map_files/%" PRIx64 "-%" PRIx64, map->start, map->end);
	procfs_path(fs, pid, what, path);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 && root >= 0)
		fd = below_root(root, map->path);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = open(path, O_RDONLY | O_CLOEXEC);
	return file < 0 ? -errno : file;
}
