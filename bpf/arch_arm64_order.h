/* SPDX-License-Identifier: GPL-2.0 */
/* arch_arm64_order: the order of stores on arm64; the functions are those of arch_x86_order.h. */
#ifndef GOTAP_BPF_ARCH_ARM64_ORDER_H
#define GOTAP_BPF_ARCH_ARM64_ORDER_H

#include "ring.h"

/*
 * arm64 may show stores in any order. BPF has a store that releases only since Linux 6.15 and LLVM
 * 20; an exchange of the word with kind, sub and flags is fully ordered. gotap refuses kernels that
 * do not have it (attach/bpf_load.c), which the code for old kernels is for; it stores as on amd64.
 */
static __always_inline void arch_submit(struct rec *r)
{
#ifdef OLD_KERNEL
	barrier();
	rec_set_kind(r, r->kind & ~REC_BUSY);
#else
	__u32 *word = (void *)r + __builtin_offsetof(struct rec, kind);

	barrier();
	__sync_lock_test_and_set(word, *word & ~(__u32)REC_BUSY);
#endif
}

#endif
