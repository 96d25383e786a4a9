/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot_stack: the stacks of goroutines that do not run, read from the process's memory along
 * their frame pointers. Part of the snapshot. It walks many goroutines at the same time, so that
 * one request reads a piece of each of their stacks.
 */
#ifndef GOTAP_LIVE_SNAPSHOT_STACK_H
#define GOTAP_LIVE_SNAPSHOT_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map64.h"
#include "base/vec.h"
#include "live/process.h"
#include "record.h"

/*
 * One goroutine's stack: where it begins (@pc, @bp, and the stack's bounds), and the frames that
 * were found.
 */
struct stack_walk {
	uint64_t pc, bp, lo, hi;
	uint64_t pcs[REC_MAX_FRAMES];
	size_t n;			/* number of pcs; 0: no stack to walk */
	bool cut;			/* the rest could not be read */
};

/* The caller sets @proc, @depth and @frames_left, and zeroes the rest. */
struct stack_reader {
	const struct process *proc;
	unsigned int depth;		/* frames per stack, at most REC_MAX_FRAMES - 1 */
	/* frames that the process's memory has room for, over all stacks */
	uint64_t frames_left;
	struct map64 recorded;		/* keys of stacks that have a record */
	struct window *windows;		/* STACK_WALKS of them; made when first used */
};

enum { STACK_WALKS = 512 };		/* stacks that one call can walk */

/* Walks @n stacks, at most STACK_WALKS; a stack with @pc 0 has no frames. */
void stack_walk_each(struct stack_reader *sr, struct stack_walk *walks, size_t n);
/*
 * Appends the REC_STACK of @w with time @now, unless there is a record of an equal stack. Returns
 * the key of the stack, 0 if it has no frames.
 */
uint64_t stack_walk_record(struct stack_reader *sr, const struct stack_walk *w, uint64_t now,
			   struct buf *out);
void stack_reader_free(struct stack_reader *sr);

#endif
