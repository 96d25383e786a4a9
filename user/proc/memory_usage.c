// SPDX-License-Identifier: Apache-2.0
/* memory_usage: see memory_usage.h. */
#define _GNU_SOURCE
#include "proc/memory_usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/cgroup.h"
#include "proc/cgroup_limits.h"

enum { CGROUP_TEXT = 65536 };

/* Larger limits are none: version 1 shows the largest number of whole pages. */
#define NO_LIMIT (1ULL << 60)

struct usage_level {
	int limit, used, stat;	/* @stat: -1: none */
	const char *unused;	/* name of a value in @stat */
	unsigned int up;
};

/* --- open --- */

static int usage_file(const char *folder, const char *name)
{
	char path[CGROUP_FOLDER + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void usage_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void usage_close_level(struct usage_level *l)
{
	usage_close(&l->limit);
	usage_close(&l->used);
	usage_close(&l->stat);
}

static void usage_add_level(struct memory_usage_files *f, const char *folder, bool v2,
			    unsigned int up)
{
	const struct cgroup_limit *names = cgroup_limit_that_kills(v2);
	struct usage_level l = { usage_file(folder, names->limit), usage_file(folder, names->used),
				 usage_file(folder, "memory.stat"), names->reclaimable, up };

	if (l.limit >= 0 && l.used >= 0) {
		*(struct usage_level *)vec_push(&f->levels, sizeof(l)) = l;
		return;
	}
	usage_close_level(&l);
}

/* If both versions are mounted, one has the controller: the other one's folder has no such file. */
static void usage_add_mount(struct memory_usage_files *f, const struct cgroup_mount *mount,
			    const char *text)
{
	enum { LEVELS = 16 };
	char folder[CGROUP_FOLDER];
	unsigned int up = 0;

	if (!cgroup_mount_folder(mount, text, "memory", folder))
		return;
	if (f->kills < 0)
		f->kills = usage_file(folder, cgroup_kills_file(mount->v2));
	do
		usage_add_level(f, folder, mount->v2, up++);
	while (up < LEVELS && cgroup_mount_up(folder, mount));
	if (f->kills >= 0 || f->levels.len)
		cgroup_path(text, mount->v2 ? "" : "memory", f->cgroup, sizeof(f->cgroup));
}

void memory_usage_open(struct memory_usage_files *f, const struct procfs *fs, pid_t pid,
		       const char *mountinfo)
{
	struct cgroup_mounts mounts;
	char path[PROCFS_PATH];
	struct buf text = {0};
	size_t i;

	*f = (struct memory_usage_files){ .kills = -1, .page = sysconf(_SC_PAGESIZE) };
	procfs_path(fs, 0, "meminfo", path);
	f->machine = open(path, O_RDONLY | O_CLOEXEC);
	procfs_path(fs, pid, "statm", path);
	f->process = open(path, O_RDONLY | O_CLOEXEC);
	if (!procfs_read(fs, pid, "cgroup", CGROUP_TEXT, &text)) {
		cgroup_mounts_find(&mounts, mountinfo);
		for (i = 0; i < mounts.all.len && !f->levels.len; i++)
			usage_add_mount(f, vec_at(&mounts.all, struct cgroup_mount, i),
					(const char *)text.data);
		cgroup_mounts_free(&mounts);
	}
	buf_free(&text);
}

void memory_usage_close(struct memory_usage_files *f)
{
	size_t i;

	for (i = 0; i < f->levels.len; i++)
		usage_close_level(vec_at(&f->levels, struct usage_level, i));
	vec_free(&f->levels);
	usage_close(&f->kills);
	usage_close(&f->machine);
	usage_close(&f->process);
}

/* --- read --- */

static bool usage_text(int fd, char text[CGROUP_FILE])
{
	ssize_t n = fd < 0 ? -1 : pread(fd, text, CGROUP_FILE - 1, 0);

	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Takes the limit, if it has less room than the one so far. */
static bool usage_take(struct memory_usage *ret, uint64_t limit, uint64_t used)
{
	if (used > limit)
		used = limit;
	if (!limit || limit >= NO_LIMIT ||
	    (ret->limit && ret->limit - ret->used <= limit - used))
		return false;
	ret->limit = limit;
	ret->used = used;
	return true;
}

static void usage_read_level(const struct usage_level *l, struct memory_usage *ret)
{
	char text[CGROUP_FILE];
	uint64_t limit, used, unused;

	if (!usage_text(l->limit, text) || !strncmp(text, "max", 3))
		return;
	limit = strtoull(text, NULL, 10);
	if (!usage_text(l->used, text))
		return;
	used = strtoull(text, NULL, 10);
	unused = usage_text(l->stat, text) ? cgroup_value(text, l->unused, 1) : 0;
	if (usage_take(ret, limit, used > unused ? used - unused : 0))
		ret->up = l->up;
}

/* A value of meminfo, "MemTotal:       16384256 kB", in bytes. */
static uint64_t usage_meminfo(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) << 10 : 0;
}

void memory_usage_read(const struct memory_usage_files *f, struct memory_usage *ret)
{
	unsigned long long size, resident, shared;
	char text[CGROUP_FILE];
	uint64_t total, free;
	size_t i;

	*ret = (struct memory_usage){0};
	for (i = 0; i < f->levels.len; i++)
		usage_read_level(vec_at(&f->levels, struct usage_level, i), ret);
	if (usage_text(f->machine, text)) {
		total = usage_meminfo(text, "MemTotal:");
		free = usage_meminfo(text, "MemAvailable:");
		ret->of_machine = usage_take(ret, total, total > free ? total - free : 0);
	}
	if (usage_text(f->process, text) &&
	    sscanf(text, "%llu %llu %llu", &size, &resident, &shared) == 3 && resident > shared)
		ret->anonymous = (uint64_t)(resident - shared) * (uint64_t)f->page;
	ret->has_kills = usage_text(f->kills, text) && strstr(text, "oom_kill ");
	if (ret->has_kills)
		ret->kills = cgroup_value(text, "oom_kill", 1);
}
