/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parent: ends a gotap that another gotap has started, when the thread that started it ends for any
 * reason: the child gets SIGTERM (PR_SET_PDEATHSIG). The child requests the signal after its exec,
 * since the kernel clears the request at an exec that gives privileges, such as that of a gotap
 * with file capabilities (prctl(2)). cmd/follow/recorder.c and serve/run.c pass parent_option() as
 * the child's first argument; main() calls parent_take().
 */
#ifndef GOTAP_BASE_PARENT_H
#define GOTAP_BASE_PARENT_H

#include <stdbool.h>

/* The option for a child, with the process id of this process; the caller frees it. */
char *parent_option(void);
/*
 * If @arg is an option of parent_option(): requests SIGTERM at the end of the parent and returns
 * true. Exits if the process of the option has already ended.
 */
bool parent_take(const char *arg);

#endif
