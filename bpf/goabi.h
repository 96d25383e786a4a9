/* SPDX-License-Identifier: GPL-2.0 */
/*
 * goabi: how Go functions get their arguments, and where a probe finds them. Only arch_x86.h names
 * registers. There are three ABIs (enum go_abi):
 *
 * GO_ABI_PUSH, since Go 1.21: a probe sits where a prologue saves the frame pointer. g and integer
 * arguments are in registers (ABIInternal, 1.17), the return address is where the call has put it,
 * and the frame pointer is the caller's.
 *
 * GO_ABI_CHECK, 1.17 to 1.20: a probe sits at the branch of the stack check, because the prologue
 * does not save the frame pointer there. Registers and return address are as with GO_ABI_PUSH. If
 * the branch is taken, the stack grows and the function starts again. casgstatus has no stack
 * check: its probe sits at a branch after its prologue. The frame pointer there leads to the frame
 * of casgstatus, which holds the caller's frame pointer and the return address.
 *
 * GO_ABI_STACK, up to 1.16, on arm64 up to 1.17: the sites of GO_ABI_CHECK; arguments are above the
 * return address, g is in thread-local storage. A probe that depends on the release in another way
 * has its own knob (include/knobs.def).
 *
 * On arm64 a probe sits at the branch of the stack check in every release, and that of casgstatus
 * at its calls; GO_ABI_PUSH and GO_ABI_CHECK differ only in how the runtime cuts its stacks.
 *
 * Since Go 1.21 the probes of casgstatus sit at its calls (at_status_calls), for `--attach inline`
 * since 1.17. Registers are as with GO_ABI_PUSH, but the call has not run: the return address is
 * that of the next instruction, and not in memory yet. With `--attach inline` most other frequent
 * probes sit at calls, too (at_calls).
 *
 * The programs are compiled twice (old.bpf.c), so that the code for Go 1.21 and later has no branch
 * for the two old ABIs. In the old programs go_abi is a constant to the verifier.
 */
#ifndef GOTAP_BPF_GOABI_H
#define GOTAP_BPF_GOABI_H

#include "gooffsets.h"
#include "inline.h"

#include "arch_probe.h"	/* needs inline.h */

static __always_inline u64 go_fp(struct pt_regs *ctx) { return arch_fp(ctx); }
static __always_inline u64 go_sp(struct pt_regs *ctx) { return arch_sp(ctx); }
static __always_inline u64 go_link(struct pt_regs *ctx) { return arch_link(ctx); }
static __always_inline u64 go_return(u64 link) { return arch_return(link); }
static __always_inline u64 go_reg(struct pt_regs *ctx, u32 n) { return arch_reg(ctx, n); }

/*
 * Returns the address of the arguments on the stack of the function with the frame pointer @fp: its
 * caller has reserved room there also for those that come in registers.
 */
static __always_inline u64 go_frame_args(u64 fp)
{
	return arch_caller_sp(fp) + 8 * ARCH_CALL_WORD;
}

/*
 * Returns whether this is code in the target that takes the place of the runtime's hook for its own
 * tracer. A uprobe sits at the test of trace.enabled before the hook.
 */
static __always_inline bool go_is_hook(struct pt_regs *ctx)
{
#ifdef GO_INLINE
	return ctx->site->flag;
#else
	return false;
#endif
}

/* The arguments that a probe in casgstatus(gp, old, new), or at a call of it, reads. */
struct go_casgstatus {
	u64 g;		/* of the thread that calls */
	u64 fp;		/* frame pointer of the caller */
	u64 ret;	/* the return address into the caller */
	u64 gp, old, new;
};

/*
 * Returns whether the probe of @program sits at the calls of its function, not inside the function.
 */
static __always_inline bool go_at_call(enum inline_program program)
{
	return at_calls >> program & 1;
}

/*
 * Returns the return address of the function of @program, for a probe at its entry or at its calls.
 */
static __always_inline u64 go_caller(struct pt_regs *ctx, enum inline_program program)
{
	if (go_at_call(program))
		return loaded(arch_ip(ctx)) + ARCH_CALL_LEN;
	return arch_return(loaded(arch_link(ctx)));
}

/* For a probe at a call: the address that the call returns to. */
static __always_inline u64 go_call_return(struct pt_regs *ctx)
{
	return loaded(arch_ip(ctx)) + ARCH_CALL_LEN;
}

#ifndef GO_OLD

#define GO_PROGRAM(name) name
#ifdef GO_INLINE
#define program_abi go_abi	/* not GO_ABI_STACK */
#else
enum { program_abi = GO_ABI_PUSH };
#endif

static __always_inline u64 go_g(struct pt_regs *ctx) { return arch_g(ctx); }
static __always_inline u64 go_arg1(struct pt_regs *ctx) { return arch_arg1(ctx); }
static __always_inline u64 go_arg2(struct pt_regs *ctx) { return arch_arg2(ctx); }
static __always_inline u64 go_arg3(struct pt_regs *ctx) { return arch_arg3(ctx); }
static __always_inline u64 go_arg4(struct pt_regs *ctx) { return arch_arg4(ctx); }
static __always_inline u64 go_arg5(struct pt_regs *ctx) { return arch_arg5(ctx); }
static __always_inline u64 go_arg6(struct pt_regs *ctx) { return arch_arg6(ctx); }
/*
 * A word of arguments or results: @reg, with GO_ABI_STACK word @n of the stack, for a probe at
 * which the return address is word 0.
 */
