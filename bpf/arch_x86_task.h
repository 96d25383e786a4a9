/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_x86_task: registers and thread-local storage from the kernel's task_struct on amd64, for
 * programs that do not run at a call of a Go function: samples, and uprobes of Go up to 1.16.
 */
#ifndef GOTAP_BPF_ARCH_X86_TASK_H
#define GOTAP_BPF_ARCH_X86_TASK_H

#include <bpf/bpf_core_read.h>

#include "arch_x86.h"

/*
 * Returns the address at which thread-local storage has g (runtime.tlsg): one word below the thread
 * pointer, in every build for Linux.
 */
static __always_inline u64 arch_tls_g(struct task_struct *task)
{
	return BPF_CORE_READ(task, thread.fsbase) - 8;
}

/* The registers of a thread that an interrupt has found. */
struct user_regs {
	__u64 ip, sp, bp;
	bool in_kernel;		/* the registers are the kernel's */
};

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
