/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits: the resource limits of this process (ulimit). Owns gotap's changes of them:
 * main() calls limits_begin(), a child that execs a COMMAND limits_restore(), cmd_fail()
 * limits_explain(), and all that starts a thread thread_start().
 */
#ifndef GOTAP_BASE_LIMITS_H
#define GOTAP_BASE_LIMITS_H

#include <pthread.h>
#include <stddef.h>

/*
 * The soft limit of open files becomes the hard one, and a write beyond the largest
 * allowed file (SIGXFSZ) fails like one to a full disk.
 */
void limits_begin(void);
/* In a child, before it execs: limits are as gotap found them. */
void limits_restore(void);

/*
 * "" if no limit explains the negative errno @code; else which one is short, how low it
 * is and how to raise it, to be put behind a message.
 */
struct limits_text {
	char text[160];
};

struct limits_text limits_explain(int code);

/*
 * Can so many files be opened, and so much memory be had? 0, -EMFILE or -ENOMEM. For libraries that
 * fail with another error then.
 */
int limits_leave(int files, size_t bytes);

/*
 * Runs @main on a stack of its own, in this thread: the initial one may not grow beyond
 * RLIMIT_STACK, and that is 64 KB on some systems. Returns the result of @main.
 */
int limits_run(int (*main)(int argc, char **argv), int argc, char **argv);

/*
 * As pthread_create(), with a stack that does not depend on RLIMIT_STACK. Signals are
 * blocked in the new thread: they are for the main one. Returns an errno.
 */
int thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
