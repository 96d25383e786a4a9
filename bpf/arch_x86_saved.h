/* SPDX-License-Identifier: GPL-2.0 */
/* arch_x86_saved: the registers of user mode that the kernel has saved for the current thread. */
#ifndef GOTAP_BPF_ARCH_X86_SAVED_H
#define GOTAP_BPF_ARCH_X86_SAVED_H

#include <bpf/bpf_core_read.h>

#include "common.h"

/* Size of a thread's kernel stack. A kernel with KASAN has twice as much. */
enum { ARCH_THREAD_SIZE = 4 * 4096 };

/*
 * Returns the saved registers of user mode. A kernel before 5.15 has no bpf_task_pt_regs: there
 * they lie at the end of the kernel stack, which has four pages.
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
 * Returns the number of the system call that this thread is in; below 0 if an exception or an
 * interrupt brought the thread into the kernel.
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
