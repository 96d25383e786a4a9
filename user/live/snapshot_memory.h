/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot_memory: the spans of pages that exist when gotap attaches, for the groups `spans` and
 * `stacks` (runtime/traceallocfree.go, traceSnapshotMemory). They are part of the snapshot, with
 * its rule: a span that changes during the read has a record.
 */
#ifndef GOTAP_LIVE_SNAPSHOT_MEMORY_H
#define GOTAP_LIVE_SNAPSHOT_MEMORY_H

#include <stdint.h>

#include "base/vec.h"
#include "plan/plan.h"
#include "live/process.h"
#include "live/stop_request.h"

/*
 * Appends REC_SNAP_MEMORY, and a REC_SNAP_SPAN for each span if @plan has the group. Appends
 * nothing if the address of runtime.mheap_ is not known or its fields have impossible values.
 * Returns how many reads failed.
 */
size_t snapshot_memory(const struct plan *plan, const struct process *proc, uint64_t now,
		       const struct stop_request *stop, struct buf *out);

/*
 * For group `objects`, before the probes are active: reads the program's type descriptors. The read
 * brings pages that the program has not used yet into its memory, which a probe cannot do.
 */
void snapshot_touch_types(const struct plan *plan, const struct process *proc,
			  const struct stop_request *stop);

#endif
