// SPDX-License-Identifier: GPL-2.0
/*
 * probe_guard: does nothing. Its uprobe is the breakpoint under which gotap changes the operand of
 * an instruction (user/inline/patch.h), where no other probe of a recording sits.
 */
#include "common.h"

SEC("uprobe")
int guard(void *ctx)
{
	return 0;
}
