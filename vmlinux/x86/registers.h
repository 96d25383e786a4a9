/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of amd64, for vmlinux.h. */
#ifndef GOTAP_VMLINUX_REGISTERS_H
#define GOTAP_VMLINUX_REGISTERS_H

/*
 * The user registers at a probe. Their layout is part of the kernel's ABI, so
 * no relocation; a relocated access would also add to the context pointer,
 * which the verifier refuses.
 */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};

/* Relocated to the running kernel. */
struct thread_struct {
	unsigned long fsbase;
} __attribute__((preserve_access_index));

#endif
