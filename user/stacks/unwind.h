/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind: from a pc and a stack pointer to return addresses, as the runtime's own traceback does it
 * (runtime/traceback.go, unwinder): by the distance from the stack pointer to the caller's frame in
 * the function table. With a link register the return address is at the bottom of a function's
 * frame, else above it. It needs no frame pointers, and finds the same frames as the runtime, also
 * in assembly functions and in callbacks from C. In: memory of a goroutine's stack. Out: addresses
 * for symbolizer_calls(). Called by goroutines.c.
 */
#ifndef GOTAP_STACKS_UNWIND_H
#define GOTAP_STACKS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map64.h"
#include "base/vec.h"
#include "live/process.h"
#include "symbol/goarch.h"
#include "symbol/symbol.h"

/*
 * A longer stack keeps its innermost and outermost frames. The runtime's own traceback keeps 50 of
 * each.
 */
enum { UNWIND_INNER = 200, UNWIND_OUTER = 50, UNWIND_MAX = UNWIND_INNER + UNWIND_OUTER };

struct unwinder {
	struct symbolizer *symbols;
	const struct process *proc;
	const struct goarch *arch;	/* of the program */
	uint64_t words_left;		/* frames that may still be read, over all stacks */
	struct map64 known;		/* pc -> index + 1 in facts; only of pcs in functions */
	struct vec facts;
	struct unwind_window *window;
};

/* Where a stack begins, and a part of it that was read already: @n bytes at @sp, @n may be 0. */
struct unwind_start {
	uint64_t pc, sp, lo, hi;
	/* the link register at @pc, where the architecture has one; 0: not known, or not needed */
	uint64_t link;
	/* @pc is where a thread was interrupted, not a return address */
	bool trap;
	const uint8_t *bytes;
	size_t n;
};

struct unwound {
	/*
	 * Leaf first. As in runtime.tracebackPCs, the call of each frame lies before its address.
	 * The address of a frame that was interrupted (trap, unwind_injects()) is therefore one
	 * more than the pc at which the frame goes on.
	 */
	uint64_t pcs[UNWIND_MAX];
	size_t n;
	uint64_t left_out;		/* frames between the first UNWIND_INNER and the others */
	bool cut;			/* there are more frames, which could not be read */
	bool trap;			/* the first frame was interrupted */
};

void unwind(struct unwinder *u, const struct unwind_start *from, struct unwound *ret);
/*
 * Returns whether @pc is in a function that a signal handler calls, so that the next frame was
 * interrupted.
 */
bool unwind_injects(struct unwinder *u, uint64_t pc);
/* Returns the start of the function around @pc; 0: none. */
uint64_t unwind_entry(struct unwinder *u, uint64_t pc);
void unwinder_free(struct unwinder *u);

#endif
