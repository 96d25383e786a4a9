// SPDX-License-Identifier: GPL-2.0
/*
 * probe_cpu: a clock per thread of the target; each tick tells which goroutine
 * uses the CPU and where. The g comes from the thread's own memory: runtime
 * TLS holds it one word below the thread pointer, also while the thread is in
 * the kernel, on its system stack, in a signal handler or in C.
 */
#include <bpf/bpf_core_read.h>

#include "gostate.h"

/* The M of this thread. m.procid may be of another PID namespace, so m.g0.m == m is the check. */
static __always_inline __u64 current_m(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 g = read_u64(BPF_CORE_READ(task, thread.fsbase) - 8), m;

	if (!g)
		return 0;
	m = g_m(g);
	if (!m || g_m(read_u64(m + off.m_g0)) != m)	/* a C thread, or a TLS of another kind */
		return 0;
	return m;
}

struct user_regs {
	__u64 ip, bp, cs;
};

/* Where this thread's registers of user mode lie: before 5.15, at the end of a stack of four pages. */
static __always_inline struct pt_regs *saved_regs(void)
{
	enum { THREAD_SIZE = 4 * 4096 };
	struct task_struct *task;

	if (have_task_regs)
		return (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	task = (void *)bpf_get_current_task();
	return BPF_CORE_READ(task, stack) + THREAD_SIZE - sizeof(struct pt_regs);
}

/* @u holds the interrupted registers; those of user mode are wanted. */
static __always_inline void to_user_mode(struct user_regs *u)
{
	struct pt_regs *saved;

	if (u->cs & 3)
		return;
	saved = saved_regs();
	u->ip = BPF_CORE_READ(saved, ip);
	u->bp = BPF_CORE_READ(saved, bp);
}

/*
 * Where the goroutine is: in a syscall or in C, where it left Go; on the
 * system stack, where it switched; else at the interrupted instruction.
 * Look-ups go to pc - 1, so that one is told as the address behind it.
 */
static __always_inline struct stack_start sample_start(struct user_regs *u, __u64 curg)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 g = read_u64(BPF_CORE_READ(task, thread.fsbase) - 8);
	struct g_chunk c;

	if (curg) {
		g_read(&c, curg);
		if (G_FIELD(&c, __u64, syscallsp) && off.g_syscallbp != GO_OFFSET_NONE)
			return (struct stack_start){ .pc = G_FIELD(&c, __u64, syscallpc),
						     .bp = G_FIELD(&c, __u64, syscallbp) };
		if (g != curg)
			return start_at_sched(&c);
	}
	to_user_mode(u);
	return (struct stack_start){ .pc = u->ip ? u->ip + 1 : 0, .bp = u->bp };
}

SEC("perf_event")
int cpu_sample(struct bpf_perf_event_data *ctx)
{
	struct user_regs u = {
		.ip = loaded(ctx->regs.ip),
		.bp = loaded(ctx->regs.bp),
		.cs = loaded(ctx->regs.cs),
	};
	__u64 pid_tgid = current_ids(), m, curg, key;
	struct stack_start from;
	struct rec_long *l;

	if (!is_target(pid_tgid))
		return 0;
	l = rec_begin(sizeof(*l), pid_tgid, REC_CPU_SAMPLE, 0);
	if (!l)
		return 0;
	m = current_m();
	curg = m ? read_u64(m + off.m_curg) : 0;
	l->r.id = curg ? read_u64(curg + off.g_goid) : 0;
	l->r.ptr = m ? read_u64(m + off.m_p) : 0;
	l->arg = 0;
	from = sample_start(&u, curg);
	key = stack_key(&from, STACK_CPU);
	l->stack = key;
	rec_submit(l);
	if (key && !stack_known(key))
		stack_define(key, &from, (__u32)pid_tgid, STACK_CPU, 0);
	return 0;
}
