/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child: forks a process that goes on as gotap's code, and closes the descriptors that it
 * must not keep. attach/prober, live/memory, base/isolated and base/isolated_service call it.
 */
#ifndef GOTAP_BASE_CHILD_H
#define GOTAP_BASE_CHILD_H

#include <sys/types.h>

/*
 * fork() with all signals blocked, also over the fork, so that the child has no moment
 * without: a signal that the terminal sends to all of gotap's processes is gotap's to
 * handle. The parent gets its mask back. Faults of the machine and limits end a process
 * that blocks signals, too.
 */
pid_t fork_deaf(void);

/* Closes the descriptors from @first to @last; INT_MAX: all from @first on. */
void close_between(int first, int last);

#endif
