/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tls_g: how far from the thread pointer a thread has g (runtime.tls_g, runtime.tlsg). For
 * arch_*_task.h, which have the thread pointer.
 */
#ifndef GOTAP_BPF_TLS_G_H
#define GOTAP_BPF_TLS_G_H

#include "read.h"

/* The loader of a library sets the word at tls_g_slot, which gotap may attach before. */
static __always_inline __u64 tls_g_distance(void)
{
	return tls_g_slot ? peek_u64(tls_g_slot) : tls_g_offset;
}

#endif
