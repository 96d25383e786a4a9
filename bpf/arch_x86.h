/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_x86: the registers of amd64, as a probe finds them. Each architecture has a header with
 * these functions (goabi.h chooses it), so that the programs name no register.
 *
 * Go's ABIInternal (cmd/compile/abi-internal.md, since 1.17): g is R14, integer arguments are in
 * RAX, RBX, RCX, RDI, RSI, R8. At a function's entry the return address is at the stack pointer;
 * arguments on the stack (up to 1.16) are above it.
 */
#ifndef GOTAP_BPF_ARCH_X86_H
#define GOTAP_BPF_ARCH_X86_H

#include "arch_x86_args.h"
#include "read.h"

enum {
	ARCH_XOL_SLOT_BYTES = 128,	/* UPROBE_XOL_SLOT_BYTES of the kernel */
};

/*
 * Returns @v. Keeps the compiler from merging two loads from the context into one load at a
 * computed offset, which the verifier refuses.
 */
static __always_inline __u64 loaded(__u64 v)
{
	barrier_var(v);
	return v;
}

/* Further integer arguments; those before are in arch_x86_args.h. */
static __always_inline u64 arch_arg7(struct pt_regs *ctx) { return ctx->r9; }
static __always_inline u64 arch_arg8(struct pt_regs *ctx) { return ctx->r10; }
static __always_inline u64 arch_arg9(struct pt_regs *ctx) { return ctx->r11; }

static __always_inline u64 arch_ip(struct pt_regs *ctx) { return ctx->ip; }
static __always_inline u64 arch_sp(struct pt_regs *ctx) { return ctx->sp; }
static __always_inline u64 arch_fp(struct pt_regs *ctx) { return ctx->bp; }
static __always_inline u64 arch_g(struct pt_regs *ctx) { return ctx->r14; }
/* The address of the closure that runs; its captured variables follow it (since Go 1.17). */
static __always_inline u64 arch_closure(struct pt_regs *ctx) { return ctx->dx; }
/* The @n-th integer register of arguments and results (ABIInternal), from 0 on; 0 beyond them. */
static __always_inline u64 arch_int_register(struct pt_regs *ctx, u32 n)
{
	u64 ax = loaded(ctx->ax), bx = loaded(ctx->bx), cx = loaded(ctx->cx);
	u64 di = loaded(ctx->di), si = loaded(ctx->si), r8 = loaded(ctx->r8);
	u64 r9 = loaded(ctx->r9), r10 = loaded(ctx->r10), r11 = loaded(ctx->r11);

	return n == 0 ? ax : n == 1 ? bx : n == 2 ? cx : n == 3 ? di : n == 4 ? si :
	       n == 5 ? r8 : n == 6 ? r9 : n == 7 ? r10 : n == 8 ? r11 : 0;
}

/* The first argument of a C function. */
static __always_inline u64 arch_c_arg1(struct pt_regs *ctx) { return ctx->di; }

/*
 * Returns the register with number @n in the encoding of an instruction (ModRM). The decoders of
 * user/target/x86 report only these six; 0 for any other.
 */
static __always_inline u64 arch_reg(struct pt_regs *ctx, u32 n)
{
	u64 ax = loaded(ctx->ax), cx = loaded(ctx->cx), dx = loaded(ctx->dx);
	u64 bx = loaded(ctx->bx), si = loaded(ctx->si), di = loaded(ctx->di);

	return n == 0 ? ax : n == 1 ? cx : n == 2 ? dx : n == 3 ? bx : n == 6 ? si :
	       n == 7 ? di : 0;
}

/*
 * For a probe at the entry of a function, or where the function saves the frame pointer:
 * arch_link() is the register that leads to the return address, arch_return() reads the return
 * address from memory.
 */
static __always_inline u64 arch_link(struct pt_regs *ctx) { return ctx->sp; }
static __always_inline u64 arch_return(u64 link)
{
	u64 ret = 0;

	read_user(&ret, sizeof(ret), link);
	return ret;
}

/* Returns whether the conditional branch of a stack check (jbe), where the probe sits, is taken. */
static __always_inline bool arch_stack_grows(struct pt_regs *ctx)
{
	enum { CF = 1, ZF = 1 << 6 };

	return loaded(ctx->flags) & (CF | ZF);
}

/* --- a ucontext of a signal: uc_flags, uc_link, uc_stack, then struct sigcontext --- */

enum { ARCH_UC_FP = 120, ARCH_UC_SP = 160, ARCH_UC_IP = 168 };

static __always_inline u64 arch_uc_ip(u64 uc) { return read_u64(uc + ARCH_UC_IP); }
static __always_inline u64 arch_uc_fp(u64 uc) { return read_u64(uc + ARCH_UC_FP); }
/* The return address of a function without a frame: it is on top of the stack. */
static __always_inline u64 arch_uc_caller(u64 uc) { return read_u64(read_u64(uc + ARCH_UC_SP)); }

#endif
