// SPDX-License-Identifier: GPL-2.0
/*
 * probe_inlined: transitions in builds with profile-guided inlining (-pgo, Go 1.21 and later).
 * There casgstatus is inlined into functions that call it, and its own probe sees nothing of these
 * calls. The probes of this file sit in such a function (the host), mostly at its start. The
 * address of the probe itself finds the class of the site (user/plan/pgo.def).
 */
#include "send.h"
#include "transition.h"

/*
 * Fills @t at a hit of the target at a known site; false for any other hit. The frame pointer in @t
 * is the caller's.
 */
static __always_inline bool host_begin(struct pt_regs *ctx, struct transition *t)
{
	__u64 ip = loaded(arch_ip(ctx));

	t->pid_tgid = current_ids();
	if (!is_target(t->pid_tgid) || !site_find(SITE_KEY(ip, 0, 0), &t->site))
		return false;
	if (t->site.at == SITE_AT_CHECK && go_restarts(ctx, INLINE_NONE))
		return false;
	t->host = true;
	t->g = go_g(ctx);
	t->fp = go_fp(ctx);
	if (t->site.at == SITE_AT_FRAME)
		t->fp = read_u64(t->fp);
	/* as a return address: one byte after the start of the probed instruction */
	t->ret = ip + 1;
	t->caller = go_return(go_link(ctx));
	return true;
}

/* execute(gp), park_m(gp), ready(gp, traceskip, next), ...: the first argument is the goroutine. */
SEC("uprobe")
int inlined_enter(struct pt_regs *ctx)
{
	struct transition t = { .gp = go_arg1(ctx), .arg2 = go_arg2(ctx) };

	return host_begin(ctx, &t) ? send_transition(&t) : 0;
}

/* The probe sits after a call that returns the goroutine, or nil, in the frame of the caller. */
SEC("uprobe")
int inlined_result(struct pt_regs *ctx)
{
	enum { GO_WAITING = 4 };
	struct transition t = { .gp = go_arg1(ctx) };

	if (!t.gp || !host_begin(ctx, &t))
		return 0;
	t.ret--;
	t.host = false;
	if (t.site.kind != REC_GO_CREATE)
		return send_transition(&t);
	t.host = true;		/* the goroutine has its goid by now */
	t.caller = 0;
	if (read_u32(t.gp + off.g_atomicstatus) == GO_WAITING)
		t.site.kind = REC_GO_CREATE_BLOCKED;
	return send_transition(&t);
}

/* injectglist(*gList): the first word of the list is its head; g.schedlink links the goroutines. */
SEC("uprobe")
int inlined_list(struct pt_regs *ctx)
{
	enum { MANY = 128 };	/* events that netpoll() takes at a time */
	struct transition t = {};
	struct stack_start from;
	struct rec_long *l;
	__u64 key, gp;
	int i;

	if (!host_begin(ctx, &t))
		return 0;
	from = start_of(&t);
	key = stack_key(&from, t.site.stack);
	gp = read_u64(go_arg1(ctx));
	for (i = 0; i < MANY && gp; i++) {
		l = rec_begin(sizeof(*l), t.pid_tgid, REC_GO_READY, 0);
		if (!l)
			break;
		l->r.id = goid_of(&l->r, gp);
		l->r.ptr = gp;
		l->arg = 0;
		l->stack = key;
		rec_submit(l);
		gp = read_u64(gp + off.g_schedlink);
	}
	if (stack_is_new(key))
		stack_define(key, &from, (__u32)t.pid_tgid, t.site.stack, 0);
	return 0;
}

/*
 * Entries to a syscall, on the goroutine's stack: reentersyscall(pc, sp, bp) gets the caller
 * passed; entersyscall and entersyscallblock (sub 1) are called directly. Up to Go 1.22 the stack
 * begins in the function itself.
 */
SEC("uprobe")
int inlined_syscall(struct pt_regs *ctx)
{
	struct transition t = { .gp = go_g(ctx) };
	struct stack_start from;

	if (!host_begin(ctx, &t))
		return 0;
	if (!syscall_bp)
		from = (struct stack_start){ .pc = t.ret, .second = t.caller, .bp = t.fp };
	else if (t.site.sub)
		from = (struct stack_start){ .pc = t.caller, .bp = t.fp };
	else
		from = (struct stack_start){ .pc = go_arg1(ctx), .bp = go_arg3(ctx) };
	return send_sys_enter(&t, from);
}

/*
 * exitsyscall, up to Go 1.25: the jump after the compare-and-swap of the status, which exitsyscall
 * repeats while a scan of the stack is under way.
 */
SEC("uprobe")
int inlined_sys_exit(struct pt_regs *ctx)
{
	enum { GO_RUNNING = 2, SCAN = 0x1000 };
	struct transition t = { .gp = go_g(ctx) };

	if (!host_begin(ctx, &t))
		return 0;
	if ((read_u32(t.gp + off.g_atomicstatus) & ~(__u32)SCAN) != GO_RUNNING)
		return 0;
	return send_sys_exit(&t);
}

/* The call of runqput(pp, gp, next), in the frame of the function literal in newproc. */
SEC("uprobe")
int inlined_runqput(struct pt_regs *ctx)
{
	struct transition t = { .gp = go_arg2(ctx) };

	if (!host_begin(ctx, &t))
		return 0;
	t.caller = 0;
	return send_transition(&t);
}

/* The call of pidleput(pp, now) in findRunnable, after releasep. */
SEC("uprobe")
int inlined_p_stop(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), p = go_arg1(ctx);

	if (!is_target(pid_tgid))
		return 0;
	return send_p(pid_tgid, p, REC_P_STOP, 0);
}

/*
 * An inlined (*gcControllerState).update: the instruction after its atomic addition, where a
 * register has the whole sum that the runtime's own tracer writes.
 */
SEC("uprobe")
int inlined_heap(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), live = go_reg(ctx, heap_live_reg);

	if (!is_target(pid_tgid))
		return 0;
	return send_value(pid_tgid, REC_HEAP_ALLOC, live, 0);
}
