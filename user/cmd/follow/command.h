/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: the COMMAND of `gotap record --follow`: its start, as one of the followed, and its
 * end. For follow.c.
 */
#ifndef GOTAP_CMD_FOLLOW_COMMAND_H
#define GOTAP_CMD_FOLLOW_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "cmd/record/options.h"
#include "follow/follow.h"

/* Zeroed: there is none. */
struct follow_command {
	pid_t pid;
	int socket;		/* gets the errno of its exec if that fails */
	int failure;		/* errno of that; 0: it could */
	bool ended;
	int status;		/* of wait(2), once ended */
	const char *name;
};

/*
 * Starts @argv as a child of the calling thread; it execs when it is in the set of @f. Returns 0
 * or a negative errno.
 */
int follow_command_start(struct follow_command *c, char **argv, struct follow *f,
			 struct error *err);
/* Looks whether it has ended. */
void follow_command_look(struct follow_command *c);
/*
 * Waits for the end of the command, or for a signal. Returns the exit status of gotap: the
 * command's, or @own if there is no command or it is not waited for (--detach). @done: how many
 * signals have had an effect before.
 */
int follow_command_status(struct follow_command *c, const struct record_options *o, int own,
			  int done);

#endif
