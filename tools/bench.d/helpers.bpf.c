// SPDX-License-Identifier: GPL-2.0
/* helpers: one program for each thing that a probe does, and one that does nothing. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, __u64);
} table SEC(".maps");

__u64 sink = 0;

SEC("uprobe")
int nothing(struct pt_regs *ctx)
{
	return 0;
}

SEC("uprobe")
int pid_tgid(struct pt_regs *ctx)
{
	sink = bpf_get_current_pid_tgid();
	return 0;
}

SEC("uprobe")
int ktime(struct pt_regs *ctx)
{
	sink = bpf_ktime_get_ns();
	return 0;
}

SEC("uprobe")
int read_8(struct pt_regs *ctx)
{
	__u64 v = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)ctx->sp);
	sink = v;
	return 0;
}

SEC("uprobe")
int read_8_twice(struct pt_regs *ctx)
{
	__u64 v = 0, w = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)ctx->sp);
	bpf_probe_read_user(&w, sizeof(w), (void *)ctx->sp);
	sink = v + w;
	return 0;
}

SEC("uprobe")
int read_144(struct pt_regs *ctx)
{
	__u64 v[18] = {};

	bpf_probe_read_user(v, sizeof(v), (void *)ctx->sp);
	sink = v[17];
	return 0;
}

SEC("uprobe")
int read_256(struct pt_regs *ctx)
{
	__u64 v[32] = {};

	bpf_probe_read_user(v, sizeof(v), (void *)ctx->sp);
	sink = v[31];
	return 0;
}

/* What is discarded takes room as well; the reader of this ring frees it. */
SEC("uprobe")
int reserve_48(struct pt_regs *ctx)
{
	__u64 *r = bpf_ringbuf_reserve(&ring, 48, 0);

	if (!r)
		return 0;
	r[0] = 0;
	bpf_ringbuf_discard(r, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("uprobe")
int hash_lookup(struct pt_regs *ctx)
{
	__u64 key = ctx->sp;

	sink = (__u64)bpf_map_lookup_elem(&table, &key);
	return 0;
}
