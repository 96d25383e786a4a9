/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_memory: is there room for more memory in the cgroup of a process and in those above it?
 * In: cgroup file systems, versions 1 and 2, the texts of cgroup files of proc. Out: the first
 * limit that is too near. inline/room asks before memory is put into a process.
 *
 * Room is the limit less what is used and cannot be given back at once: pages of files that were
 * not used lately can (inactive_file, as kubelet counts it). A server that reads files fills its
 * limit with them.
 */
#ifndef GOTAP_PROC_CGROUP_MEMORY_H
#define GOTAP_PROC_CGROUP_MEMORY_H

#include "proc/cgroup_mounts.h"

struct cgroup_need {
	const char *text;  /* the cgroup file of the process */
	uint64_t bytes;    /* that its cgroup will be charged with */
	const char *other; /* the cgroup file of a process that will be charged, too */
	uint64_t other_bytes;
};

enum cgroup_room {
	CGROUP_ROOM,
	CGROUP_NO_ROOM,
	CGROUP_UNSEEN, /* no cgroup file system that is mounted here has the process's cgroup */
};

struct cgroup_short {
	char file[128]; /* the limit: NAME of the cgroup and of the file */
	uint64_t room, needs;
};

/* *@ret: of CGROUP_NO_ROOM. */
enum cgroup_room cgroup_memory_room(const struct cgroup_mounts *m, const struct cgroup_need *need,
				    struct cgroup_short *ret);

#endif
