/* SPDX-License-Identifier: Apache-2.0 */
/*
 * freezer: whether a process is stopped, or frozen with its cgroup. In: its status file, and the
 * mounted cgroup file systems. Out: the kind of stop at this moment. `gotap record` checks it some
 * times a second (cmd/stops.h). No function here waits for the process or reads its memory.
 *
 * A frozen cgroup shows in freezer.state (version 1) or cgroup.events (version 2), also if a cgroup
 * above it is the frozen one.
 */
#ifndef GOTAP_PROC_FREEZER_H
#define GOTAP_PROC_FREEZER_H

#include <stdbool.h>

#include "proc/cgroup_mounts.h"
#include "proc/procfs.h"

struct freezer_mounts {
	struct cgroup_mounts mounts;
};

/*
 * Finds the mounts. @mountinfo: a file as proc has it; if it cannot be read, no cgroup is seen as
 * frozen.
 */
void freezer_find(struct freezer_mounts *m, const char *mountinfo);
void freezer_free(struct freezer_mounts *m);

/* Returns whether the process with the cgroup file @text is frozen. */
bool freezer_is_frozen(const struct freezer_mounts *m, const char *text);

enum stopped_by {
	STOPPED_NOT,
	STOPPED_BY_SIGNAL,	/* SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU */
	STOPPED_BY_TRACER,	/* ptrace has stopped every thread */
	STOPPED_BY_CGROUP,
	STOPPED_GONE,		/* there is no such process any more */
};

enum stopped_by stopped_by(const struct freezer_mounts *m, const struct procfs *fs, pid_t pid);

#endif
