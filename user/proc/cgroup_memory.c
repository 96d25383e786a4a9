// SPDX-License-Identifier: Apache-2.0
/* cgroup_memory: see cgroup_memory.h. */
#include "proc/cgroup_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/cgroup.h"
#include "proc/cgroup_limits.h"

/* Reads the room below limit @l. False: there is no such limit. */
static bool memory_read_room(const char *folder, const struct cgroup_limit *l, uint64_t *room)
{
	char text[CGROUP_FILE];
	uint64_t limit, used, back;

	if (!cgroup_read_file(folder, l->limit, text) || !strncmp(text, "max", 3))
		return false;
	limit = strtoull(text, NULL, 10);
	if (!cgroup_read_file(folder, l->used, text))
		return false;
	used = strtoull(text, NULL, 10);
	back = l->reclaimable && cgroup_read_file(folder, "memory.stat", text) ?
		       cgroup_value(text, l->reclaimable, 1) :
		       0;
	used = used > back ? used - back : 0;
	*room = limit > used ? limit - used : 0;
	return true;
}

static bool memory_level_has(const char *folder, bool v2, uint64_t needs, struct cgroup_short *ret)
{
	const char *name = strrchr(folder, '/');
	uint64_t room;
	size_t i;

	for (i = 0; i < CGROUP_LIMITS; i++) {
		if (cgroup_limits[i].v2 != v2 ||
		    !memory_read_room(folder, &cgroup_limits[i], &room) || room >= needs)
			continue;
		*ret = (struct cgroup_short){ .room = room, .needs = needs };
		snprintf(ret->file, sizeof(ret->file), "%.80s/%s", name ? name + 1 : "",
			 cgroup_limits[i].limit);
		return false;
	}
	return true;
}

/* Returns whether the cgroup with @folder is that of @other, or above it. */
static bool memory_holds(const char *folder, const char *other)
{
	size_t n = strlen(folder);

	return !strncmp(folder, other, n) && (!other[n] || other[n] == '/');
}

static bool memory_levels_have(const struct cgroup_mount *mount, const struct cgroup_need *need,
			       char *folder, struct cgroup_short *ret)
{
	char other[CGROUP_FOLDER];
	bool known = cgroup_mount_folder(mount, need->other, "memory", other);
	uint64_t needs;

	do {
		needs = need->bytes +
			(known && memory_holds(folder, other) ? need->other_bytes : 0);
		if (!memory_level_has(folder, mount->v2, needs, ret))
			return false;
	} while (cgroup_mount_up(folder, mount));
	return true;
}

/* Returns whether the process is in the root cgroup, which has no limits. */
static bool memory_is_in_root(const char *text)
{
	char path[CGROUP_PATH];
	bool v1 = cgroup_path(text, "memory", path, sizeof(path)) && strcmp(path, "/");
	bool v2 = cgroup_path(text, "", path, sizeof(path)) && strcmp(path, "/");

	return !v1 && !v2;
}

enum cgroup_room cgroup_memory_room(const struct cgroup_mounts *m, const struct cgroup_need *need,
				    struct cgroup_short *ret)
{
	char folder[CGROUP_FOLDER], text[CGROUP_FILE];
	bool seen = memory_is_in_root(need->text);
	size_t i;

	for (i = 0; i < m->all.len; i++) {
		const struct cgroup_mount *mount = vec_at(&m->all, struct cgroup_mount, i);

		if (!cgroup_mount_folder(mount, need->text, "memory", folder))
			continue;
		seen |= cgroup_read_file(folder, "cgroup.procs", text);
		if (!memory_levels_have(mount, need, folder, ret))
			return CGROUP_NO_ROOM;
	}
	return seen ? CGROUP_ROOM : CGROUP_UNSEEN;
}
