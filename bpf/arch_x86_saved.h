/* SPDX-License-Identifier: GPL-2.0 */
/* arch_x86_saved: the registers that the kernel has saved of the current thread in user mode. */
#ifndef GOTAP_BPF_ARCH_X86_SAVED_H
#define GOTAP_BPF_ARCH_X86_SAVED_H

#include <bpf/bpf_core_read.h>

#include "common.h"

/* Bytes of the stack that a thread has in the kernel (of a kernel with KASAN, half of them). */
enum { ARCH_THREAD_SIZE = 4 * 4096 };

/*
 * Where this thread's registers of user mode lie: before 5.15, at the end of a stack of four pages.
 */
static __always_inline struct pt_regs *saved_regs(void)
{
	struct task_struct *task;

	if (have_task_regs)
		return (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	task = (void *)bpf_get_current_task();
	return BPF_CORE_READ(task, stack) + ARCH_THREAD_SIZE - sizeof(struct pt_regs);
}

/*
 * Number of the system call that this thread is in; below 0: an exception or an interrupt brought
 * it into the kernel.
 */
static __always_inline __s64 arch_syscall(void)
{
	struct pt_regs *regs;

	if (have_task_regs) {
		regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
		return (__s64)regs->orig_ax;
	}
	return (__s64)BPF_CORE_READ(saved_regs(), orig_ax);
}

#endif
