/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_x86_args: arguments and frames of Go on amd64, for probes (arch_x86.h) and for
 * code inside the target (inline/arch_x86_stub.h), each with its own struct pt_regs.
 * Integer arguments are in the registers of ABIInternal.
 */
#ifndef GOTAP_BPF_ARCH_X86_ARGS_H
#define GOTAP_BPF_ARCH_X86_ARGS_H

enum {
	ARCH_CALL_LEN = 5,	/* bytes of a direct call */
	ARCH_USER_BITS = 47,	/* of an address of a program */
	ARCH_CALL_WORD = 0,	/* word of the stack that has the first argument, at a call */
	ARCH_PUSHED = 8,	/* bytes that a call takes from the stack: its return address */
};

/*
 * Returns the stack pointer of the caller at the call of the function with the frame pointer @fp:
 * above the saved frame pointer and the return address.
 */
static __always_inline u64 arch_caller_sp(u64 fp) { return fp + 16; }
/* The same, where the frame pointer @saved that the function has saved is known. */
static __always_inline u64 arch_sp_above(u64 fp, u64 saved) { return fp + 16; }
/* Returns the end of the variables in the frame of that function. */
static __always_inline u64 arch_frame_end(u64 fp) { return fp; }

/* Returns the address of code that the return address @ret in a frame stands for. */
static __always_inline u64 arch_code(u64 ret) { return ret; }
/* Returns the frame pointer after @fp, where the frame at @fp has saved @saved. */
static __always_inline u64 arch_next_fp(u64 fp, u64 saved) { return saved; }

/* Stores @v where other CPUs look for it: who sees it sees all stores before it. */
static __always_inline void arch_publish(u64 *at, u64 v)
{
	barrier();	/* x86 shows stores in their order */
	*at = v;
}

static __always_inline u64 arch_arg1(struct pt_regs *ctx) { return ctx->ax; }
static __always_inline u64 arch_arg2(struct pt_regs *ctx) { return ctx->bx; }
static __always_inline u64 arch_arg3(struct pt_regs *ctx) { return ctx->cx; }
static __always_inline u64 arch_arg4(struct pt_regs *ctx) { return ctx->di; }
static __always_inline u64 arch_arg5(struct pt_regs *ctx) { return ctx->si; }
static __always_inline u64 arch_arg6(struct pt_regs *ctx) { return ctx->r8; }

#endif
