/* SPDX-License-Identifier: Apache-2.0 */
/* follow_internal: what the files of follow share: the followed and their recorders (follow.c), and those that run already. */
#ifndef GOTAP_CMD_FOLLOW_INTERNAL_H
#define GOTAP_CMD_FOLLOW_INTERNAL_H

#include "cmd/follow_command.h"
#include "cmd/follow_report.h"
#include "cmd/go_file.h"
#include "cmd/record.h"
#include "follow/follow.h"
#include "proc/procfs.h"

struct follower {
	const struct record_options *o;
	struct procfs fs;
	struct follow *follow;
	struct go_files *files;
	struct vec recorders;		/* struct recorder *, that run */
	struct follow_command command;
	struct follow_report report;
	uint64_t begin;
	uint64_t number;		/* %n of the last recording */
	uint64_t begun;			/* recordings */
	bool has_name;			/* the process that is looked at has it */
	bool found;			/* one that has it was recorded */
	bool stopping, gave_up;
};

/* Is it this gotap, or one that it has started, other than the command? It does not follow itself. */
bool follow_is_ours(const struct follower *s, pid_t pid);
/* Is it one of those that were asked for? If it has the name, what it starts is followed from now on, too. */
bool follow_is_meant(struct follower *s, const struct follow_exec *e, const char *exe);
/* True: a recorder has it, and lets it go. */
bool follow_take(struct follower *s, const struct follow_exec *e);
/* All execs that there are. */
void follow_take_execs(struct follower *s);
/* follow_running.c: what runs when the kernel side begins to look. -ENOTUNIQ: one was asked for, and there are several. */
int follow_take_running(struct follower *s, struct error *err);

#endif
