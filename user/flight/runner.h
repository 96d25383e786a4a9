/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner: the process gotap-exec, which runs the command of --exec. gotap forks it before it gives
 * up its rights, because the command needs the rights of the user, and gotap itself cannot exec
 * after that. The command is fixed; the process receives names of files, each of which becomes an
 * argument of the command. exec.c calls it.
 */
#ifndef GOTAP_FLIGHT_RUNNER_H
#define GOTAP_FLIGHT_RUNNER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct runner {
	pid_t pid;		/* 0: none */
	int socket;
};

/*
 * Starts the process. The shell runs @command with "$@" for the name; the child calls @in_child
 * first.
 */
int runner_start(struct runner *r, const char *command, void (*in_child)(void), struct error *err);
/* Begins a run for @path. False: the process is gone, or the name is too long. */
bool runner_begin(struct runner *r, const char *path);
/*
 * Returns whether the run has ended. *@status is that of waitpid(2); if the process is gone, that
 * of exit status 126.
 */
bool runner_has_ended(struct runner *r, int *status);
/* Ends the process, but not a command that still runs. */
void runner_end(struct runner *r);

#endif
