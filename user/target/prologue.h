/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prologue: where in a Go function to put a uprobe. In: the function's code.
 * Out: its cheapest site at which the arguments are still where the caller put
 * them. Implemented by each architecture (target/code.h).
 *
 * The kernel emulates some instructions and single-steps the rest, on amd64 at ten times the cost
 * (0.8 against 10 us). The best emulated instruction is one after the stack check: it runs once per
 * call, while the entry runs again after the stack grew. The second best is the branch of the stack
 * check, whose hit is ignored when the branch is taken (the function then starts again). The third
 * best is the first branch, or a nop, in the straight code at the start.
 */
#ifndef GOTAP_TARGET_PROLOGUE_H
#define GOTAP_TARGET_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "target/gobin.h"

enum site_kind {
	SITE_FRAME,	/* what saves the caller's frame pointer, behind the stack check if any */
	SITE_BRANCH,	/* a conditional one */
	SITE_NOP,
};

struct site {
	uint32_t offset;	/* from the start of the function */
	enum site_kind kind;
	uint8_t len;		/* of the instruction there */
	uint8_t cond;		/* SITE_BRANCH: its condition, as the instruction has it */
	/*
	 * SITE_BRANCH: this is the stack check. If it is taken, the stack grows and
	 * the function starts again: the hit must be dropped.
	 */
	bool drop_taken;
	uint32_t frame;		/* the return address is at the stack pointer + frame */
	/*
	 * Registers that may differ from what they were on entry, as bits 1 << number.
	 * Stack and frame pointer are not in it, since frame and kind give them: at any site
	 * but SITE_FRAME with frame != 0, the frame pointer is already this function's own.
	 */
	uint16_t lost_regs;
	char text[80];		/* "push %rbp at +0x6" */
};

/*
 * Picks the site in the function whose @n bytes are @code. -ENOTSUP if there
 * is none that is provably an instruction boundary, emulated, and run exactly
 * once per call (not counting hits to drop).
 */
int prologue_site(const uint8_t *code, size_t n, struct site *ret);

/* The same for a function of a binary; the errors have a text. */
int prologue_site_of(const struct gobin *b, const struct gobin_func *fn, struct site *ret,
		     struct error *err);

#endif
