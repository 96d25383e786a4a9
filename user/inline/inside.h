/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: waits until no thread of the target can come back to gotap's code, to which nothing leads
 * any more; or until none has anything to do for a gotap that is gone.
 *
 * The code calls nothing outside of itself, so a thread that has left it comes back only from a
 * signal's handler that interrupted it there: then a signal frame on its stack says so. Other words
 * on a stack that look like the code's addresses are left over from earlier calls, and mean
 * nothing.
 */
#ifndef GOTAP_INLINE_INSIDE_H
#define GOTAP_INLINE_INSIDE_H

#include "inline/inject.h"

/*
 * The code [@start, @end). 0; -EBUSY after @timeout_ms; -ESRCH: the process has ended. Counts holds
 * in @held.
 */
int inside_wait(const struct process *p, uint64_t start, uint64_t end, int timeout_ms,
		struct holds *held, struct error *err);
/*
 * Waits until no thread of the target has a system call to make that an earlier gotap gave it, one
 * that has ended or gave up waiting. The thread makes the call as soon as it gets a processor.
 * Before that it is not known which memory is left in the target, and the call could close or
 * replace memory of another gotap. 0, or -EBUSY after @timeout_ms. Counts holds in @held.
 */
int inside_settle(const struct process *p, const struct inject_hosts *hosts, int timeout_ms,
		  struct holds *held, struct error *err);
/*
 * Is among the @n words of a stack, from its stack pointer @sp on, a signal frame of code in
 * [@start, @end), in which the thread still is?
 */
bool inside_frame(const uint64_t *words, size_t n, uint64_t sp, uint64_t start, uint64_t end);

#endif
