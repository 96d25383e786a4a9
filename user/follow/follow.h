/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow: processes and the processes that they start. Owns the kernel side (bpf/follow), which
 * keeps the set of descendants, and the threads that catch a process at its exec (catch.h).
 * cmd/follow/follow.c calls it. Out: each exec of a followed process, and of one with a name that
 * the user waits for.
 *
 * A process that was caught is stopped (ptrace) before the first instruction of its program, until
 * follow_release(). If gotap ends, in any way, the kernel continues the process. A followed process
 * is not affected in any other way: while it runs it is not traced.
 *
 * Process ids are those of the initial PID namespace.
 */
#ifndef GOTAP_FOLLOW_FOLLOW_H
#define GOTAP_FOLLOW_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct follow;

enum { FOLLOW_LOOK_SECONDS = 3, FOLLOW_HOLD_SECONDS = 70 };

struct follow_exec {
	pid_t pid;
	uint64_t time;		/* of the exec, CLOCK_MONOTONIC, ns */
	bool held;		/* stopped before its first instruction; false: it runs already */
};

struct follow_counts {
	uint64_t not_followed;	/* processes for which there was no room (FOLLOW_PROCESSES) */
	uint64_t not_reported;	/* execs that were lost because a buffer was full */
};

/*
 * Loads the kernel side and starts the threads. @name: also reports execs of files with a name that
 * begins with @name (its first 15 characters count), and of the first process of each container;
 * NULL: does not. Returns 0 or a negative errno; follow_close() frees *@ret.
 */
int follow_open(struct follow **ret, const char *name, struct error *err);
/*
 * Makes @pid, and the processes that it starts from now on, followed. A process that has ended, or
 * is about to, is no error.
 */
int follow_add(struct follow *f, pid_t pid, struct error *err);
/*
 * Notes that @pid is a child of the calling thread, and followed: only the caller waits for its
 * end.
 */
void follow_own_child(struct follow *f, pid_t pid);
/* Returns whether @pid is in the set of followed processes. */
bool follow_has(const struct follow *f, pid_t pid);
/* Returns whether any process is followed now. */
bool follow_any(const struct follow *f);
/*
 * Returns a descriptor for poll(2), which is readable when there is an exec to take; @f keeps it.
 */
int follow_fd(const struct follow *f);
/* Takes the next exec; false: there is none. */
bool follow_next(struct follow *f, struct follow_exec *ret);
/*
 * Gives a held process FOLLOW_HOLD_SECONDS from now. Without this call it is continued after
 * FOLLOW_LOOK_SECONDS, whatever the caller does meanwhile. False: it is not held any more.
 */
bool follow_hold(struct follow *f, pid_t pid);
/* Continues a process that is held. It does nothing to any other process. */
void follow_release(struct follow *f, pid_t pid);
/* Counts since follow_open(). */
struct follow_counts follow_counts(struct follow *f);
/* Continues all processes that are held, and frees @f. Accepts NULL. */
void follow_close(struct follow *f);

#endif
