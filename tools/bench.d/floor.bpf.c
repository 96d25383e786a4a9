// SPDX-License-Identifier: GPL-2.0
/* floor: a program that does nothing: what any uprobe costs. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("uprobe")
int floor_probe(struct pt_regs *ctx)
{
	return 0;
}
