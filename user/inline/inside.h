/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: waits until no thread of the target can return to gotap's code, when no call leads there
 * any more; or until no thread has a system call to make for a gotap that is gone.
 *
 * The code calls no function outside of itself. A thread that has left the code therefore returns
 * to it only from a handler of a signal that interrupted it there, and the thread's stack then has
 * a signal frame. Other words on a stack that look like the code's addresses are left from earlier
 * calls, and mean nothing.
 */
#ifndef GOTAP_INLINE_INSIDE_H
#define GOTAP_INLINE_INSIDE_H

#include "inline/inject.h"

/*
 * Waits for the code [@start, @end). 0; -EBUSY after @timeout_ms; -ESRCH: the process has ended.
 * Counts holds in @held.
 */
int inside_wait(const struct process *p, uint64_t start, uint64_t end, int timeout_ms,
		struct holds *held, struct error *err);
/*
 * Waits until no thread of the target has a system call to make that an earlier gotap gave it and
 * did not wait for: that gotap has ended or given up. The thread makes the call as soon as it gets
 * a processor. Until then gotap cannot know which memory is left in the target, and the call could
 * close or replace memory of another gotap. 0, or -EBUSY after @timeout_ms. Counts holds in @held.
 */
int inside_settle(const struct process *p, const struct inject_hosts *hosts, int timeout_ms,
		  struct holds *held, struct error *err);
/*
 * Returns whether the @n words of a stack, from its stack pointer @sp on, have a signal frame of
 * code in [@start, @end), to which the thread will return.
 */
bool inside_frame(const uint64_t *words, size_t n, uint64_t sp, uint64_t start, uint64_t end);

#endif
