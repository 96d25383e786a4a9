// SPDX-License-Identifier: GPL-2.0
/* threads: programs that do nothing, at the tracepoints of group linux that a switch and its wake-up pass. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("tp_btf/sched_switch")
int empty_switch(__u64 *ctx)
{
	return 0;
}

SEC("tp_btf/sched_waking")
int empty_wake(__u64 *ctx)
{
	return 0;
}
