/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roots: the addresses of runtime.allgs and runtime.allp in a running process. In: a plan and the
 * process. Out: the addresses of the two slices. They come from symbols or, in a stripped program,
 * from the elements: each element of allgs is a g with a sched.g that points back to it, and
 * element i of allp is a P with the id i.
 */
#ifndef GOTAP_LIVE_ROOTS_H
#define GOTAP_LIVE_ROOTS_H

#include "base/error.h"
#include "plan/plan.h"
#include "live/process.h"
#include "live/stop_request.h"

struct roots {
	uint64_t allgs, allp;	/* addresses in the process */
};

/*
 * Finds the roots. -ENOENT with a text if they cannot be found with certainty; -EINTR: @stop (may
 * be NULL) asks to stop.
 */
int roots_find(const struct plan *plan, const struct process *proc,
	       const struct stop_request *stop, struct roots *ret, struct error *err);

#endif
