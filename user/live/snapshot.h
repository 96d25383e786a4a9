/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot: the goroutines and Ps of a running process, read from its memory without stopping it,
 * as records. It is taken after the probes are active. A goroutine or P that changes meanwhile has
 * a record, and the record decides. A goroutine or P without a record did not change, so that the
 * state that was read is exact.
 */
#ifndef GOTAP_LIVE_SNAPSHOT_H
#define GOTAP_LIVE_SNAPSHOT_H

#include <stdbool.h>

#include "base/error.h"
#include "plan/plan.h"
#include "live/process.h"
#include "live/roots.h"
#include "live/stop_request.h"

struct snapshot_counts {
	size_t goroutines, procs;
	size_t unreadable;	/* reads of goroutines that failed */
	size_t unreadable_spans;
};

struct snapshot_opts {
	unsigned int stack_depth;
	/* the caller knows already that the plan describes this process */
	bool fits;
	const struct stop_request *stop;	/* may be NULL */
};

/* Appends a REC_SNAP_P_NAME for each P. The caller calls it before the probes become active. */
int snapshot_names(const struct plan *plan, const struct process *proc,
		   const struct roots *roots, struct buf *out, struct error *err);
/*
 * Returns whether the memory of a program that has started has the structures of @plan: goroutines,
 * threads and Ps must point back at their owners. False also if the runtime has not made them yet,
 * or if @stop (may be NULL) asks to stop.
 */
bool snapshot_fits(const struct plan *plan, const struct process *proc,
		   const struct stop_request *stop);
/*
 * Appends REC_SNAP_P, REC_SNAP_G, a REC_STACK for goroutines that wait, and the records of
 * snapshot_memory.h, but no REC_SNAP_END. -EINTR: @opts->stop asks to stop; -ETIMEDOUT: the memory
 * does not answer.
 */
int snapshot_take(const struct plan *plan, const struct process *proc, const struct roots *roots,
		  const struct snapshot_opts *opts, struct buf *out, struct snapshot_counts *counts,
		  struct error *err);

#endif
