/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child: forks a process that continues with gotap's code, and closes descriptors that it must not
 * keep. attach/prober, live/memory, base/isolated and base/isolated_service call this module.
 */
#ifndef GOTAP_BASE_CHILD_H
#define GOTAP_BASE_CHILD_H

#include <sys/types.h>

/*
 * fork() with all signals blocked, before the fork and in the child, so that no signal reaches the
 * child at any moment: the main process of gotap handles the signals that a terminal sends to all
 * of gotap's processes. The parent gets its signal mask back. Signals of CPU faults and of resource
 * limits end a process that blocks them, too.
 */
pid_t fork_deaf(void);

/* Closes the descriptors from @first to @last; INT_MAX: all from @first on. */
void close_between(int first, int last);

#endif
