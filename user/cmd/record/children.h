/* SPDX-License-Identifier: Apache-2.0 */
/*
 * children: the Go programs that the recorded process has started, as `gotap record -p`
 * finds them, and the CPU time that they and it used while it recorded. The report names
 * one of them where the process did nothing: a supervisor was recorded, not its service.
 */
#ifndef GOTAP_CMD_RECORD_CHILDREN_H
#define GOTAP_CMD_RECORD_CHILDREN_H

#include <stdio.h>

#include "base/json_out.h"
#include "proc/procfs.h"

enum { CHILDREN_KEPT = 16 };

struct child_use {
	pid_t pid;
	char name[16];		/* that of its main thread */
	struct procfs_usage before;
};

struct children {
	const struct procfs *fs;
	struct child_use self, list[CHILDREN_KEPT];
	size_t count;
	uint64_t since;			/* 0: nothing was looked at */
	const struct child_use *busy;	/* after children_look(): NULL there is none */
	double percent;			/* of one CPU, of the busy one */
};

/* Files of children are examined in a process without privileges (base/isolated.h). */
void children_begin(struct children *c, const struct procfs *fs, pid_t pid);
/* As the recording ends: was the process idle, and one of them busy? */
void children_look(struct children *c);
void children_print(const struct children *c, FILE *f);
/* "busy_child": {"pid", "name", "cpu_percent"}, or null. */
void children_json(const struct children *c, struct json_out *j);

#endif
