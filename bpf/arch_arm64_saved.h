/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_arm64_saved: the registers of user mode that the kernel has saved for the current thread;
 * the functions are those of arch_x86_saved.h.
 */
#ifndef GOTAP_BPF_ARCH_ARM64_SAVED_H
#define GOTAP_BPF_ARCH_ARM64_SAVED_H

#include <bpf/bpf_core_read.h>

#include "common.h"

/*
 * Size of a thread's kernel stack: 1 << THREAD_SHIFT. A kernel with KASAN has twice as much, one
 * with pages of 64 KiB has 64 KiB.
 */
enum { ARCH_THREAD_SIZE = 4 * 4096 };

/* A kernel before 5.15 has no bpf_task_pt_regs: they lie at the end of the kernel stack there. */
static __always_inline struct pt_regs *saved_regs(void)
{
	struct task_struct *task;

	if (have_task_regs)
		return (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	task = (void *)bpf_get_current_task();
	return BPF_CORE_READ(task, stack) + ARCH_THREAD_SIZE -
	       bpf_core_type_size(struct pt_regs___kernel);
}

/* Returns g of the current thread, which runs Go code. */
static __always_inline __u64 arch_saved_g(void)
{
	__u64 g = 0;

	bpf_probe_read_kernel(&g, sizeof(g), &saved_regs()->regs[28]);
	return g;
}

static __always_inline __s64 arch_syscall(void)
{
	struct pt_regs___kernel *regs = (void *)saved_regs();

	return BPF_CORE_READ(regs, syscallno);
}

#endif
