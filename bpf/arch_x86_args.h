/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_x86_args: integer arguments of Go's ABIInternal on amd64, for probes (arch_x86.h) and for
 * code inside the target (inline/arch_x86_stub.h), each with its own struct pt_regs.
 */
#ifndef GOTAP_BPF_ARCH_X86_ARGS_H
#define GOTAP_BPF_ARCH_X86_ARGS_H

enum {
	ARCH_CALL_LEN = 5,	/* bytes of a direct call */
	ARCH_USER_BITS = 47,	/* of an address of a program */
	ARCH_CALL_WORD = 0,	/* word of the stack that has the first argument, at a call */
};

static __always_inline u64 arch_arg1(struct pt_regs *ctx) { return ctx->ax; }
static __always_inline u64 arch_arg2(struct pt_regs *ctx) { return ctx->bx; }
static __always_inline u64 arch_arg3(struct pt_regs *ctx) { return ctx->cx; }
static __always_inline u64 arch_arg4(struct pt_regs *ctx) { return ctx->di; }
static __always_inline u64 arch_arg5(struct pt_regs *ctx) { return ctx->si; }
static __always_inline u64 arch_arg6(struct pt_regs *ctx) { return ctx->r8; }

#endif
