// SPDX-License-Identifier: Apache-2.0
/* go_file: see go_file.h. */
#include "cmd/go_file.h"

#include "base/cleanup.h"
#include "base/isolated.h"
#include "base/open_under.h"
#include "target/gobin.h"

static int go_file_examine(void *ctx, void *answer, struct error *err)
{
	struct gobin *bin;
	int r = gobin_open_fd(&bin, *(int *)ctx, "it", err);

	*(char *)answer = !r;
	if (!r)
		gobin_free(bin);
	return r;
}

static bool go_file_is_go(int fd)
{
	char answer = 0;
	struct isolated_work work = { .run = go_file_examine, .ctx = &fd, .fd = fd,
				      .size = sizeof(answer) };

	return !isolated_run(&work, &answer, &(struct error){0}) && answer;
}

static int open_exe(const struct procfs *fs, pid_t pid)
{
	char path[PROCFS_PATH];

	procfs_path(fs, pid, "exe", path);
	return open_regular(path);
}

bool go_file_runs(const struct procfs *fs, pid_t pid)
{
	_cleanup_close_ int fd = open_exe(fs, pid);

	return fd >= 0 && go_file_is_go(fd);
}

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool go_file_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       is_same_time(a->st_mtim, b->st_mtim) && is_same_time(a->st_ctim, b->st_ctim);
}

bool go_files_run(struct go_files *g, const struct procfs *fs, pid_t pid)
{
	_cleanup_close_ int fd = open_exe(fs, pid);
	struct stat st;
	size_t i;

	if (fd < 0 || fstat(fd, &st))
		return false;
	for (i = 0; i < g->count && i < GO_FILES; i++)
		if (go_file_is_same(&g->known[i].st, &st))
			return g->known[i].is_go;
	i = g->count++ % GO_FILES;
	g->known[i].st = st;
	g->known[i].is_go = go_file_is_go(fd);
	return g->known[i].is_go;
}
