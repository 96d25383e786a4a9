/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_x86_task: registers and thread-local storage from the kernel's task_struct on amd64, for
 * programs that do not run at a call of a Go function: samples, and uprobes of Go up to 1.16.
 */
#ifndef GOTAP_BPF_ARCH_X86_TASK_H
#define GOTAP_BPF_ARCH_X86_TASK_H

#include <bpf/bpf_core_read.h>

#include "arch_x86.h"
#include "tls_g.h"

/* Returns the address at which thread-local storage has g. */
static __always_inline u64 arch_tls_g(struct task_struct *task)
{
	return BPF_CORE_READ(task, thread.fsbase) + tls_g_distance();
}

/* g at a probe, in Go up to 1.16. */
static __always_inline u64 arch_old_g(struct pt_regs *ctx)
{
	u64 g = 0;

	read_user(&g, sizeof(g), arch_tls_g((void *)bpf_get_current_task()));
	return g;
}

/* The registers of a thread that an interrupt has found. */
struct user_regs {
	__u64 ip, sp, bp;
	bool in_kernel;		/* the registers are the kernel's */
};

/* The words in which user space finds the caller of a function that has not made its frame. */
static __always_inline void arch_words(const struct user_regs *u, __u64 words[2])
{
	words[0] = peek_u64(u->sp);
	words[1] = peek_u64(u->sp + 8);
}

enum { ARCH_SAMPLE_FLAGS = 0 };

/* Returns whether the frame pointer is that of a frame without variables. */
static __always_inline bool arch_has_frame(const struct user_regs *u)
{
	return u->bp == u->sp;
}

enum { ARCH_FP_BELOW_SP = 0 };	/* of a function with a frame */

/*
 * Returns whether the frame pointer is that of a frame record below the stack pointer, which the
 * compiler writes before a call of runtime.duffcopy or duffzero: before the call, or in it.
 */
static __always_inline bool arch_has_record_below(const struct user_regs *u)
{
	return u->bp == u->sp - 16 || u->bp == u->sp - 8;
}

/*
 * Places that may have the g of a thread, the one that is more likely right first; 0: there is no
 * such place.
 */
static __always_inline u64 arch_first_g(const struct user_regs *u, bool in_go)
{
	return peek_u64(arch_tls_g((void *)bpf_get_current_task()));
}
static __always_inline u64 arch_second_g(const struct user_regs *u, bool in_go) { return 0; }

/*
 * The frame pointer of the function to which the function that called the vDSO returns, to @pc; @sp
 * is its stack pointer. The saved one lies below the return address (sys_linux_amd64.s).
 */
static __always_inline u64 arch_vdso_fp(u64 sp, u64 pc) { return read_u64(sp - 16); }

static __always_inline struct user_regs arch_interrupted(struct bpf_perf_event_data *ctx)
{
	struct user_regs u = {
		.ip = loaded(ctx->regs.ip),
		.sp = loaded(ctx->regs.sp),
		.bp = loaded(ctx->regs.bp),
	};

	u.in_kernel = !(loaded(ctx->regs.cs) & 3);
	return u;
}

static __always_inline struct user_regs arch_saved(struct pt_regs *saved)
{
	return (struct user_regs){
		.ip = BPF_CORE_READ(saved, ip),
		.sp = BPF_CORE_READ(saved, sp),
		.bp = BPF_CORE_READ(saved, bp),
	};
}

#endif
