// SPDX-License-Identifier: Apache-2.0
/* cgroup_mounts: see cgroup_mounts.h. */
#include "proc/cgroup_mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "proc/cgroup.h"

static bool has_option(const char *options, const char *name)
{
	size_t n = strlen(name), len;

	for (;; options += len + 1) {
		len = strcspn(options, ",");
		if (len == n && !memcmp(options, name, n))
			return true;
		if (!options[len])
			return false;
	}
}

/*
 * Takes a line such as "36 35 0:30 / /sys/fs/cgroup/freezer rw,relatime shared:9 - cgroup cgroup
 * rw,freezer".
 */
static void take_mount(struct cgroup_mounts *m, const char *line)
{
	struct cgroup_mount mount = {0};
	char type[32];
	const char *dash = strstr(line, " - ");

	if (!dash || sscanf(line, "%*s %*s %*s %511s %511s", mount.root, mount.point) != 2 ||
	    sscanf(dash, " - %31s %*s %255s", type, mount.controllers) != 2)
		return;
	mount.v2 = !strcmp(type, "cgroup2");
	if (mount.v2 || !strcmp(type, "cgroup"))
		*(struct cgroup_mount *)vec_push(&m->all, sizeof(mount)) = mount;
}

void cgroup_mounts_find(struct cgroup_mounts *m, const char *mountinfo)
{
	FILE *f = fopen(mountinfo, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	*m = (struct cgroup_mounts){0};
	while (f && getline(&line, &size, f) > 0)
		take_mount(m, line);
	if (f)
		fclose(f);
}

void cgroup_mounts_free(struct cgroup_mounts *m)
{
	vec_free(&m->all);
}

/*
 * Returns whether the mount has the files of @controller. A mount of version 2 may have those of
 * any.
 */
static bool cgroup_mount_has(const struct cgroup_mount *mount, const char *controller)
{
	return mount->v2 || has_option(mount->controllers, controller);
}

/* Returns the part of the cgroup @path below @mount's root; NULL: it is not below that root. */
static const char *mounts_below(const struct cgroup_mount *mount, const char *path)
{
	size_t n = strcmp(mount->root, "/") ? strlen(mount->root) : 0;

	return strncmp(path, mount->root, n) || (path[n] && path[n] != '/') ? NULL : path + n;
}

bool cgroup_mount_folder(const struct cgroup_mount *mount, const char *text, const char *controller,
			 char ret[CGROUP_FOLDER])
{
	char path[CGROUP_PATH];
	const char *rest;

	if (!cgroup_mount_has(mount, controller) ||
	    !cgroup_path(text, mount->v2 ? "" : controller, path, sizeof(path)))
		return false;
	rest = mounts_below(mount, path);
	if (!rest)
		return false;
	snprintf(ret, CGROUP_FOLDER, "%s%s", mount->point, strcmp(rest, "/") ? rest : "");
	return true;
}

bool cgroup_read_file(const char *folder, const char *name, char ret[CGROUP_FILE])
{
	char path[CGROUP_FOLDER + 64];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "re");
	n = f ? fread(ret, 1, CGROUP_FILE - 1, f) : 0;
	if (f)
		fclose(f);
	ret[n] = 0;
	return n > 0;
}

uint64_t cgroup_value(const char *text, const char *name, uint64_t unit)
{
	size_t n = strlen(name);

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (!strncmp(text, name, n) && text[n] == ' ')
			return strtoull(text + n, NULL, 10) * unit;
	return 0;
}

bool cgroup_mount_up(char *folder, const struct cgroup_mount *mount)
{
	char *slash = strrchr(folder, '/');

	if (strlen(folder) <= strlen(mount->point) || !slash)
		return false;
	*slash = 0;
	return true;
}
