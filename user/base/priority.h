/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority: the nice value of gotap's threads. Owns the one that gotap began with, so that commands
 * which gotap runs for the user do not inherit a higher priority. capture/capture.c raises it,
 * flight/exec.c restores it.
 */
#ifndef GOTAP_BASE_PRIORITY_H
#define GOTAP_BASE_PRIORITY_H

/*
 * The calling thread, and those that it starts from now on, get nice value @nice; without
 * CAP_SYS_NICE nothing changes.
 */
void priority_raise(int nice);
/* In a child, before it execs: the nice value is the one before priority_raise(). */
void priority_restore(void);

#endif
