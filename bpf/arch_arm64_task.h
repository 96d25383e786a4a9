/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_arm64_task: registers and thread-local storage from the kernel's task_struct on arm64; the
 * functions are those of arch_x86_task.h.
 */
#ifndef GOTAP_BPF_ARCH_ARM64_TASK_H
#define GOTAP_BPF_ARCH_ARM64_TASK_H

#include <bpf/bpf_core_read.h>

#include "arch_arm64.h"
#include "tls_g.h"

/* g at a probe, in Go up to 1.16: the register that later releases have it in. */
static __always_inline u64 arch_old_g(struct pt_regs *ctx) { return loaded(arch_g(ctx)); }

/* The registers of a thread that an interrupt has found. */
struct user_regs {
	__u64 ip, sp, bp;
	__u64 link;		/* R30 */
	__u64 g;		/* R28, in Go */
	bool in_kernel;		/* the registers are the kernel's */
};

/* The caller of a function without a frame is in R30; that of one with a frame at its sp. */
static __always_inline void arch_words(const struct user_regs *u, __u64 words[2])
{
	words[0] = u->link;
	words[1] = peek_u64(u->sp);
}

enum { ARCH_SAMPLE_FLAGS = REC_CPU_LINK };

enum { ARCH_FP_BELOW_SP = 8 };	/* of a function with a frame */

/* Returns whether the function that was interrupted has made its frame. */
static __always_inline bool arch_has_frame(const struct user_regs *u)
{
	return u->bp == u->sp - ARCH_FP_BELOW_SP;
}

/* As in arch_x86_task.h. */
static __always_inline bool arch_has_record_below(const struct user_regs *u)
{
	return u->bp == u->sp - 24;
}

/*
 * Where thread-local storage has g in a program with cgo. One without cgo has none there
 * (runtime.save_g).
 */
static __always_inline u64 arch_tls_g(struct task_struct *task)
{
	return BPF_CORE_READ(task, thread.uw.tp_value) + tls_g_distance();
}

/* Places that may have the g of a thread, the one that is more likely right first. */
static __always_inline u64 arch_first_g(const struct user_regs *u, bool in_go)
{
	return in_go ? u->g : peek_u64(arch_tls_g((void *)bpf_get_current_task()));
}
static __always_inline u64 arch_second_g(const struct user_regs *u, bool in_go)
{
	return in_go ? 0 : u->g;
}

/*
 * As in arch_x86_task.h. In Go 1.15 @sp is the stack pointer in nanotime1 itself, whose frame has
 * the address @pc that it returns to; later it is that of the caller of nanotime1.
 */
static __always_inline u64 arch_vdso_fp(u64 sp, u64 pc)
{
	return read_u64(sp) == pc ? read_u64(sp - 8) : sp - 8;
}

static __always_inline struct user_regs arch_interrupted(struct bpf_perf_event_data *ctx)
{
	enum { MODE = 0xf };	/* of pstate; 0 is EL0t, user mode */
	struct user_regs u = {
		.ip = loaded(ctx->regs.pc),
		.sp = loaded(ctx->regs.sp),
		.bp = loaded(ctx->regs.regs[29]),
		.link = loaded(ctx->regs.regs[30]),
		.g = loaded(ctx->regs.regs[28]),
	};

	u.in_kernel = loaded(ctx->regs.pstate) & MODE;
	return u;
}

/* The registers from x28 to pc lie side by side; all of them would not fit on the stack of BPF. */
static __always_inline struct user_regs arch_saved(struct pt_regs *saved)
{
	struct {
		__u64 g, fp, link, sp, pc;
	} last = {};

	bpf_probe_read_kernel(&last, sizeof(last), &saved->regs[28]);
	return (struct user_regs){
		.ip = last.pc, .sp = last.sp, .bp = last.fp, .link = last.link, .g = last.g,
	};
}

#endif
