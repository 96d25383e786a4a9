/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: what the files of follow share: the followed and their recorders (follow.c), one
 * process that may be recorded (take.c), and those that run already (running.c).
 */
#ifndef GOTAP_CMD_FOLLOW_INTERNAL_H
#define GOTAP_CMD_FOLLOW_INTERNAL_H

#include "cmd/follow/command.h"
#include "cmd/follow/report.h"
#include "cmd/go_file.h"
#include "cmd/record/options.h"
#include "follow/follow.h"
#include "proc/procfs.h"

struct follower {
	const struct record_options *o;
	struct procfs fs;
	/* NULL with several -p and no --follow: then no exec is of interest */
	struct follow *follow;
	struct go_files *files;
	struct vec recorders;		/* struct recorder *, that run */
	struct follow_command command;
	struct follow_report report;
	uint64_t begin;
	bool timed;			/* the time of -d has begun */
	uint64_t number;		/* %n of the last recording */
	uint64_t begun;			/* recordings */
	/* the process that follow_is_meant() looked at last has the name of --name */
	bool has_name;
	bool found;			/* a process with that name is or was recorded */
	bool stopping, gave_up;
};

static inline struct recorder *recorder_at(const struct follower *s, size_t i)
{
	return *vec_at(&s->recorders, struct recorder *, i);
}

/* --- take.c --- */

/*
 * Is @pid this gotap, or a process that it has started other than the command? Such a process is
 * never recorded.
 */
bool follow_is_ours(const struct follower *s, pid_t pid);
/*
 * Is it a process to record? If it has the name of --name, what it starts is followed from now
 * on.
 */
bool follow_is_meant(struct follower *s, const struct follow_exec *e, const char *exe);
/*
 * Starts a recorder for it, if it is a process to record. True: a recorder was started;
 * look_at_begin() lets the process go on.
 */
bool follow_take(struct follower *s, const struct follow_exec *e);
/* Takes all execs that have been seen, and lets processes go on that are not recorded. */
void follow_take_execs(struct follower *s);
/* Was only one process asked for (--name without --follow and --wait), and is it recorded? */
bool follow_has_all(const struct follower *s);
/* Names the recording of @r, which has begun. */
void follow_tell_begin(const struct follower *s, const struct recorder *r);

/* --- running.c --- */

/*
 * Starts recorders for processes that run already. -ENOTUNIQ: only one process was
 * asked for, and several have the name.
 */
int follow_take_running(struct follower *s, struct error *err);
/*
 * Starts a recorder for each process of several -p without --follow. The recorder says what is
 * wrong with its process; the others go on.
 */
void follow_take_pids(struct follower *s);

#endif
