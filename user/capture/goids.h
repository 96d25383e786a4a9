/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goids: adds the goid of goroutines that had none yet when their creation was recorded (up
 * to Go 1.23, where runtime.newproc1 assigns goid after the status change). The drain thread
 * reads them from the program's memory.
 */
#ifndef GOTAP_CAPTURE_GOIDS_H
#define GOTAP_CAPTURE_GOIDS_H

#include "live/process.h"
#include "plan/plan.h"
#include "rings/ring_set.h"
#include "stream/chunk.h"

struct goids {
	const struct process *proc;
	uint64_t offset;	/* of goid in runtime.g */
	struct vec unnamed;	/* struct unnamed: creations that have no goid yet */
	uint64_t created;	/* records of creations that were looked at */
};

void goids_init(struct goids *n, const struct plan *plan, const struct process *proc);
void goids_free(struct goids *n);
/*
 * Appends a REC_GOID to @c for each creation, there up to @end or earlier, that has its goid by
 * now. The records up to @end are those that were taken from @rings since the last call.
 */
void goids_add(struct goids *n, const struct ring_set *rings, struct chunk *c, size_t end);

#endif
