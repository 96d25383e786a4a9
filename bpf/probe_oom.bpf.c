// SPDX-License-Identifier: GPL-2.0
/*
 * probe_oom: the moment at which the kernel's OOM killer chooses the target. The tracepoint
 * oom:mark_victim comes just after SIGKILL was sent, in the thread that needed memory, which may be
 * one of another program. User space reads oom_time after the end of the target
 * (user/attach/bpf.h).
 *
 * The kernel marks also a process that is about to exit by itself (task_will_free_mem()): one that
 * has an exit code already, other than SIGKILL. It was not killed. Up to Linux 6.8 the task is not
 * known here: user space looks at the exit status.
 *
 * Arguments (include/trace/events/oom.h): the victim's id in the initial PID namespace up to Linux
 * 6.8, its task since then.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>

#include "emit.h"

struct ns_common {
	unsigned int inum;
} __attribute__((preserve_access_index));

struct pid_namespace {
	struct ns_common ns;
} __attribute__((preserve_access_index));

struct upid___ns {
	int nr;
	struct pid_namespace *ns;
} __attribute__((preserve_access_index));

struct task_struct___leader {
	struct task_struct *group_leader;
} __attribute__((preserve_access_index));

struct signal_struct___exit {
	int group_exit_code;
	unsigned int flags;
} __attribute__((preserve_access_index));

struct task_struct___exit {
	struct signal_struct___exit *signal;
} __attribute__((preserve_access_index));

/* include/linux/sched/signal.h */
enum { SIGNAL_GROUP_EXIT = 4 };

enum { KILLED = 9 };

/* No process id is larger (PID_MAX_LIMIT), and no address of a task is smaller. */
enum { PID_MOST = 1 << 22 };

/* The process of @task, by its id in the innermost PID namespace: is it the target? */
static __always_inline bool oom_is_inner(struct task_struct *task)
{
	struct task_struct *leader = BPF_CORE_READ((struct task_struct___leader *)task,
						   group_leader);
	struct pid *pid = BPF_CORE_READ(leader, thread_pid);
	unsigned int level = BPF_CORE_READ(pid, level);
	struct upid___ns *own = (void *)&pid->numbers[0] + level * bpf_core_type_size(struct upid);

	return (__u32)BPF_CORE_READ(own, nr) == target_tgid &&
	       BPF_CORE_READ(own, ns, ns.inum) == target_ns_ino;
}

/* Has the process of @task another end than by SIGKILL? */
static __always_inline bool oom_exits(struct task_struct *task)
{
	struct signal_struct___exit *signal = BPF_CORE_READ((struct task_struct___exit *)task,
							     signal);

	return BPF_CORE_READ(signal, flags) & SIGNAL_GROUP_EXIT &&
	       BPF_CORE_READ(signal, group_exit_code) != KILLED;
}

SEC("raw_tracepoint/mark_victim")
int oom_victim(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	bool ours;

	if (ctx[0] <= PID_MOST)
		ours = ctx[0] == (target_ns_ino ? threads_tgid : target_tgid);
	else if (target_ns_ino)
		ours = oom_is_inner(task);
	else
		ours = (__u32)BPF_CORE_READ(task, tgid) == target_tgid;
	if (ours && !oom_time && (ctx[0] <= PID_MOST || !oom_exits(task)))
		oom_time = bpf_ktime_get_ns();
	return 0;
}
