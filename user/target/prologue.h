/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prologue: where in a Go function to put a uprobe. In: the function's code.
 * Out: its cheapest site at which the arguments are still where the caller put
 * them.
 *
 * The kernel emulates `push reg`, conditional jumps and `nop` and single-steps
 * the rest, at ten times the cost (0.8 against 10 us). Go functions begin with
 * one of these (cmd/internal/obj/x86/obj6.go):
 *
 *	nosplit, since Go 1.21		push %rbp; ...
 *	split stack, since 1.21		cmp 0x10(%r14),%rsp; jbe; push %rbp
 *	  large frame			lea -N(%rsp),%r12; cmp; jbe; push
 *	  huge frame			mov %rsp,%r12; sub $N,%r12; jb; cmp; jbe; push
 *	split stack, up to 1.20		the same checks (1.15: g in %rcx, from %fs); jbe;
 *					sub $N,%rsp; mov %rbp,..; lea ..,%rbp
 *	nosplit, up to 1.20		sub $N,%rsp; mov %rbp,..; lea ..,%rbp; ...
 *
 * so the site is the `push %rbp`, which also runs once per call where the entry
 * runs again after the stack grew; else the `jbe` of the stack check, to be
 * ignored when it jumps (then the function starts again); else the first
 * conditional jump, or failing that a nop, of the straight code at the start.
 */
#ifndef GOTAP_TARGET_PROLOGUE_H
#define GOTAP_TARGET_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "target/gobin.h"

enum site_kind {
	SITE_PUSH_RBP,
	SITE_JCC,
	SITE_NOP,
};

struct site {
	uint32_t offset;	/* from the start of the function */
	enum site_kind kind;
	uint8_t len;		/* of the instruction there */
	uint8_t cond;		/* SITE_JCC: the low four bits of its opcode, enum x86_cond */
	/*
	 * SITE_JCC: this is the stack check. If it jumps (CF or ZF set: the
	 * condition is always "below or equal"), the stack grows and the function
	 * starts again: the hit must be dropped.
	 */
	bool drop_taken;
	uint32_t frame;		/* the return address is at rsp + frame */
	/*
	 * Registers that may differ from what they were on entry, as bits
	 * 1 << enum x86_reg. rsp and rbp are told apart by frame and kind: at
	 * any site but SITE_PUSH_RBP with frame != 0, rbp is already this
	 * function's own.
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
