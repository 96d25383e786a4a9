/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sema_slot: where the frame of runtime.semacquire1 has the sudog of its wait. In: code. Out: an
 * offset from the stack pointer.
 *
 * The elem of that sudog is the address of the semaphore's word, which names the lock. Since Go
 * 1.26 g.waiting leads to the sudog, too. Before, only the frame does: the sudog is the result of
 * runtime.acquireSudog and is needed after the wait, so that the compiler keeps it on the stack.
 */
#ifndef GOTAP_TARGET_SEMA_SLOT_H
#define GOTAP_TARGET_SEMA_SLOT_H

#include <stdint.h>

#include "target/gobin.h"

/*
 * Stores the code of semacquire1 in *@start and *@end, and the slot. -ENOTSUP: the first
 * instruction that uses the result of acquireSudog does not store it on the stack; -ENOENT: the
 * binary has no such function.
 */
int sema_slot(const struct gobin *b, uint64_t *start, uint64_t *end, uint32_t *slot);

#endif
