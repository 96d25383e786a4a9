/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority: the nice value of gotap's threads. This module keeps the initial value, so that
 * commands that gotap runs for the user do not inherit a higher priority. capture/capture.c raises
 * the priority, flight/exec.c restores it.
 */
#ifndef GOTAP_BASE_PRIORITY_H
#define GOTAP_BASE_PRIORITY_H

/*
 * Sets the nice value of the calling thread, and of threads that it starts later, to @nice. Without
 * CAP_SYS_NICE it does not change.
 */
void priority_raise(int nice);
/* For a child, before it execs: sets the nice value to that before priority_raise(). */
void priority_restore(void);

#endif