static __always_inline u64 go_word(struct pt_regs *ctx, int n, u64 reg) { return reg; }
/* The first argument of a call, for a probe at the call. */
static __always_inline u64 go_call_arg1(struct pt_regs *ctx) { return arch_arg1(ctx); }
static __always_inline u64 go_call_arg4(struct pt_regs *ctx) { return arch_arg4(ctx); }
#ifndef GO_INLINE
/* For a probe at the entry of a closure: where the variables are that it has captured. */
static __always_inline u64 go_captured(struct pt_regs *ctx) { return arch_closure(ctx) + 8; }
#endif
static __always_inline bool go_restarts(struct pt_regs *ctx, enum inline_program program)
{
#ifdef ARCH_ENTRY_IS_CHECK
	return !go_at_call(program) && arch_stack_grows(ctx);
#else
	return false;
#endif
}

static __always_inline struct go_casgstatus go_casgstatus(struct pt_regs *ctx)
{
	struct go_casgstatus c = {
		.g = arch_g(ctx), .fp = arch_fp(ctx), .ret = arch_ip(ctx) + ARCH_CALL_LEN,
		.gp = arch_arg1(ctx), .old = arch_arg2(ctx), .new = arch_arg3(ctx),
	};

	if (!at_status_calls)
		c.ret = arch_return(loaded(arch_link(ctx)));
	return c;
}

#else

#define GO_PROGRAM(name) name##_old
#define program_abi go_abi

static __always_inline u64 go_g(struct pt_regs *ctx)
{
	return program_abi == GO_ABI_STACK ? arch_old_g(ctx) : loaded(arch_g(ctx));
}

static __always_inline u64 go_arg(struct pt_regs *ctx, int n, u64 reg)
{
	u64 v = 0;

	if (program_abi != GO_ABI_STACK)
		return reg;
	read_user(&v, sizeof(v), loaded(arch_sp(ctx)) + 8 * n);
	return v;
}

static __always_inline u64 go_word(struct pt_regs *ctx, int n, u64 reg)
{
	return go_arg(ctx, n, loaded(reg));
}

static __always_inline u64 go_arg1(struct pt_regs *ctx)
{
	return go_arg(ctx, 1, loaded(arch_arg1(ctx)));
}
static __always_inline u64 go_arg2(struct pt_regs *ctx)
{
	return go_arg(ctx, 2, loaded(arch_arg2(ctx)));
}
static __always_inline u64 go_arg3(struct pt_regs *ctx)
{
	return go_arg(ctx, 3, loaded(arch_arg3(ctx)));
}
static __always_inline u64 go_arg4(struct pt_regs *ctx)
{
	return go_arg(ctx, 4, loaded(arch_arg4(ctx)));
}
static __always_inline u64 go_arg5(struct pt_regs *ctx)
{
	return go_arg(ctx, 5, loaded(arch_arg5(ctx)));
}

/* The first argument of a call, for a probe at the call: no return address is in memory yet. */
static __always_inline u64 go_call_arg1(struct pt_regs *ctx)
{
	return go_arg(ctx, ARCH_CALL_WORD, loaded(arch_arg1(ctx)));
}
static __always_inline u64 go_call_arg4(struct pt_regs *ctx)
{
	return go_arg(ctx, ARCH_CALL_WORD + 3, loaded(arch_arg4(ctx)));
}

/*
 * For a probe at the entry of a closure: where the variables are that it has captured. Up to Go
 * 1.16 the compiler makes arguments of those of a closure that is called where it stands.
 */
static __always_inline u64 go_captured(struct pt_regs *ctx)
{
	u64 sp = loaded(arch_sp(ctx)), closure = loaded(arch_closure(ctx));

	return (program_abi == GO_ABI_STACK ? sp : closure) + 8;
}

/*
 * Returns whether the function will start again after this hit and hit the probe again: the probe
 * sits at a stack check whose branch is taken, because the stack must grow. Only the programs for a
 * function with its probe at the stack check call this.
 */
static __always_inline bool go_restarts(struct pt_regs *ctx, enum inline_program program)
{
	return !go_at_call(program) && arch_stack_grows(ctx);
}

/* Reads the arguments of a call of casgstatus from the stack, for a probe at the call. */
static __always_inline void go_call_casgstatus(struct pt_regs *ctx, struct go_casgstatus *c)
{
	struct {
		u64 gp;
		u32 old, new;
	} args = {};

	read_user(&args, sizeof(args), loaded(arch_sp(ctx)) + 8 * ARCH_CALL_WORD);
	c->gp = args.gp;
	c->old = args.old;
	c->new = args.new;
}

/* Reads the arguments from the frame of casgstatus and, with GO_ABI_STACK, from above it. */
static __always_inline struct go_casgstatus go_casgstatus(struct pt_regs *ctx)
{
	struct go_casgstatus c = {
		.gp = loaded(arch_arg1(ctx)), .old = loaded(arch_arg2(ctx)),
		.new = loaded(arch_arg3(ctx)),
	};
	struct {
		u64 fp, ret, gp;
		u32 old, new;
	} frame = {};

	c.g = go_g(ctx);
	if (at_status_calls) {
		c.fp = loaded(arch_fp(ctx));
		c.ret = loaded(arch_ip(ctx)) + ARCH_CALL_LEN;
		if (program_abi == GO_ABI_STACK)
			go_call_casgstatus(ctx, &c);
		return c;
	}
	read_user(&frame, sizeof(frame), loaded(arch_fp(ctx)));
	c.fp = frame.fp;
	c.ret = frame.ret;
	if (program_abi == GO_ABI_STACK) {
		c.gp = frame.gp;
		c.old = frame.old;
		c.new = frame.new;
	}
	return c;
}

#endif

#endif
