/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec: runs the command of --exec with the name of each snapshot, one after the other, in a thread of its
 * own. Owns the queue of names, which has an end: a command that is slower than snapshots come misses some,
 * and that is said.
 */
#ifndef GOTAP_FLIGHT_EXEC_H
#define GOTAP_FLIGHT_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct exec;

/* Gets a line for the terminal, on any thread. */
typedef void exec_say_fn(void *ctx, const char *text);

/* The shell runs @command with the path as an argument behind it; @in_child is called before. */
int exec_new(struct exec **ret, const char *command, void (*in_child)(void), exec_say_fn *say, void *ctx,
	     struct error *err);
/* Does not wait for the command. Accepts NULL, as the others. */
void exec_run(struct exec *e, const char *path);
/* How often it did not run up to now. */
uint64_t exec_missed(struct exec *e);
/*
 * Waits at most @patience ns for those that are waiting or run, and leaves the last to itself. Returns
 * how often it did not run in all.
 */
uint64_t exec_free(struct exec *e, uint64_t patience);

#endif
