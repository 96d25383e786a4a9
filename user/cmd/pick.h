/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pick: the process that `-p PID` or `--container NAME` means, and the mount of
 * proc in which it is looked for. Shared by the commands that look at a process.
 */
#ifndef GOTAP_CMD_PICK_H
#define GOTAP_CMD_PICK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "cmd/options.h"
#include "live/process.h"
#include "proc/procfs.h"

struct pick {
	pid_t pid;
	const char *container;	/* NULL: pid */
	const char *proc_dir;	/* NULL: /proc */
	const char *core;	/* a core file in the place of a process; NULL: none */
	const char *exe;	/* its program; NULL: the one that the core file names */
	/* an image of the process is read in its place (moment/moment.h), within this stop: */
	bool image, clear_again, accept_seccomp;
	double hold;		/* s; 0: the default bound */
	bool has_owner;		/* it must be wholly this user's: */
	uid_t owner;
};

/*
 * -p and --container; and of the commands that `gotap serve` starts for a user, those that call
 * pick_check().
 */
extern const struct option_row pick_rows[], pick_owner_rows[];
/* --core and --exe, of the commands that can read a core file (live/corefile.h). */
extern const struct option_row pick_core_rows[];
/*
 * --image, of the commands that can read an image; --hold, --clear-again and --accept-seccomp, how
 * to take it.
 */
extern const struct option_row pick_image_rows[], pick_hold_rows[];
/* Returns the error of options that name not exactly one process or core file; NULL: none. */
const char *pick_one_or_core(const struct pick *p);

/*
 * The root of the file system in which container runtimes keep their state:
 * ours, or that of process 1 of a mount of proc that was given. The environment
 * variable GOTAP_STATE_ROOT overrides it, for tests only. Caller frees.
 */
char *pick_state_root(const struct pick *p);

/*
 * Opens the mount and finds the process: 0 in *@ret if none was asked for.
 * In a container it is the only Go program, or the container's first process if that is one of
 * several; -ENOTUNIQ with a list if neither holds.
 */
int pick_process(const struct pick *p, struct procfs *fs, pid_t *ret, struct error *err);

/*
 * Checks that the user of --of-user may look at the opened process: it is wholly that user's, and
 * has not exec'ed since it was opened (a process may exec a setuid program after `gotap serve`
 * has checked it). 0: yes, or there is no --of-user. -EACCES: no.
 */
int pick_check(const struct pick *p, const struct process *proc, struct error *err);

#endif
