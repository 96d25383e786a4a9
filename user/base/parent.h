/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parent: a gotap that gotap has started as its child ends when the thread that has started it
 * ends, however that ends: it gets SIGTERM (PR_SET_PDEATHSIG). The child asks for that after its
 * exec, since the kernel forgets it at an exec that gives privileges, such as that of a gotap with
 * file capabilities (prctl(2)). cmd/follow/recorder.c and serve/run.c give it parent_option() as
 * its first argument; main() calls parent_take().
 */
#ifndef GOTAP_BASE_PARENT_H
#define GOTAP_BASE_PARENT_H

#include <stdbool.h>

/* The option for a child, with the id of this process in it; the caller frees it. */
char *parent_option(void);
/*
 * If @arg is such an option: asks the kernel for SIGTERM at the parent's end, and returns true.
 * Exits if the process named in the option has ended already.
 */
bool parent_take(const char *arg);

#endif
