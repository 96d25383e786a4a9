/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release: what differs between Go releases on the way from records to
 * events: reasons and the number of leaf frames that the runtime's tracer
 * leaves out. @minor is the NN of go1.NN throughout.
 */
#ifndef GOTAP_SCHED_RELEASE_H
#define GOTAP_SCHED_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

/*
 * The reason of a GoBlock for runtime.waitReason @wr; "unspecified" for a
 * number that the release does not have.
 */
const char *release_block_reason(int minor, unsigned int wr);

/* Is a g in _Gwaiting with @wr really running (worked on by the collector and the like)? */
bool release_wait_is_running(int minor, unsigned int wr);

/* Is @wr one that only the collector's workers (gcBgMarkWorker) wait with? */
bool release_wait_is_worker(int minor, unsigned int wr);

/*
 * The text of runtime.stwReason @reason (Go 1.21 and later; the numbers are the
 * same in all), up to 1.20 that of m.preemptoff, which begins with the bytes of @old.
 */
const char *release_stw_reason(int minor, unsigned int reason, uint64_t old);

/*
 * Leaf frames to leave out of a stack of @class, @recorded being what its
 * record carries for the classes whose skip is an argument in the runtime.
 */
unsigned int release_stack_skip(int minor, enum stack_class class, unsigned int recorded);

/*
 * Up to Go 1.21 ready() has not kept its traceskip when its stack is taken.
 * Then the leaf frames to leave out are told by their names, from goready on.
 */
bool release_skips_by_name(int minor, enum stack_class class);
bool release_is_waker(const char *func);

#endif
