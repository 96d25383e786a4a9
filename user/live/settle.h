/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settle: waits until no thread can still be on its way from a probe that it
 * passed before recording began to the state change behind it. A thread that
 * was preempted there would change a state after we have read it, without a
 * record: on a machine under load that is milliseconds, not nanoseconds.
 *
 * A thread has arrived when it waits in a system call, for whatever reason, or has used the CPU
 * since. One that waits outside of a system call has not: in a page fault, stopped or frozen.
 */
#ifndef GOTAP_LIVE_SETTLE_H
#define GOTAP_LIVE_SETTLE_H

#include <stddef.h>
#include <stdint.h>

#include "live/process.h"
#include "live/stop_request.h"

/*
 * Waits at most @timeout_ns, or until @stop (may be NULL). Returns the number of threads that got
 * no CPU in that time: the first states of their goroutines may be wrong.
 */
size_t settle(const struct process *p, uint64_t timeout_ns, const struct stop_request *stop);

#endif
