/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apart: work on stopped threads in a child of the prober. When it takes too long, because the
 * target gets no processor or is frozen, the child is killed, with which the kernel lets each
 * thread go that it has stopped.
 */
#ifndef GOTAP_INLINE_APART_H
#define GOTAP_INLINE_APART_H

#include <stddef.h>

/* Zeroed memory that the child shares with us; NULL: there is none. */
void *apart_memory(size_t size);
/*
 * @work(@shared) in a child, which has no descriptors. It should end within @timeout_ms, and is
 * killed 500 ms later. 0: it has ended; -ECANCELED: it was killed, by us or by others; else it
 * could not be started.
 */
int apart_run(void (*work)(void *shared), void *shared, int timeout_ms);

#endif
