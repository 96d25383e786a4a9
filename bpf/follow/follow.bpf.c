// SPDX-License-Identifier: GPL-2.0
/*
 * follow: reports which processes descend from those that are followed, and each exec of one of
 * them. user/follow/follow.c loads these programs, apart from the probes. Every fork, exec and exit
 * of the machine runs one of them. For a process that is not followed that is a lookup of its id
 * and, with --name, a comparison of the name of its file.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "follow_event.h"

enum {
	BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
};

#define BPF_F_CURRENT_CPU 0xffffffffULL

struct signal_struct {
	struct {
		int counter;
	} live;			/* threads that have not begun to exit */
} __attribute__((preserve_access_index));

struct task_struct___signal {
	struct signal_struct *signal;
} __attribute__((preserve_access_index));

struct qstr {
	const unsigned char *name;
} __attribute__((preserve_access_index));

struct dentry {
	struct qstr d_name;
} __attribute__((preserve_access_index));

struct path {
	struct dentry *dentry;
} __attribute__((preserve_access_index));

struct file {
	struct path f_path;
} __attribute__((preserve_access_index));

struct mm_struct {
	struct file *exe_file;
} __attribute__((preserve_access_index));

struct task_struct___mm {
	struct mm_struct *mm;
} __attribute__((preserve_access_index));

/* --name: an exec is also reported if the name of its file begins with this text; "": no --name. */
const volatile char name_begin[FOLLOW_NAME];
/*
 * --name for containers: an exec by the first process of any PID namespace but the initial one is
 * also reported.
 */
const volatile bool first_processes;

/*
 * Processes that could not be followed because the map was full, and execs that could not be
 * reported because the buffer was full.
 */
__u64 not_followed, not_reported;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FOLLOW_PROCESSES);
	__type(key, __u32);	/* tgid */
	__type(value, __u8);
} followed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} events SEC(".maps");

static __always_inline bool is_followed(__u32 tgid)
{
	return bpf_map_lookup_elem(&followed, &tgid) != 0;
}

/*
 * Returns whether the name of the file that @task runs begins with name_begin. The task's own name
 * (comm) would not do: for a program started by a symbolic link, or by /proc/self/exe, comm is the
 * name of the link.
 */
static __always_inline bool has_name(struct task_struct *task)
{
	struct task_struct___mm *t = (void *)task;
	const unsigned char *of_file;
	char name[FOLLOW_NAME] = {};
	int i;

	if (!name_begin[0])
		return false;
	of_file = BPF_CORE_READ(t, mm, exe_file, f_path.dentry, d_name.name);
	bpf_probe_read_kernel_str(name, sizeof(name), of_file);
	for (i = 0; i < FOLLOW_NAME - 1 && name_begin[i]; i++)
		if (name[i] != name_begin[i])
			return false;
	return true;
}

static __always_inline bool is_first_process(struct task_struct *task)
{
	struct pid *pid;
	unsigned int level;
	int nr = 0;

	if (!first_processes)
		return false;
	pid = BPF_CORE_READ(task, thread_pid);
	level = BPF_CORE_READ(pid, level);
	if (!level)
		return false;
	bpf_core_read(&nr, sizeof(nr),
		      (void *)&pid->numbers[0].nr + level * bpf_core_type_size(struct upid));
	return nr == 1;
}

/* (parent, child): the child has not run yet. */
SEC("tp_btf/sched_process_fork")
int follow_fork(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	__u32 of = BPF_CORE_READ(parent, tgid), tgid = BPF_CORE_READ(child, tgid);
	__u8 one = 1;

	if (tgid == of || !is_followed(of))
		return 0;
	if (bpf_map_update_elem(&followed, &tgid, &one, BPF_ANY))
		__sync_fetch_and_add(&not_followed, 1);
	return 0;
}

/*
 * (task, id before, program): the task has its new memory, and has run no instruction of the new
 * program.
 */
SEC("tp_btf/sched_process_exec")
int follow_exec(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct follow_event e = { .tgid = BPF_CORE_READ(task, tgid) };

	if (!is_followed(e.tgid) && !has_name(task) && !is_first_process(task))
		return 0;
	e.time = bpf_ktime_get_ns();
	if (bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, &e, sizeof(e)))
		__sync_fetch_and_add(&not_reported, 1);
	return 0;
}

/* (task): called for each thread that exits; the process has ended when its last thread has. */
SEC("tp_btf/sched_process_exit")
int follow_exit(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct task_struct___signal *t = (void *)task;
	__u32 tgid;

	if (BPF_CORE_READ(t, signal, live.counter))
		return 0;
	tgid = BPF_CORE_READ(task, tgid);
	bpf_map_delete_elem(&followed, &tgid);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
