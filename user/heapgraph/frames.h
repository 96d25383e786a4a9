/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames: the words of a goroutine's stack that are pointers at this place by the compiler's
 * bitmaps, as the collector takes them (runtime/stkframe.go, getStackMap). In: the bytes of a
 * stack. Out: words. Variables whose address is taken (stack objects) all count, with each word.
 *
 * The bitmaps hold at calls. Where a frame was interrupted, where a panic or Goexit runs deferred
 * functions, where C or an assembly function without bitmaps is on the stack, each word from there
 * to the root of the stack counts.
 */
#ifndef GOTAP_HEAPGRAPH_FRAMES_H
#define GOTAP_HEAPGRAPH_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/map64.h"
#include "base/vec.h"
#include "heapgraph/heapgraph.h"

/* A zeroed struct is empty but for hg; the facts are kept by pc. */
struct frames {
	struct heapgraph *hg;
	struct map64 known;		/* pc -> number in facts */
	struct vec facts;
};

struct frames_stack {
	uint64_t pc, sp;
	const uint8_t *bytes;		/* from sp on */
	size_t n;
};

/* Adds the pointers of the stack as edges of the current node. */
void frames_scan(struct frames *f, const struct frames_stack *stack);
void frames_free(struct frames *f);

#endif
