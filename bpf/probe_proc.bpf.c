// SPDX-License-Identifier: GPL-2.0
/*
 * probe_proc: Ps and stops of the world. These programs run when a P goes idle or busy, or the
 * world stops: rarely, compared with transitions of goroutines.
 */
#include "gostate.h"
#include "send.h"

/*
 * acquirep(pp), from Go 1.26 acquirepNoTrace(pp). The kind of event follows from the caller. If the
 * caller of acquirepNoTrace is acquirep, it follows from the caller of acquirep.
 */
SEC("uprobe")
int GO_PROGRAM(proc_start)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();
	__u64 fp = go_fp(ctx), p = go_arg1(ctx);
	__u8 sub = REC_PSTART_ACQUIRE;
	struct site_class s;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_proc_start))
		return 0;
	if ((site_find(SITE_KEY(go_caller(ctx, INLINE_proc_start), 0, 0), &s) ||
	     site_find(SITE_KEY(read_u64(fp + 8), 0, 0), &s)) && s.kind == REC_P_START)
		sub = s.sub;
	thread_takes(pid_tgid, p);
	return send_p(pid_tgid, p, REC_P_START, sub);
}

/*
 * releasep(). From Go 1.26 entersyscallblock releases its P before it changes its status: the
 * syscall then begins here, with the stack of the goroutine.
 */
SEC("uprobe")
int GO_PROGRAM(proc_stop)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), m, p, curg;
	struct stack_start from;
	struct rec_long *l;
	struct g_chunk c;
	struct site_class s;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_proc_stop))
		return 0;
	m = g_m(go_g(ctx));
	if (site_find(SITE_KEY(go_caller(ctx, INLINE_proc_stop), 0, 0), &s) &&
	    s.kind == REC_SYS_ENTER_BLOCK) {
		curg = read_u64(m + off.m_curg);
		l = rec_begin(sizeof(*l), pid_tgid, REC_SYS_ENTER_BLOCK, 0);
		if (!l)
			return 0;
		g_read(&c, curg);
		l->r.id = G_FIELD(&c, __u64, goid);
		l->r.ptr = curg;
		l->arg = 0;
		from = (struct stack_start){ .pc = G_FIELD(&c, __u64, syscallpc) };
		if (off.g_syscallbp != GO_OFFSET_NONE)
			from.bp = G_FIELD(&c, __u64, syscallbp);
		submit_with_stack(l, (__u32)pid_tgid, &from, STACK_SYSCALL, 0);
	}
	p = read_u64(m + off.m_p);
	return send_p(thread_of(pid_tgid, p), p, REC_P_STOP, 0);
}

#ifndef GO_OLD
/* syscallingThread.releaseP(gp, mp, pp, ...), Go 1.26+: all code that steals a P calls it. */
SEC("uprobe")
int proc_steal(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), m = go_arg2(ctx), p = go_arg3(ctx);
	struct rec_long *l;

	if (!is_target(pid_tgid))
		return 0;
	l = rec_begin(sizeof(*l), pid_tgid, REC_P_STEAL, 0);
	if (!l)
		return 0;
	l->r.id = read_u32(p + off.p_id);
	l->r.ptr = p;
	l->stack = 0;
	l->arg = read_u64(m + off.m_procid);
	rec_submit(l);
	return 0;
}
#endif

/* handoffp(pp), up to Go 1.25: the code that steals a P calls it right after it took the P. */
SEC("uprobe")
int GO_PROGRAM(proc_handoff)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_proc_handoff))
		return 0;
	return send_p(pid_tgid, go_arg1(ctx), REC_P_HANDOFF, 0);
}

static __always_inline int send_world(struct pt_regs *ctx, enum inline_program program, __u64 id,
				      __u8 kind, __u8 sub, __u64 arg, __u8 class)
{
	__u64 pid_tgid = current_ids();
	__u64 g = go_g(ctx), fp = go_fp(ctx);
	struct stack_start from;
	struct rec_long *l;

	if (!is_target(pid_tgid) || go_restarts(ctx, program))
		return 0;
	l = rec_begin(sizeof(*l), pid_tgid, kind, sub);
	if (!l)
		return 0;
	l->r.id = id;
	l->r.ptr = 0;
	l->arg = arg;
	from = start_at_actor(g, go_caller(ctx, program), fp);
	submit_with_stack(l, (__u32)pid_tgid, &from, class, 0);
	return 0;
}

SEC("uprobe")
int GO_PROGRAM(procs_change)(struct pt_regs *ctx)
{
	return send_world(ctx, INLINE_procs_change, (__u32)go_arg1(ctx), REC_PROCS, 0, 0,
			  STACK_PROCS);
}

/* The first 8 bytes of the string m.preemptoff. */
static __always_inline __u64 preempt_off(__u64 g)
{
	__u64 string[2] = {}, text = 0;

	read_user(string, sizeof(string), g_m(g) + off.m_preemptoff);
	if (string[1] > sizeof(text))
		string[1] = sizeof(text);
	if (string[1])
		read_user(&text, string[1], string[0]);
	return text;
}

/* The reason is the argument. Up to Go 1.20 there is no such argument, but a text in the M. */
SEC("uprobe")
int GO_PROGRAM(stw_begin)(struct pt_regs *ctx)
{
	if (program_abi)
		return send_world(ctx, INLINE_stw_begin, 0, REC_STW_BEGIN, 0,
				  preempt_off(go_g(ctx)), STACK_STW);
	return send_world(ctx, INLINE_stw_begin, 0, REC_STW_BEGIN, (__u8)go_arg1(ctx), 0,
			  STACK_STW);
}

/* gcBgMarkStartWorkers(): once per cycle, right after the runtime's own GCBegin. */
SEC("uprobe")
int GO_PROGRAM(gc_begin)(struct pt_regs *ctx)
{
	return send_world(ctx, INLINE_gc_begin, 0, REC_GC_BEGIN, 0, 0, STACK_GC);
}

SEC("uprobe")
int GO_PROGRAM(stw_end)(void *ctx)
{
	__u64 pid_tgid = current_ids();
	struct rec *r;

	if (!is_target(pid_tgid))
		return 0;
	r = rec_begin(sizeof(*r), pid_tgid, REC_STW_END, 0);
	if (!r)
		return 0;
	r->id = 0;
	r->ptr = 0;
	rec_submit(r);
	return 0;
}
