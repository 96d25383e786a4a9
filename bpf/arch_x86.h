/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_x86: the registers of amd64, as a probe finds them. With a header of this name
 * for each architecture (goabi.h chooses) the programs name no register themselves.
 *
 * Go's ABIInternal (cmd/compile/abi-internal.md, since 1.17): g is R14, integer arguments
 * are in RAX, RBX, RCX, RDI, RSI, R8. At a function's entry the return address is at the
 * stack pointer, and where arguments are on the stack (to 1.16) they are above it.
 */
#ifndef GOTAP_BPF_ARCH_X86_H
#define GOTAP_BPF_ARCH_X86_H

#include "arch_x86_args.h"
#include "read.h"

enum {
	ARCH_XOL_SLOT_BYTES = 128,	/* UPROBE_XOL_SLOT_BYTES of the kernel */
	/* registers in a ucontext: uc_flags, uc_link, uc_stack, then struct sigcontext */
	ARCH_UC_FP = 120, ARCH_UC_SP = 160, ARCH_UC_IP = 168,
};

/* Keeps the compiler from merging two context loads into one at a computed offset. */
static __always_inline __u64 loaded(__u64 v)
{
	barrier_var(v);
	return v;
}

static __always_inline u64 arch_ip(struct pt_regs *ctx) { return ctx->ip; }
static __always_inline u64 arch_sp(struct pt_regs *ctx) { return ctx->sp; }
static __always_inline u64 arch_fp(struct pt_regs *ctx) { return ctx->bp; }
static __always_inline u64 arch_g(struct pt_regs *ctx) { return ctx->r14; }
/* The first argument of a C function. */
static __always_inline u64 arch_c_arg1(struct pt_regs *ctx) { return ctx->di; }

/*
 * The register with number @n in the encoding of an instruction (ModRM). The decoders of
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
 * For a probe at the entry of a function, or where it saves the frame pointer: the register
 * that leads to its return address, and from that the address, which takes a read of memory.
 */
static __always_inline u64 arch_link(struct pt_regs *ctx) { return ctx->sp; }
static __always_inline u64 arch_return(u64 link)
{
	u64 ret = 0;

	read_user(&ret, sizeof(ret), link);
	return ret;
}

/* At the conditional branch of a stack check (jbe): is it taken? */
static __always_inline bool arch_stack_grows(struct pt_regs *ctx)
{
	enum { CF = 1, ZF = 1 << 6 };

	return loaded(ctx->flags) & (CF | ZF);
}

#endif
