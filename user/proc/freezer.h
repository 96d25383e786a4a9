/* SPDX-License-Identifier: Apache-2.0 */
/*
 * freezer: is a process stopped, or frozen with its cgroup? In: its status file, and the
 * cgroup file systems that are mounted here. Out: the kind of stop that holds at the
 * moment. `gotap record` looks some times a second (cmd/stops). Nothing here waits for
 * the process or reads its memory.
 *
 * A cgroup of version 1 says it in freezer.state, of version 2 in cgroup.events; both
 * include a frozen parent.
 */
#ifndef GOTAP_PROC_FREEZER_H
#define GOTAP_PROC_FREEZER_H

#include <stdbool.h>

#include "proc/cgroup_mounts.h"
#include "proc/procfs.h"

struct freezer_mounts {
	struct cgroup_mounts mounts;
};

/* @mountinfo: a file as proc has it. None that is readable: no cgroup is seen as frozen. */
void freezer_find(struct freezer_mounts *m, const char *mountinfo);
void freezer_free(struct freezer_mounts *m);

/* Is the process frozen that has @text as its cgroup file? */
bool freezer_is_frozen(const struct freezer_mounts *m, const char *text);

enum stopped_by {
	STOPPED_NOT,
	STOPPED_BY_SIGNAL,	/* SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU */
	STOPPED_BY_TRACER,	/* ptrace, with every thread */
	STOPPED_BY_CGROUP,
	STOPPED_GONE,		/* there is no such process any more */
};

enum stopped_by stopped_by(const struct freezer_mounts *m, const struct procfs *fs, pid_t pid);

#endif
