/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits: the resource limits of this process (ulimit). This module alone changes them. main()
 * calls limits_begin(), a child that execs a COMMAND calls limits_restore(), cmd_fail() calls
 * limits_explain(), and all code that starts a thread calls thread_start().
 */
#ifndef GOTAP_BASE_LIMITS_H
#define GOTAP_BASE_LIMITS_H

#include <pthread.h>
#include <stddef.h>

/*
 * Raises the soft limit of open files to the hard limit. A write beyond the largest allowed file
 * (SIGXFSZ) then fails with an error, like a write to a full disk.
 */
void limits_begin(void);
/* For a child, before it execs: sets the limits to their values before limits_begin(). */
void limits_restore(void);

/*
 * A text to append to an error message: the limit that explains the negative errno @code, its
 * value, and how to raise it. "" if no limit explains @code.
 */
struct limits_text {
	char text[160];
};

struct limits_text limits_explain(int code);

/*
 * Checks that @files more files can be opened and @bytes more memory can be allocated. Returns 0,
 * -EMFILE or -ENOMEM. For libraries that fail with another error in these cases.
 */
int limits_leave(int files, size_t bytes);

/*
 * Runs @main on a new stack in this thread: the initial stack may not grow beyond RLIMIT_STACK,
 * which is 64 KB on some systems. Returns the result of @main.
 */
int limits_run(int (*main)(int argc, char **argv), int argc, char **argv);

/*
 * As pthread_create(), with a stack size that does not depend on RLIMIT_STACK. All signals are
 * blocked in the new thread, so that the main thread handles them. Returns an errno.
 */
int thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
