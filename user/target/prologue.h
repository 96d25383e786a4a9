/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prologue: where in a Go function to put a uprobe. In: the function's code. Out: the cheapest site
 * at which the arguments are still where the caller put them. Each architecture implements this
 * header (target/code.h).
 *
 * The kernel emulates some instructions and single-steps the rest, on amd64 at ten times the cost
 * (0.8 against 10 us). The best emulated instruction is one after the stack check: it runs once per
 * call, while the entry runs again after the stack grew. The second best is the branch of the stack
 * check, where a hit is ignored if the branch is taken (the function then starts again). The third
 * best is the first branch, or a nop, in the straight code at the start; with a link register, the
 * first call there, before which the return address is still in it.
 */
#ifndef GOTAP_TARGET_PROLOGUE_H
#define GOTAP_TARGET_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "target/gobin.h"

enum site_kind {
	/*
	 * the instruction that saves the caller's frame pointer, after the stack check if there is
	 * one
	 */
	SITE_FRAME,
	SITE_BRANCH,	/* a conditional branch */
	SITE_NOP,
	SITE_CALL,		/* the first call, a direct one; only with a link register */
};

struct site {
	uint32_t offset;	/* from the start of the function */
	enum site_kind kind;
	uint8_t len;		/* of the instruction there */
	uint8_t cond;		/* SITE_BRANCH: condition code of the branch */
	/*
	 * SITE_BRANCH: the branch is the stack check. If it is taken, the stack grows and the
	 * function starts again: the program must drop the hit.
	 */
	bool drop_taken;
	/*
	 * the return address is at the stack pointer + frame; with a link register: it is there,
	 * and not 0 means that the function has made its frame
	 */
	uint32_t frame;
	/*
	 * Registers that may differ from their value on entry, as bits 1 << number. Stack pointer
	 * and frame pointer are not among them, since @frame and @kind give them: the frame pointer
	 * is the caller's at SITE_FRAME and where @frame is 0, and this function's own at any other
	 * site.
	 */
	uint32_t lost_regs;
	char text[80];		/* "push %rbp at +0x6" */
};

/*
 * Picks the site in @fn. -ENOTSUP, with a text, if no instruction is provably an instruction
 * boundary, emulated, and run exactly once per call (hits that are dropped do not count).
 */
int prologue_site_of(const struct gobin *b, const struct gobin_func *fn, struct site *ret,
		     struct error *err);

/* Returns whether a probe can sit at the first instruction of @fn, and each call runs it once. */
bool prologue_runs_first_once(const struct gobin *b, const struct gobin_func *fn);

#endif
