/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settle: waits until no thread can still be on its way from a probe that it
 * passed before recording began to the state change behind it. A thread that
 * was preempted there would change a state after we have read it, without a
 * record: on a machine under load that is milliseconds, not nanoseconds.
 *
 * A thread has arrived when it sleeps in a syscall, or is stopped in one, or has used the CPU
 * since.
 */
#ifndef GOTAP_LIVE_SETTLE_H
#define GOTAP_LIVE_SETTLE_H

#include <stddef.h>
#include <stdint.h>

#include "live/process.h"
#include "live/stop_request.h"

/*
 * Waits at most @timeout_ns, or until @stop (may be NULL). Returns the number of threads that got no CPU in
 * that time: their goroutines may be told wrongly at first.
 */
size_t settle(const struct process *p, uint64_t timeout_ns, const struct stop_request *stop);

#endif
