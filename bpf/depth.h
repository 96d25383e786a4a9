/* SPDX-License-Identifier: GPL-2.0 */
/*
 * depth: how deep a place in the stack of a goroutine is: its distance from the high end, which
 * stays the same where the stack moves.
 */
#ifndef GOTAP_BPF_DEPTH_H
#define GOTAP_BPF_DEPTH_H

#include "gostate.h"

static __always_inline __u64 depth_of(__u64 g, __u64 sp)
{
	return FIELD(64, g, g_stack_hi) - sp;
}

/* Where the probe is, on the stack of the goroutine @g. */
static __always_inline __u64 depth_here(struct pt_regs *ctx, __u64 g)
{
	return depth_of(g, go_sp(ctx));
}

#endif
