/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec: runs the command of --exec with the name of each snapshot, one after the other, in a thread
 * of its own. Owns the queue of names. If the command is so slow that the queue is full, the
 * command does not run for further snapshots; exec counts these, and gotap reports their number.
 */
#ifndef GOTAP_FLIGHT_EXEC_H
#define GOTAP_FLIGHT_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct exec;

/* Gets a line for the terminal, on any thread. */
typedef void exec_say_fn(void *ctx, const char *text);

/*
 * Starts the process that runs the command. The caller calls it before gotap gives up its rights,
 * so that the command has the rights of the user. If it was not called, exec_new() starts the
 * process.
 */
int exec_prepare(const char *command, void (*in_child)(void), struct error *err);
/*
 * Makes the queue and its thread. The shell runs @command with the path as its last argument; the
 * child calls @in_child first. 0 or a negative errno, with a text.
 */
int exec_new(struct exec **ret, const char *command, void (*in_child)(void), exec_say_fn *say,
	     void *ctx, struct error *err);
/*
 * Adds @path to the queue. Does not wait for the command. Accepts NULL, as the other functions do.
 */
void exec_run(struct exec *e, const char *path);
/* Returns the number of snapshots for which the command did not run so far. */
uint64_t exec_missed(struct exec *e);
/*
 * Waits at most @patience ns until the command has run for all names in the queue. A command that
 * still runs after that is not ended. Returns for how many snapshots it did not run in all, and
 * frees @e.
 */
uint64_t exec_free(struct exec *e, uint64_t patience);

#endif
