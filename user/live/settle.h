/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settle: waits until no thread can be between a probe that it passed before recording began and
 * the state change after that probe. A thread that was preempted there would change a state without
 * a record after gotap has read the state. On a machine under load that takes milliseconds, not
 * nanoseconds.
 *
 * A thread has settled when it waits in a system call, for any reason, or has used the CPU since. A
 * thread that waits outside of a system call has not: in a page fault, stopped or frozen.
 */
#ifndef GOTAP_LIVE_SETTLE_H
#define GOTAP_LIVE_SETTLE_H

#include <stddef.h>
#include <stdint.h>

#include "live/process.h"
#include "live/stop_request.h"

/*
 * Waits at most @timeout_ns, or until @stop (may be NULL) asks to stop. Returns the number of
 * threads that got no CPU in that time: the first states of their goroutines may be wrong.
 */
size_t settle(const struct process *p, uint64_t timeout_ns, const struct stop_request *stop);

#endif
