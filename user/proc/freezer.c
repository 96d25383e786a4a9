// SPDX-License-Identifier: Apache-2.0
/* freezer: see freezer.h. */
#include "proc/freezer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "proc/cgroup.h"

enum { PATH = 512, TEXT = 16384 };

/* The cgroup that is @root is the folder @point. */
struct freezer_mount {
	char root[PATH], point[PATH];
	bool v2;
};

/* The files that show whether a cgroup is frozen. */
static const struct {
	const char *controller, *file, *says;
} versions[] = {
	{ "freezer", "freezer.state", "FROZEN\n" },
	{ "", "cgroup.events", "frozen 1\n" },
};

static bool has_option(const char *options, const char *name)
{
	const char *at = strstr(options, name);
	size_t n = strlen(name);

	return at && (at == options || at[-1] == ',') && (!at[n] || at[n] == ',');
}

/* "36 35 0:30 / /sys/fs/cgroup/freezer rw,relatime shared:9 - cgroup cgroup rw,freezer" */
static void take_mount(struct freezer_mounts *m, const char *line)
{
	struct freezer_mount mount = {0}, *kept;
	char type[32], options[256];
	const char *dash = strstr(line, " - ");
	bool v2;

	if (!dash || sscanf(line, "%*s %*s %*s %511s %511s", mount.root, mount.point) != 2 ||
	    sscanf(dash, " - %31s %*s %255s", type, options) != 2)
		return;
	v2 = !strcmp(type, "cgroup2");
	if (!v2 && (strcmp(type, "cgroup") || !has_option(options, "freezer")))
		return;
	mount.v2 = v2;
	kept = vec_push(&m->all, sizeof(*kept));
	*kept = mount;
}

void freezer_find(struct freezer_mounts *m, const char *mountinfo)
{
	FILE *f = fopen(mountinfo, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	*m = (struct freezer_mounts){0};
	while (f && getline(&line, &size, f) > 0)
		take_mount(m, line);
	if (f)
		fclose(f);
}

void freezer_free(struct freezer_mounts *m)
{
	vec_free(&m->all);
}

static bool file_has_line(const char *path, const char *wanted)
{
	FILE *f = fopen(path, "re");
	char line[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strcmp(line, wanted);
	if (f)
		fclose(f);
	return found;
}

/* Where the cgroup @path is below @mount's point; NULL: it is not. */
static const char *below(const struct freezer_mount *mount, const char *path)
{
	size_t n = strcmp(mount->root, "/") ? strlen(mount->root) : 0;

	return strncmp(path, mount->root, n) || (path[n] && path[n] != '/') ? NULL : path + n;
}

bool freezer_is_frozen(const struct freezer_mounts *m, const char *text)
{
	char path[PATH], file[2 * PATH + 32];
	const char *rest;
	size_t i;

	for (i = 0; i < m->all.len; i++) {
		const struct freezer_mount *mount = vec_at(&m->all, struct freezer_mount, i);

		if (!cgroup_path(text, versions[mount->v2].controller, path, sizeof(path)))
			continue;
		rest = below(mount, path);
		if (!rest)
			continue;
		snprintf(file, sizeof(file), "%s%s/%s", mount->point, rest, versions[mount->v2].file);
		if (file_has_line(file, versions[mount->v2].says))
			return true;
	}
	return false;
}

/* A tracer holds each thread by itself, and often not for long: all of them count. */
static bool all_traced(const struct procfs *fs, pid_t pid)
{
	struct procfs_status st;
	struct vec tids = {0};
	char what[64];
	bool all = true;
	size_t i;

	procfs_tids(fs, pid, &tids);
	for (i = 0; i < tids.len && all; i++) {
		snprintf(what, sizeof(what), "task/%d/status", *vec_at(&tids, pid_t, i));
		all = procfs_status(fs, pid, what, &st) || strchr("tTZX", st.state);
	}
	vec_free(&tids);
	return all;
}

enum stopped_by stopped_by(const struct freezer_mounts *m, const struct procfs *fs, pid_t pid)
{
	struct procfs_status st;
	struct buf text = {0};
	bool frozen;

	if (procfs_status(fs, pid, "status", &st) || strchr("ZX", st.state))
		return STOPPED_GONE;
	frozen = m->all.len && !procfs_read(fs, pid, "cgroup", TEXT, &text) &&
		 freezer_is_frozen(m, (const char *)text.data);
	buf_free(&text);
	if (frozen)
		return STOPPED_BY_CGROUP;
	if (st.state == 'T')
		return STOPPED_BY_SIGNAL;
	return st.state == 't' && all_traced(fs, pid) ? STOPPED_BY_TRACER : STOPPED_NOT;
}
