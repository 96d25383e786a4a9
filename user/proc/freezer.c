// SPDX-License-Identifier: Apache-2.0
/* freezer: see freezer.h. */
#include "proc/freezer.h"

#include <stdio.h>
#include <string.h>


enum { TEXT = 16384 };

/* The files that show whether a cgroup is frozen, of version 1 and of version 2. */
static const struct {
	const char *file, *says;
} versions[] = {
	{ "freezer.state", "FROZEN\n" },
	{ "cgroup.events", "frozen 1\n" },
};

void freezer_find(struct freezer_mounts *m, const char *mountinfo)
{
	cgroup_mounts_find(&m->mounts, mountinfo);
}

void freezer_free(struct freezer_mounts *m)
{
	cgroup_mounts_free(&m->mounts);
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

bool freezer_is_frozen(const struct freezer_mounts *m, const char *text)
{
	char folder[CGROUP_FOLDER], file[CGROUP_FOLDER + 32];
	size_t i;

	for (i = 0; i < m->mounts.all.len; i++) {
		const struct cgroup_mount *mount = vec_at(&m->mounts.all, struct cgroup_mount, i);

		if (!cgroup_mount_folder(mount, text, "freezer", folder))
			continue;
		snprintf(file, sizeof(file), "%s/%s", folder, versions[mount->v2].file);
		if (file_has_line(file, versions[mount->v2].says))
			return true;
	}
	return false;
}

/*
 * Returns whether all threads are stopped by a tracer. A tracer stops each thread by itself, often
 * for a short time only.
 */
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
	frozen = m->mounts.all.len && !procfs_read(fs, pid, "cgroup", TEXT, &text) &&
		 freezer_is_frozen(m, (const char *)text.data);
	buf_free(&text);
	if (frozen)
		return STOPPED_BY_CGROUP;
	if (st.state == 'T')
		return STOPPED_BY_SIGNAL;
	return st.state == 't' && all_traced(fs, pid) ? STOPPED_BY_TRACER : STOPPED_NOT;
}
