/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roots: where runtime.allgs and runtime.allp are in a running process. In: a
 * plan and the process. Out: the addresses of the two slices, by symbol, or in
 * a stripped program by their elements: each element of allgs is a g with a
 * sched.g that points back at it, and element i of allp is a P with the id i.
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
 * -ENOENT with a text if they cannot be found; nothing is guessed. @stop may be NULL; -EINTR:
 * @stop asks to stop.
 */
int roots_find(const struct plan *plan, const struct process *proc,
	       const struct stop_request *stop, struct roots *ret, struct error *err);

#endif
