/* SPDX-License-Identifier: GPL-2.0 */
/* arch_x86_order: the order of stores on amd64; each architecture has such a header. */
#ifndef GOTAP_BPF_ARCH_X86_ORDER_H
#define GOTAP_BPF_ARCH_X86_ORDER_H

#include "ring.h"

/*
 * Clears REC_BUSY of the record @r. Other CPUs see this store after all stores before it, as amd64
 * shows stores in their order.
 */
static __always_inline void arch_submit(struct rec *r)
{
	barrier();
	rec_set_kind(r, r->kind & ~REC_BUSY);
}

#endif
