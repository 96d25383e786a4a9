// SPDX-License-Identifier: Apache-2.0
/* still: see still.h. */
#include "live/still.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proc/freezer.h"

enum { TRIES = 20, PAUSE_MS = 5, STATUS_BYTES = 8192, NAME = 64 };

/* Returns the number of the line "\nNAME:" of a status file; 0: it has no such line. */
static uint64_t still_count(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

/* Adds a thread to the hash; false if it is not stopped. @frozen: it is, whatever its state. */
static bool still_thread(const struct process *p, pid_t tid, bool frozen, uint64_t *hash)
{
	struct buf text = {0};
	const char *state;
	char what[NAME];
	bool ok = false;

	snprintf(what, sizeof(what), "task/%d/status", tid);
	if (!procfs_read(&p->fs, p->pid, what, STATUS_BYTES, &text)) {
		state = strstr((const char *)text.data, "\nState:\t");
		ok = frozen || (state && strchr("tTZX", state[8]));
		*hash += hash64((uint64_t)tid ^
				hash64(still_count((const char *)text.data,
						   "\nvoluntary_ctxt_switches:") +
				       still_count((const char *)text.data,
						   "\nnonvoluntary_ctxt_switches:")));
	}
	buf_free(&text);
	return ok;
}

static bool still_all_threads(const struct process *p, bool frozen, uint64_t *hash)
{
	struct vec tids = {0};
	size_t i;
	bool all;

	*hash = 0;
	procfs_tids(&p->fs, p->pid, &tids);
	all = tids.len;
	for (i = 0; i < tids.len && all; i++)
		all = still_thread(p, *vec_at(&tids, pid_t, i), frozen, hash);
	vec_free(&tids);
	return all;
}

static bool still_is_now(const struct process *p, struct still *ret)
{
	struct freezer_mounts mounts;
	enum stopped_by by;

	freezer_find(&mounts, "/proc/self/mountinfo");
	by = stopped_by(&mounts, &p->fs, p->pid);
	freezer_free(&mounts);
	if (by == STOPPED_NOT || by == STOPPED_GONE)
		return false;
	return still_all_threads(p, by == STOPPED_BY_CGROUP, &ret->threads);
}

/* After a SIGSTOP the threads stop one after the other: waits some milliseconds. */
int still_look(const struct process *p, struct still *ret, struct error *err)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	int i;

	*ret = (struct still){0};
	if (p->core)
		return 0;
	for (i = 0; i < TRIES; i++) {
		if (still_is_now(p, ret))
			return 0;
		nanosleep(&pause, NULL);
	}
	return error_set(err, -EBUSY,
			 "process %d runs: its heap can only be read while it stands still. Stop "
			 "it (kill -STOP %d; kill -CONT %d afterwards), freeze its cgroup, or give "
			 "a core file (gcore, `gotap core`, --core FILE)", p->pid, p->pid, p->pid);
}

int still_check(const struct process *p, const struct still *before, struct error *err)
{
	struct still now;

	if (p->core || (still_is_now(p, &now) && now.threads == before->threads))
		return 0;
	return error_set(err, -EBUSY, "process %d ran while its heap was read, and the result "
			 "would be of no one moment: stop it for longer", p->pid);
}
