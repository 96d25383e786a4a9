/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vmlinux, for code inside the target: the types of the kernel that the sources of bpf/ name. Here
 * struct pt_regs has the registers that stub.S saves, as they are at the call that leads to the
 * stub.
 */
#ifndef GOTAP_BPF_INLINE_VMLINUX_H
#define GOTAP_BPF_INLINE_VMLINUX_H

/* All names belong to one image, at distances that the linker knows. */
#pragma GCC visibility push(hidden)

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef int32_t __s32;

struct inline_site;

/*
 * The registers in the order of the pushes of stub.S, the last push first. r14, which is g, is not
 * saved because no code here changes it.
 */
struct pt_regs {
	u64 ax, bx, cx, dx, si, di, r8, bp, r15, sp;
	const struct inline_site *site;
};

#endif
