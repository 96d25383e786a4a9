// SPDX-License-Identifier: Apache-2.0
/* cgroup_limits: see cgroup_limits.h. */
#include "proc/cgroup_limits.h"

#include <stddef.h>

/*
 * The kernel does not kill at memory.high, but slows a cgroup above it down until it has given
 * memory back. memory.memsw counts swap, too; memory.kmem only memory of the kernel, such as page
 * tables.
 */
const struct cgroup_limit cgroup_limits[CGROUP_LIMITS] = {
	{ false, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file" },
	{ false, "memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes",
	  "total_inactive_file" },
	{ false, "memory.kmem.limit_in_bytes", "memory.kmem.usage_in_bytes", NULL },
	{ true, "memory.max", "memory.current", "inactive_file" },
	{ true, "memory.high", "memory.current", "inactive_file" },
};

/* The first one of its version. */
const struct cgroup_limit *cgroup_limit_that_kills(bool v2)
{
	const struct cgroup_limit *l = cgroup_limits;

	while (l->v2 != v2)
		l++;
	return l;
}

const char *cgroup_kills_file(bool v2)
{
	return v2 ? "memory.events" : "memory.oom_control";
}
