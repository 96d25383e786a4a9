/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_usage: how near a process is to the limit of its memory, and whether the kernel has killed
 * processes of its cgroup for it. In: cgroup file systems, versions 1 and 2, and the files of proc.
 * The files are opened once and read again and again, some microseconds each time: those of a
 * cgroup that was removed meanwhile cannot be read any more. heap/recent.c calls it.
 */
#ifndef GOTAP_PROC_MEMORY_USAGE_H
#define GOTAP_PROC_MEMORY_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "proc/cgroup_mounts.h"
#include "proc/procfs.h"

struct memory_usage_files {
	struct vec levels;		/* of the cgroup and those above it that can have limits */
	int kills;			/* file with the count oom_kill of the cgroup; -1: none */
	int machine, process;		/* meminfo, and the process's statm; -1: unreadable */
	char cgroup[CGROUP_PATH];	/* its path; "": not known */
	long page;			/* bytes */
};

struct memory_usage {
	/*
	 * The limit with the least room below it, of the cgroup or of one @up levels above it, and
	 * what is used of it, without pages of files that were not used lately, which the kernel
	 * drops first; or the memory of the machine, if that has less room. 0: not known.
	 */
	uint64_t limit, used;
	bool of_machine;
	unsigned int up;
	/* anonymous memory of the process in RAM; 0: not known */
	uint64_t anonymous;
	/*
	 * Processes that the OOM killer has killed in the cgroup since its creation (since Linux
	 * 4.13).
	 */
	bool has_kills;
	uint64_t kills;
};

/*
 * Opens the files; those that there are not, or that may not be read, are left out. @mountinfo: as
 * cgroup_mounts_find().
 */
void memory_usage_open(struct memory_usage_files *f, const struct procfs *fs, pid_t pid,
		       const char *mountinfo);
/* From any thread. */
void memory_usage_read(const struct memory_usage_files *f, struct memory_usage *ret);
/* Accepts one that memory_usage_open() has set, once. */
void memory_usage_close(struct memory_usage_files *f);

#endif
