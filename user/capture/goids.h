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
#include "stream/chunk.h"

struct goids {
	const struct process *proc;
	uint64_t offset;	/* of goid in runtime.g */
	struct vec unnamed;	/* struct unnamed: creations that have no goid yet */
};

void goids_init(struct goids *n, const struct plan *plan, const struct process *proc);
void goids_free(struct goids *n);
/*
 * Appends a REC_GOID to @c for each creation, there up to @end or earlier, that has its goid by
 * now.
 */
void goids_add(struct goids *n, struct chunk *c, size_t end);

#endif
