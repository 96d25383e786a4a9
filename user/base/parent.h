/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parent: a gotap that gotap has started as its child ends when the thread that has started it ends, however that ends:
 * it gets SIGTERM (PR_SET_PDEATHSIG). The child asks for that after its exec, since the kernel forgets it at an exec that
 * gives privileges, such as that of a gotap with file capabilities (prctl(2)). cmd/recorder.c and serve/run.c give it
 * parent_option() as its first argument; main() calls parent_take().
 */
#ifndef GOTAP_BASE_PARENT_H
#define GOTAP_BASE_PARENT_H

#include <stdbool.h>

/* Names this process; the caller frees it. */
char *parent_option(void);
/* Is @arg such an option? Then it has its effect. The process ends if the one that it names has ended. */
bool parent_take(const char *arg);

#endif
