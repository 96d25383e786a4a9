/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_lock: which lock a semaphore's word belongs to, by the function that waits. A wait reason
 * names the type of the lock only since Go 1.20, that of a WaitGroup since Go 1.24.
 */
#ifndef GOTAP_READ_WAIT_LOCK_H
#define GOTAP_READ_WAIT_LOCK_H

#include "read/v2_table.h"
#include "trace/wait.h"

/*
 * Turns @wait, of kind WAIT_SEMAPHORE, into a wait for the lock around it, if one of the first
 * frames of @stack, which may be NULL, is a function of such a lock.
 */
void wait_name_lock(struct trace_wait *wait, const struct v2_tables *t,
		    const struct v2_stack *stack);

#endif
