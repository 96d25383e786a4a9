// SPDX-License-Identifier: GPL-2.0
/* wait: the function of wait_object.h, once for all programs. */
#include "wait_object.h"

__noinline __u64 wait_object(__u64 gp, __u64 m, __u64 bp, __u64 pid_tgid, __u64 reason)
{
	return wait_find(gp, m, bp, pid_tgid, reason);
}
