/* SPDX-License-Identifier: GPL-2.0 */
/*
 * goabi: Go's register ABI on amd64 (ABIInternal, Go 1.17 and later): the
 * only file that names registers. g is R14, integer arguments come in RAX,
 * RBX, RCX, RDI, RSI, and at the `push %rbp` of a prologue the return address
 * is at the stack pointer and RBP is still the caller's frame pointer.
 */
#ifndef GOTAP_BPF_GOABI_H
#define GOTAP_BPF_GOABI_H

/* Keeps the compiler from merging two context loads into one at a computed offset. */
static __always_inline __u64 loaded(__u64 v)
{
	barrier_var(v);
	return v;
}

static __always_inline u64 go_g(struct pt_regs *ctx) { return ctx->r14; }
static __always_inline u64 go_arg1(struct pt_regs *ctx) { return ctx->ax; }
static __always_inline u64 go_arg2(struct pt_regs *ctx) { return ctx->bx; }
static __always_inline u64 go_arg3(struct pt_regs *ctx) { return ctx->cx; }
static __always_inline u64 go_arg4(struct pt_regs *ctx) { return ctx->di; }
static __always_inline u64 go_arg5(struct pt_regs *ctx) { return ctx->si; }
static __always_inline u64 go_fp(struct pt_regs *ctx) { return ctx->bp; }
static __always_inline u64 go_sp(struct pt_regs *ctx) { return ctx->sp; }

#endif
