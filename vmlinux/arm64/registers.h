/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of arm64, for vmlinux.h. */
#ifndef GOTAP_VMLINUX_REGISTERS_H
#define GOTAP_VMLINUX_REGISTERS_H

/*
 * The user registers at a probe: struct user_pt_regs of the kernel's ABI, with which the kernel's
 * own struct pt_regs begins. No relocation; a relocated access would also add to the context
 * pointer, which the verifier refuses.
 */
struct pt_regs {
	unsigned long long regs[31];	/* x0 to x30 */
	unsigned long long sp, pc, pstate;
};

/* The kernel's whole struct pt_regs, relocated to the running kernel. */
struct pt_regs___kernel {
	int syscallno;		/* -1: the thread is in no system call */
} __attribute__((preserve_access_index));

/* Relocated to the running kernel. */
struct thread_struct {
	struct {
		unsigned long tp_value;	/* TPIDR_EL0, as of the last context switch */
	} uw;
} __attribute__((preserve_access_index));

#endif
