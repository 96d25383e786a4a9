/* SPDX-License-Identifier: GPL-2.0 */
/*
 * operand: the value of a variable at a probe inside a function, from a register or from the frame.
 */
#ifndef GOTAP_BPF_OPERAND_H
#define GOTAP_BPF_OPERAND_H

#include "common.h"

static __always_inline __u64 operand(struct pt_regs *ctx, const volatile struct go_operand *o)
{
	return o->in_frame ? read_u64(go_sp(ctx) + o->disp) : go_reg(ctx, o->reg);
}

#endif
