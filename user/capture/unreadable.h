/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unreadable: memory of the target that probes found not to be there: a page that is
 * swapped out, or without access for the moment. A probe cannot wait for it. Each CPU counts
 * the reads that failed and keeps the address of the last frame of a stack among them
 * (bpf/read.h, bpf/stack.bpf.c). Called by the drain.
 */
#ifndef GOTAP_CAPTURE_UNREADABLE_H
#define GOTAP_CAPTURE_UNREADABLE_H

#include <stdint.h>

#include "base/vec.h"
#include "live/process.h"
#include "rings/ring_set.h"

struct unreadable {
	struct vec reported;	/* uint64_t, by ring */
};

/*
 * Appends a REC_UNREADABLE with time @now for each CPU whose count has grown, and has the
 * frames' pages brought in, so that the next walk over them is whole. Waits for nothing.
 */
void unreadable_report(struct unreadable *u, const struct ring_set *rings, const struct process *p,
		       uint64_t now, struct buf *out);
void unreadable_free(struct unreadable *u);

#endif
