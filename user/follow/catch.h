/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catch: one thread for each CPU, which stops processes that have exec'ed on that CPU before they
 * run. follow.c starts the threads.
 *
 * The thread comes in time for this reason: the kernel reaches the tracepoint within execve(2), and
 * its event wakes the thread of that CPU by an interrupt. The thread is a real-time thread, so that
 * the kernel runs it on that CPU before the process returns to its new program. The thread traces
 * the process (PTRACE_SEIZE, PTRACE_INTERRUPT), and the process stops when it continues, still in
 * the kernel. The stack pointer shows whether the thread was in time: it is still where the kernel
 * has put it for the program's first instruction.
 */
#ifndef GOTAP_FOLLOW_CATCH_H
#define GOTAP_FOLLOW_CATCH_H

#include "base/error.h"
#include "base/vec.h"
#include "follow/follow.h"
#include "proc/procfs.h"

struct catchers;

/* The name of the threads in /proc. */
#define CATCH_NAME "gotap-catch"

struct catch_opts {
	const struct procfs *fs;
	int events;		/* the map of the kernel's ring buffers */
	void (*caught)(void *ctx, const struct follow_exec *e);	/* called in a thread of catch */
	void *ctx;
};

/* Starts the threads; @opts is copied. Returns 0 or a negative errno. */
int catch_start(struct catchers **ret, const struct catch_opts *opts, struct error *err);
/* As follow_own_child(). */
void catch_own_child(struct catchers *c, pid_t pid);
/*
 * As follow_hold(). The thread that has caught the process keeps the time, so that the caller
 * cannot hold the process longer.
 */
bool catch_hold(struct catchers *c, pid_t pid);
/* As follow_release(). */
void catch_release(struct catchers *c, pid_t pid);
/* Returns the number of events that found no room in a buffer. */
uint64_t catch_lost(const struct catchers *c);
/* Accepts NULL. */
void catch_stop(struct catchers *c);

#endif
