/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec: runs the command of --exec with the name of each snapshot, one after the other, in a thread
 * of its own. Owns the queue of names. When the queue is full, as the command is too slow, it does
 * not run for the next snapshots: that is counted and reported.
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
 * To be called before gotap gives up its rights: the command has those of the user. If it was not
 * called, exec_new() does its work.
 */
int exec_prepare(const char *command, void (*in_child)(void), struct error *err);
/* The shell runs @command with the path as its last argument; the child calls @in_child before. */
int exec_new(struct exec **ret, const char *command, void (*in_child)(void), exec_say_fn *say,
	     void *ctx, struct error *err);
/* Does not wait for the command. Accepts NULL, as the others. */
void exec_run(struct exec *e, const char *path);
/* The number of snapshots for which the command did not run so far. */
uint64_t exec_missed(struct exec *e);
/*
 * Waits at most @patience ns until the command has run for all names in the queue; one that still
 * runs then goes on without gotap. Returns for how many snapshots it did not run in all, and frees
 * @e.
 */
uint64_t exec_free(struct exec *e, uint64_t patience);

#endif
