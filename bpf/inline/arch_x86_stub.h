/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_x86_stub: the functions of arch_x86.h for code inside the target: from the registers that
 * stub.S has saved at a call of a Go function.
 */
#ifndef GOTAP_BPF_ARCH_X86_STUB_H
#define GOTAP_BPF_ARCH_X86_STUB_H

#include "arch_x86_args.h"
#include "read.h"

register u64 arch_r14 __asm__("r14");

static __always_inline u64 loaded(u64 v) { return v; }
/* The stack pointer at the call, before the call has pushed its return address. */
static __always_inline u64 arch_sp(struct pt_regs *ctx) { return ctx->sp + 8; }
static __always_inline u64 arch_g(struct pt_regs *ctx) { return arch_r14; }

/*
 * RBP at the call: the frame of the calling Go function, which lies above the stack pointer.
 * Assembly code may keep any value in RBP: one outside of that range counts as no frame pointer and
 * is not followed.
 */
static __always_inline u64 arch_fp(struct pt_regs *ctx)
{
	enum { LARGEST = 1 << 20 };

	return ctx->bp - ctx->sp < LARGEST ? ctx->bp : 0;
}

/*
 * The call has run: its return address is on the stack, and the call lies ARCH_CALL_LEN bytes
 * before that address.
 */
static __always_inline u64 arch_link(struct pt_regs *ctx) { return ctx->sp; }
static __always_inline u64 arch_return(u64 link) { return *(u64 *)link; }
static __always_inline u64 arch_ip(struct pt_regs *ctx)
{
	return arch_return(arch_link(ctx)) - ARCH_CALL_LEN;
}

/* No probe of inline code lies inside a function, so that none asks for an operand's register. */
static __always_inline u64 arch_reg(struct pt_regs *ctx, u32 n) { return 0; }

#endif
