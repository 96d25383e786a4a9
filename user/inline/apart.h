/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apart: work on stopped threads in a child of the prober. If the work takes too long, because the
 * target gets no processor or is frozen, the prober kills the child, and the kernel then continues
 * all threads that the child had stopped.
 */
#ifndef GOTAP_INLINE_APART_H
#define GOTAP_INLINE_APART_H

#include <stddef.h>

/* Returns zeroed memory that the child shares with the caller; NULL if there is none. */
void *apart_memory(size_t size);
/*
 * Calls @work(@shared) in a child, which has no descriptors. The work should end within
 * @timeout_ms; the child is killed 500 ms later. 0: the work has ended; -ECANCELED: the child was
 * killed, by this process or by another; another errno: the child could not be started.
 */
int apart_run(void (*work)(void *shared), void *shared, int timeout_ms);

#endif
