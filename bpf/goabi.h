/* SPDX-License-Identifier: GPL-2.0 */
/*
 * goabi: how Go functions get their arguments on amd64, and what a probe finds
 * where; the only file that names registers. Three ages (enum go_abi):
 *
 * GO_ABI_PUSH, since Go 1.21: probes sit at the `push %rbp` of a prologue. g is
 * R14, integer arguments are in RAX, RBX, RCX, RDI, RSI, R8 (ABIInternal, 1.17), the
 * return address is at the stack pointer and RBP is the caller's.
 *
 * GO_ABI_CHECK, 1.17 to 1.20: no such push. Probes sit at the `jbe` of the
 * stack check, where all of that holds too, but if it jumps the stack grows and
 * the function starts again. casgstatus has no check: its probe sits at a jump
 * behind its prologue, so RBP is its own frame, which holds the caller's RBP and
 * the return address.
 *
 * GO_ABI_STACK, to 1.16: the same sites; arguments are above the return
 * address, g is in thread-local storage.
 *
 * Since Go 1.21 the probes of casgstatus sit at the calls of it, where all of
 * that holds but that the return address is not pushed yet.
 *
 * The programs are compiled twice (old.bpf.c), so that those for today's
 * releases know nothing of the two old ages; in the others go_abi is a
 * constant to the verifier.
 */
#ifndef GOTAP_BPF_GOABI_H
#define GOTAP_BPF_GOABI_H

#include "gooffsets.h"

/* Keeps the compiler from merging two context loads into one at a computed offset. */
static __always_inline __u64 loaded(__u64 v)
{
	barrier_var(v);
	return v;
}

static __always_inline u64 go_fp(struct pt_regs *ctx) { return ctx->bp; }
static __always_inline u64 go_sp(struct pt_regs *ctx) { return ctx->sp; }

/* What a probe in casgstatus(gp, old, new), or at a call of it, sees. */
struct go_casgstatus {
	u64 g;		/* of the thread */
	u64 fp;		/* frame pointer of the caller */
	u64 ret;	/* the return address into it */
	u64 gp, old, new;
};

#ifndef GO_OLD

#define GO_PROGRAM(name) name
enum { go_abi = GO_ABI_PUSH, CALL_LEN = 5 };
extern const volatile bool at_status_calls;	/* common.h */

static __always_inline u64 go_g(struct pt_regs *ctx) { return ctx->r14; }
static __always_inline u64 go_arg1(struct pt_regs *ctx) { return ctx->ax; }
static __always_inline u64 go_arg2(struct pt_regs *ctx) { return ctx->bx; }
static __always_inline u64 go_arg3(struct pt_regs *ctx) { return ctx->cx; }
static __always_inline u64 go_arg4(struct pt_regs *ctx) { return ctx->di; }
static __always_inline u64 go_arg5(struct pt_regs *ctx) { return ctx->si; }
static __always_inline u64 go_arg6(struct pt_regs *ctx) { return ctx->r8; }
static __always_inline bool go_restarts(struct pt_regs *ctx) { return false; }

/* By x86 register number; what a site's decoder looks for is in one of these. */
static __always_inline u64 go_reg(struct pt_regs *ctx, u32 n)
{
	u64 ax = loaded(ctx->ax), cx = loaded(ctx->cx), dx = loaded(ctx->dx);
	u64 bx = loaded(ctx->bx), si = loaded(ctx->si), di = loaded(ctx->di);

	return n == 0 ? ax : n == 1 ? cx : n == 2 ? dx : n == 3 ? bx : n == 6 ? si :
	       n == 7 ? di : 0;
}

static __always_inline struct go_casgstatus go_casgstatus(struct pt_regs *ctx)
{
	struct go_casgstatus c = {
		.g = ctx->r14, .fp = ctx->bp, .ret = ctx->ip + CALL_LEN,
		.gp = ctx->ax, .old = ctx->bx, .new = ctx->cx,
	};

	if (!at_status_calls)
		read_user(&c.ret, sizeof(c.ret), loaded(ctx->sp));
	return c;
}

#else

#include <bpf/bpf_core_read.h>

#define GO_PROGRAM(name) name##_old
extern const volatile __u32 go_abi;

/* runtime.tlsg: one word below the thread pointer, in every build for Linux. */
static __always_inline u64 go_tls_g(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	u64 g = 0;

	read_user(&g, sizeof(g), BPF_CORE_READ(task, thread.fsbase) - 8);
	return g;
}

static __always_inline u64 go_g(struct pt_regs *ctx)
{
	return go_abi == GO_ABI_STACK ? go_tls_g() : loaded(ctx->r14);
}

static __always_inline u64 go_arg(struct pt_regs *ctx, int n, u64 reg)
{
	u64 v = 0;

	if (go_abi != GO_ABI_STACK)
		return reg;
	read_user(&v, sizeof(v), loaded(ctx->sp) + 8 * n);
	return v;
}

static __always_inline u64 go_arg1(struct pt_regs *ctx) { return go_arg(ctx, 1, loaded(ctx->ax)); }
static __always_inline u64 go_arg2(struct pt_regs *ctx) { return go_arg(ctx, 2, loaded(ctx->bx)); }
static __always_inline u64 go_arg3(struct pt_regs *ctx) { return go_arg(ctx, 3, loaded(ctx->cx)); }
static __always_inline u64 go_arg4(struct pt_regs *ctx) { return go_arg(ctx, 4, loaded(ctx->di)); }
static __always_inline u64 go_arg5(struct pt_regs *ctx) { return go_arg(ctx, 5, loaded(ctx->si)); }

/* At a stack check that jumps: the function will start again. For sites in a prologue only. */
static __always_inline bool go_restarts(struct pt_regs *ctx)
{
	enum { CF = 1, ZF = 1 << 6 };	/* jbe */

	return loaded(ctx->flags) & (CF | ZF);
}

/* From its own frame and, with GO_ABI_STACK, the arguments above it. */
static __always_inline struct go_casgstatus go_casgstatus(struct pt_regs *ctx)
{
	struct go_casgstatus c = {
		.gp = loaded(ctx->ax), .old = loaded(ctx->bx), .new = loaded(ctx->cx),
	};
	struct {
		u64 fp, ret, gp;
		u32 old, new;
	} frame = {};

	read_user(&frame, sizeof(frame), loaded(ctx->bp));
	c.g = go_g(ctx);
	c.fp = frame.fp;
	c.ret = frame.ret;
	if (go_abi == GO_ABI_STACK) {
		c.gp = frame.gp;
		c.old = frame.old;
		c.new = frame.new;
	}
	return c;
}

#endif

#endif
