// SPDX-License-Identifier: GPL-2.0
/*
 * probe_guard: does nothing. Its uprobe is the breakpoint that keeps threads off an instruction
 * while gotap changes the operand (user/inline/patch.h). No other probe of a recording sits there.
 */
#include "common.h"

SEC("uprobe")
int guard(void *ctx)
{
	return 0;
}
