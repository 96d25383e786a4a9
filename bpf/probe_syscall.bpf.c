// SPDX-License-Identifier: GPL-2.0
/*
 * probe_syscall: syscalls of Go 1.26 and later. The fast path changes the status there by a bare
 * compare-and-swap, without casgstatus, so that syscalls have probes of their own.
 */
#include "gostate.h"

/*
 * reentersyscall(pc, sp, bp): runs on the goroutine's stack; the arguments say where the stack
 * begins.
 */
SEC("uprobe")
int syscall_enter(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), gp = go_g(ctx);
	struct stack_start from = { .pc = go_arg1(ctx), .bp = go_arg3(ctx) };
	struct rec_long *l;

	if (!is_target(pid_tgid))
		return 0;
	l = rec_begin_own(sizeof(*l), pid_tgid, REC_SYS_ENTER, 0);
	if (!l)
		return 0;
	l->r.id = goid_of(&l->r, gp);
	l->r.ptr = gp;
	l->arg = 0;
	submit_with_stack(l, (__u32)pid_tgid, &from, STACK_SYSCALL, 0);
	return 0;
}

static __always_inline __u64 exitsyscall_p(struct pt_regs *ctx)
{
	if (exitsyscall_p_reg == EXITSYSCALL_P_OF_M)
		return FIELD_OF_THREAD(64, g_m(go_g(ctx)), m_p);
	return go_reg(ctx, exitsyscall_p_reg);
}

/*
 * The probe sits at the jump in exitsyscall that tests the P just loaded, after the goroutine has
 * won its status back: from then on no thread can take the P away. If there is no P, the probe in
 * acquirepNoTrace or exitsyscallNoP records the outcome later. For `--attach inline` the probe sits
 * at the test of trace.enabled after that jump, which only a goroutine with a P gets to.
 */
SEC("uprobe")
int syscall_exit(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), gp = go_g(ctx);
	__u64 p = exitsyscall_p(ctx);
	struct rec_long *l;
	bool same_p;

	if (!p || !is_target(pid_tgid))
		return 0;
	l = rec_begin_own(sizeof(*l), pid_tgid, REC_SYS_EXIT, 0);
	if (!l)
		return 0;
	l->r.id = goid_of(&l->r, gp);
	l->r.ptr = gp;
	/*
	 * A thread that takes a P makes a record (proc_steal). As long as no record is lost
	 * (goid_known()), the ticks need not be read.
	 */
	same_p = goid_known(&l->r) ||
		 FIELD(32, g_m(gp), m_syscalltick) == read_u32(p + off.p_syscalltick);
	l->r.sub = same_p ? REC_EXIT_SAME_P : 0;
	if (go_is_hook(ctx))
		l->r.sub |= REC_EXIT_HOOK;
	l->stack = 0;
	l->arg = p;
	rec_submit(l);
	return 0;
}
