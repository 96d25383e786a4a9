// SPDX-License-Identifier: Apache-2.0
/* name: see name.h. */
#define _GNU_SOURCE
#include "cmd/follow/name.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/name_pattern.h"
#include "files/output.h"
#include "cmd/pick.h"
#include "proc/container.h"

char *follow_exe(const struct procfs *fs, pid_t pid)
{
	static const char gone[] = " (deleted)";
	char link[PROCFS_PATH], path[4096];
	size_t end = strlen(gone);
	ssize_t n;

	procfs_path(fs, pid, "exe", link);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return NULL;
	path[n] = 0;
	if ((size_t)n > end && !strcmp(path + n - end, gone))
		path[(size_t)n - end] = 0;
	return xstrdup(path);
}

const char *follow_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Processes of the machine's own PID namespace are in no container: nothing is read for them. */
static bool may_be_in_container(const struct procfs *fs, pid_t pid)
{
	struct procfs_status st;

	return !procfs_status(fs, pid, "status", &st) && st.levels > 1;
}

static bool container_matches(const char *pattern, const struct container *c)
{
	_cleanup_free_ char *label = container_label(c);

	return (*c->name && !fnmatch(pattern, c->name, 0)) ||
	       (*c->pod && !fnmatch(pattern, c->pod, 0)) || !fnmatch(pattern, c->id, 0) ||
	       !fnmatch(pattern, label, 0);
}

static bool is_in_container(const char *pattern, const struct procfs *fs, pid_t pid)
{
	_cleanup_free_ char *root = pick_state_root(&(struct pick){0});
	const struct container *c;
	struct containers all;
	bool is;

	containers_load(&all, root);
	c = containers_of(&all, fs, pid);
	is = c && container_matches(pattern, c);
	containers_free(&all);
	return is;
}

bool follow_name_matches(const char *pattern, const struct procfs *fs, pid_t pid, const char *exe)
{
	return !fnmatch(pattern, follow_base_name(exe), 0) ||
	       (may_be_in_container(fs, pid) && is_in_container(pattern, fs, pid));
}

/* Is there a trace at @path, or an unfinished one at @path.partial? */
static bool is_there(const char *path)
{
	_cleanup_free_ char *partial = output_partial(path);
	struct stat st;

	return !lstat(path, &st) || !lstat(partial, &st);
}

char *follow_name_output(const char *pattern, uint64_t *number, pid_t pid, const char *exe)
{
	enum { TRIES = 100000 };
	struct name_values v = { pid, 0, time(NULL), exe };
	char *path = NULL;
	int i;

	for (i = 0; i < TRIES; i++) {
		v.number = ++*number;
		free(path);
		path = name_pattern_expand(pattern, &v);
		if (!is_there(path))
			break;
	}
	return path;
}

char *follow_name_begin(const char *pattern)
{
	return xstrndup(pattern, strcspn(pattern, "*?[\\"));
}
