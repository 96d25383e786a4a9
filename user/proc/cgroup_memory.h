/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_memory: checks that the cgroup of a process and those above it have room for more memory.
 * In: cgroup file systems, versions 1 and 2, the texts of cgroup files of proc. Out: the first
 * limit that is too near. inline/room.c calls it before gotap puts memory into a process.
 *
 * Room is the limit less the used memory that the kernel cannot reclaim at once. It can reclaim
 * pages of files that were not used lately (inactive_file, as kubelet counts it). A server that
 * reads files fills its limit with such pages.
 */
#ifndef GOTAP_PROC_CGROUP_MEMORY_H
#define GOTAP_PROC_CGROUP_MEMORY_H

#include "proc/cgroup_mounts.h"

struct cgroup_need {
	const char *text;  /* the cgroup file of the process */
	uint64_t bytes;    /* memory that its cgroup will be charged with */
	const char *other; /* the cgroup file of a process that will be charged, too */
	uint64_t other_bytes;
};

enum cgroup_room {
	CGROUP_ROOM,
	CGROUP_NO_ROOM,
	CGROUP_UNSEEN, /* no cgroup file system that is mounted here has the process's cgroup */
};

struct cgroup_short {
	char file[128]; /* the limit: cgroup name and file name */
	uint64_t room, needs;
};

/* Returns whether there is room; *@ret is set for CGROUP_NO_ROOM. */
enum cgroup_room cgroup_memory_room(const struct cgroup_mounts *m, const struct cgroup_need *need,
				    struct cgroup_short *ret);

#endif
