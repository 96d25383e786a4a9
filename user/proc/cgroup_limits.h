/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_limits: the limits of memory that a cgroup can have, and the names of their files. Two
 * modules read them: cgroup_memory.c once, memory_usage.c again and again from open files.
 */
#ifndef GOTAP_PROC_CGROUP_LIMITS_H
#define GOTAP_PROC_CGROUP_LIMITS_H

#include <stdbool.h>

struct cgroup_limit {
	bool v2;			/* of cgroup version 2, otherwise 1 */
	const char *limit, *used;	/* files */
	/* in memory.stat: pages of files that the kernel can reclaim; NULL: it reclaims none */
	const char *reclaimable;
};

enum { CGROUP_LIMITS = 5 };
extern const struct cgroup_limit cgroup_limits[CGROUP_LIMITS];

/* The limit of memory without swap: at this one the kernel kills processes of the cgroup. */
const struct cgroup_limit *cgroup_limit_that_kills(bool v2);
/* The file with the number of processes that it has killed, "oom_kill". */
const char *cgroup_kills_file(bool v2);

#endif
