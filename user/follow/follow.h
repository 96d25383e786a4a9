/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow: processes and what they start. Owns the kernel side (bpf/follow), which knows who
 * descends from whom, and the threads that catch a process at its exec (catch.h).
 * cmd/follow/follow.c calls it. Out: each exec of a followed process, and of one whose name is
 * waited for.
 *
 * A process that was caught is stopped (ptrace) before the first instruction of its program, until
 * follow_let_go(). If gotap ends, however it ends, the kernel lets it go on. Nothing else of a
 * followed process is touched: while it runs it is not traced.
 *
 * Process ids are those of the machine's first PID namespace.
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
	bool held;		/* stopped before its first instruction; else it runs already */
};

struct follow_counts {
	uint64_t not_followed;	/* processes for which there was no room (FOLLOW_PROCESSES) */
	uint64_t not_said;	/* execs that were lost, since a buffer was full */
};

/*
 * Loads the kernel side and starts the threads. @name: also reports execs of files with a name that
 * begins with @name (its first 15 characters count), and of the first process of each container;
 * NULL: no. Returns 0 or a negative errno; follow_close() frees.
 */
int follow_open(struct follow **ret, const char *name, struct error *err);
/*
 * From now on @pid, and what it starts, is followed; unless it has ended, or is about to: that is
 * no error.
 */
int follow_add(struct follow *f, pid_t pid, struct error *err);
/* @pid is a child of the calling thread, and followed: only the caller waits for its end. */
void follow_own_child(struct follow *f, pid_t pid);
/* Is @pid in the set of followed processes? */
bool follow_has(const struct follow *f, pid_t pid);
/* Is any process followed now? */
bool follow_any(const struct follow *f);
/* For poll(2): readable when there is an exec to take. */
int follow_fd(const struct follow *f);
/* The next exec; false: there is none. */
bool follow_next(struct follow *f, struct follow_exec *ret);
/*
 * A process that is held goes on by itself after FOLLOW_LOOK_SECONDS, whatever the caller does
 * meanwhile. This gives it FOLLOW_HOLD_SECONDS from now. False: it is not held any more.
 */
bool follow_hold(struct follow *f, pid_t pid);
/* Continues a process that is held. Nothing happens to any other process. */
void follow_let_go(struct follow *f, pid_t pid);
/* Counts since follow_open(). */
struct follow_counts follow_counts(struct follow *f);
/* All that are held go on. Accepts NULL. */
void follow_close(struct follow *f);

#endif
