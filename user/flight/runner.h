/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner: the process gotap-exec, which runs the command of --exec. It is forked before gotap gives
 * up its rights, since the command is the user's and has the user's rights; gotap itself can exec
 * nothing any more. It takes names of files, of which each becomes one argument of the command,
 * which is fixed. exec.c calls it.
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

/* The shell runs @command with "$@" for the name; @in_child is called before. */
int runner_start(struct runner *r, const char *command, void (*in_child)(void), struct error *err);
/* Begins a run for @path. False: the process is gone, or the name is too long. */
bool runner_begin(struct runner *r, const char *path);
/*
 * Has the run ended? *@status is that of waitpid(2); of a process that is gone, as of status 126.
 */
bool runner_has_ended(struct runner *r, int *status);
/* A command that still runs is not ended. */
void runner_end(struct runner *r);

#endif
