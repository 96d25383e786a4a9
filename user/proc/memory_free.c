// SPDX-License-Identifier: Apache-2.0
/* memory_free: see memory_free.h. */
#include "proc/memory_free.h"

#include <stdio.h>
#include <unistd.h>

#include "proc/cgroup_memory.h"
#include "proc/procfs.h"

enum { MEMORY_FILE_MAX = 65536, LEVELS = 64 };

static uint64_t memory_of_machine(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kib;
	uint64_t ret = UINT64_MAX;
	char line[256];

	while (f && ret == UINT64_MAX && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			ret = kib << 10;
	if (f)
		fclose(f);
	return ret;
}

/* Each round finds a limit that is nearer than the last one, until there is none. */
static uint64_t memory_of_cgroup(const char *text)
{
	struct cgroup_need need = { .text = text, .bytes = UINT64_MAX >> 2, .other = text };
	struct cgroup_mounts mounts;
	struct cgroup_short found;
	uint64_t ret = UINT64_MAX;
	int i;

	cgroup_mounts_find(&mounts, "/proc/self/mountinfo");
	for (i = 0; i < LEVELS && need.bytes; i++) {
		if (cgroup_memory_room(&mounts, &need, &found) != CGROUP_NO_ROOM)
			break;
		ret = need.bytes = found.room < need.bytes ? found.room : 0;
	}
	cgroup_mounts_free(&mounts);
	return ret;
}

uint64_t memory_free(void)
{
	uint64_t machine = memory_of_machine(), cgroup = UINT64_MAX;
	struct procfs fs = { .dir = "/proc" };
	struct buf text = {0};

	if (!procfs_read(&fs, getpid(), "cgroup", MEMORY_FILE_MAX, &text))
		cgroup = memory_of_cgroup((const char *)text.data);
	buf_free(&text);
	return machine < cgroup ? machine : cgroup;
}
