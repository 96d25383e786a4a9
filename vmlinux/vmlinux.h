/* SPDX-License-Identifier: GPL-2.0 */
/* Only the kernel types that gotap's programs use; see vmlinux/README.md. */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef _Bool bool;

enum { false = 0, true = 1 };

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PROG_ARRAY = 3,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,	/* tools/bench.d/helpers.bpf.c */
};

enum {
	BPF_ANY = 0,
	BPF_RB_NO_WAKEUP = 1,
};

#include "registers.h"

/* What a perf_event program gets. */
struct bpf_perf_event_data {
	struct pt_regs regs;
	__u64 sample_period;
	__u64 addr;
};

/* Relocated to the running kernel: only these fields are read. */
struct uprobe_task {
	unsigned long vaddr;
	unsigned long xol_vaddr;
} __attribute__((preserve_access_index));

struct rq {
	u64 clock;
	u64 clock_task;
	u64 clock_pelt;
	u64 lost_idle_time;
} __attribute__((preserve_access_index));

struct cfs_rq {
	struct rq *rq;
	int throttle_count;
	u64 throttled_clock_task, throttled_clock_task_time;	/* before 5.19 */
	u64 throttled_clock_pelt, throttled_clock_pelt_time;	/* since then, and in some releases before */
	u64 throttled_clock_self, throttled_clock_self_time;	/* since 6.6 */
} __attribute__((preserve_access_index));

struct sched_entity {
	unsigned char sched_delayed;	/* since 6.12 */
	u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
} __attribute__((preserve_access_index));

struct sched_info {
	unsigned long long run_delay;
	unsigned long long last_queued;
} __attribute__((preserve_access_index));

struct task_group {
	struct cfs_rq **cfs_rq;		/* by CPU; per-CPU data since 7.3 */
} __attribute__((preserve_access_index));

struct upid {
	int nr;
} __attribute__((preserve_access_index));

struct pid {
	unsigned int level;
	struct upid numbers[1];
} __attribute__((preserve_access_index));

struct task_struct {
	struct uprobe_task *utask;
	void *stack;
	struct thread_struct thread;
	unsigned int __state;		/* since 5.14 */
	unsigned int flags;
	unsigned int on_rq;		/* a byte since 7.3: unsigned, so that libbpf can change the size of the load */
	u8 is_blocked;			/* since 7.3 */
	int prio;
	struct sched_entity se;
	struct task_group *sched_task_group;
	bool throttled;			/* since 6.18 */
	struct sched_info sched_info;
	unsigned int in_iowait : 1;
	unsigned int frozen : 1;
	int pid;
	int tgid;
	struct pid *thread_pid;
	char comm[16];
} __attribute__((preserve_access_index));

struct task_struct___before_5_14 {
	long state;
} __attribute__((preserve_access_index));

#endif
