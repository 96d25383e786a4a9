/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_arm64: the registers of arm64, as a probe finds them; the functions are those of arch_x86.h.
 *
 * Go's ABIInternal on arm64 (since 1.18): integer arguments are in R0 to R15. g is R28 in every
 * release. The return address of a function is in R30 until its prologue has stored it; a frame
 * pointer leads to the saved frame pointer of the caller, with the return address above it, as on
 * amd64. Word 0 of a frame is free for the return address, so that arguments on the stack begin at
 * word 1 also at a call.
 */
#ifndef GOTAP_BPF_ARCH_ARM64_H
#define GOTAP_BPF_ARCH_ARM64_H

#include "read.h"

enum {
	ARCH_CALL_LEN = 4,		/* bytes of a direct call */
	/*
	 * UPROBE_XOL_SLOT_BYTES of the kernel is 4: after the step the pc is behind the slot, until
	 * the kernel has put it back
	 */
	ARCH_XOL_SLOT_BYTES = 8,
	ARCH_USER_BITS = 48,		/* of an address of a program */
	ARCH_CALL_WORD = 1,		/* word of the stack with the first argument, at a call */
	ARCH_PUSHED = 0,		/* bytes that a call takes from the stack */
};

/*
 * As in arch_x86_args.h. The frame pointer of a function is one word below its stack pointer, and
 * its frame has any size; the saved one is one word below the stack pointer of the caller.
 */
static __always_inline u64 arch_sp_above(u64 fp, u64 saved) { return saved + 8; }
static __always_inline u64 arch_caller_sp(u64 fp) { return arch_sp_above(fp, read_u64(fp)); }
static __always_inline u64 arch_frame_end(u64 fp) { return read_u64(fp); }
/*
 * Code of C that is compiled with -mbranch-protection signs return addresses, in bits that no
 * address of a program has.
 */
static __always_inline u64 arch_code(u64 ret) { return ret & ((1ULL << ARCH_USER_BITS) - 1); }
/*
 * A call of runtime.duffcopy or duffzero has a frame record 24 bytes below the stack pointer. If a
 * fault there becomes a panic, the runtime of Go 1.21 to 1.25 writes the frame pointer over the one
 * in this record, which then leads to itself (preparePanic). The caller's own record is 8 bytes
 * below its stack pointer.
 */
static __always_inline u64 arch_next_fp(u64 fp, u64 saved) { return saved == fp ? fp + 16 : saved; }

/* As in arch_x86_args.h: an exchange is fully ordered. */
static __always_inline void arch_publish(u64 *at, u64 v)
{
	barrier();
#ifdef OLD_KERNEL
	*at = v;	/* never runs on arm64: see rec_submit() */
#else
	__sync_lock_test_and_set(at, v);
#endif
}

/* An entry probe sits at the branch of the stack check, in every release. */
#define ARCH_ENTRY_IS_CHECK
/* A function gets its return address in a register. */
#define ARCH_HAS_LINK_REGISTER
/*
 * Up to Go 1.20 the runtime does not adjust the frame pointers in a stack that it copies
 * (adjustframe): they lead to the old stack, which others use.
 */
#define ARCH_STALE_FRAMES

/* As in arch_x86.h. */
static __always_inline __u64 loaded(__u64 v)
{
	barrier_var(v);
	return v;
}

static __always_inline u64 arch_arg1(struct pt_regs *ctx) { return ctx->regs[0]; }
static __always_inline u64 arch_arg2(struct pt_regs *ctx) { return ctx->regs[1]; }
static __always_inline u64 arch_arg3(struct pt_regs *ctx) { return ctx->regs[2]; }
static __always_inline u64 arch_arg4(struct pt_regs *ctx) { return ctx->regs[3]; }
static __always_inline u64 arch_arg5(struct pt_regs *ctx) { return ctx->regs[4]; }
static __always_inline u64 arch_arg6(struct pt_regs *ctx) { return ctx->regs[5]; }
static __always_inline u64 arch_arg7(struct pt_regs *ctx) { return ctx->regs[6]; }
static __always_inline u64 arch_arg8(struct pt_regs *ctx) { return ctx->regs[7]; }
static __always_inline u64 arch_arg9(struct pt_regs *ctx) { return ctx->regs[8]; }

static __always_inline u64 arch_ip(struct pt_regs *ctx) { return ctx->pc; }
static __always_inline u64 arch_sp(struct pt_regs *ctx) { return ctx->sp; }
static __always_inline u64 arch_fp(struct pt_regs *ctx) { return ctx->regs[29]; }
static __always_inline u64 arch_g(struct pt_regs *ctx) { return ctx->regs[28]; }
static __always_inline u64 arch_closure(struct pt_regs *ctx) { return ctx->regs[26]; }
static __always_inline u64 arch_c_arg1(struct pt_regs *ctx) { return ctx->regs[0]; }

/* Returns register @n, x0 to x27; 0 for any other. */
static __always_inline u64 arch_reg(struct pt_regs *ctx, u32 n)
{
	u64 v = 0;

#define ARCH_REG(i)                               \
	do {                                      \
		u64 r = loaded(ctx->regs[i]);     \
						  \
		v = n == i ? r : v;               \
	} while (0)
#define ARCH_REGS(i) ARCH_REG(i); ARCH_REG(i + 1); ARCH_REG(i + 2); ARCH_REG(i + 3)
	ARCH_REGS(0);
	ARCH_REGS(4);
	ARCH_REGS(8);
	ARCH_REGS(12);
	ARCH_REGS(16);
	ARCH_REGS(20);
	ARCH_REGS(24);
	ARCH_REG(30);
#undef ARCH_REGS
#undef ARCH_REG
	return v;
}

/* As in arch_x86.h, without those beyond the 9 that amd64 has. */
static __always_inline u64 arch_int_register(struct pt_regs *ctx, u32 n)
{
	return n < 16 ? arch_reg(ctx, n) : 0;
}

static __always_inline u64 arch_link(struct pt_regs *ctx) { return ctx->regs[30]; }
static __always_inline u64 arch_return(u64 link) { return link; }

/* Returns whether the branch of a stack check (b.ls), where the probe sits, is taken. */
static __always_inline bool arch_stack_grows(struct pt_regs *ctx)
{
	enum { Z = 1 << 30, C = 1 << 29 };
	u64 pstate = loaded(ctx->pstate);

	return !(pstate & C) || (pstate & Z);
}

/* --- a ucontext: uc_flags, uc_link, uc_stack, uc_sigmask, padding, then struct sigcontext --- */

enum { ARCH_UC_REGS = 184, ARCH_UC_SP = ARCH_UC_REGS + 31 * 8, ARCH_UC_IP = ARCH_UC_SP + 8 };

static __always_inline u64 arch_uc_ip(u64 uc) { return read_u64(uc + ARCH_UC_IP); }
static __always_inline u64 arch_uc_fp(u64 uc) { return read_u64(uc + ARCH_UC_REGS + 29 * 8); }
static __always_inline u64 arch_uc_caller(u64 uc) { return read_u64(uc + ARCH_UC_REGS + 30 * 8); }

#endif
