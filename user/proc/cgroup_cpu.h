/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_cpu: the CPU quota of a process's cgroup and of those above it, how often the quota
 * throttled them, and how long their tasks waited for resources (PSI). Reads files of cgroup file
 * systems, versions 1 and 2; each file may be missing or change between two reads.
 */
#ifndef GOTAP_PROC_CGROUP_CPU_H
#define GOTAP_PROC_CGROUP_CPU_H

#include <stdint.h>

#include "proc/cgroup_mounts.h"
#include "proc/procfs.h"

struct cgroup_cpu {
	unsigned int up;		/* levels above the process's own cgroup */
	uint64_t quota_ns, period_ns;	/* quota 0: none */
	/* Since the cgroup was made: */
	/* periods, and those in which the cgroup used up the quota */
	uint64_t periods, throttled;
	uint64_t throttled_ns;		/* sum over the CPUs on which it waited after that */
};

enum { CGROUP_LEVELS = 8 };

/* Reads the process's own cgroup, and those above it that have a quota; returns their number. */
size_t cgroup_cpu_read(const struct cgroup_mounts *m, const char *text,
		       struct cgroup_cpu ret[CGROUP_LEVELS]);

struct pressure {
	/* true: the pressure of the whole machine, since the cgroup has no such file */
	bool machine;
	uint64_t some_ns, full_ns;	/* since the cgroup was made, or the boot */
};

/* @resource: "cpu", "memory" or "io". False: the kernel does not count its pressure. */
bool pressure_read(const struct cgroup_mounts *m, const char *text, const struct procfs *fs,
		   const char *resource, struct pressure *ret);

#endif
