/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority: the nice values of gotap's threads. This module keeps the initial value, so that
 * commands that gotap runs for the user do not inherit a higher priority. capture/capture.c raises
 * the priority, capture/guard.c changes that of single threads, flight/runner.c restores it.
 */
#ifndef GOTAP_BASE_PRIORITY_H
#define GOTAP_BASE_PRIORITY_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Sets the nice value of the calling thread, and of threads that it starts later, to @nice. Returns
 * false without the right to it (CAP_SYS_NICE or RLIMIT_NICE): the value does not change then.
 */
bool priority_raise(int nice);
/* Sets the nice value of one thread of this process, if gotap still has that right. */
void priority_set(pid_t thread, int nice);
/* Sets the nice value of one thread of this process to that before priority_raise(). */
void priority_reset(pid_t thread);
/* For a child, before it execs: sets the nice value to that before priority_raise(). */
void priority_restore(void);

#endif
