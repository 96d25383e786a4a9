// SPDX-License-Identifier: GPL-2.0
/*
 * probe_assist: mark assists. gcAssistAlloc pays with credit if it can, and then traces nothing.
 * Otherwise it traces the begin of the assist and calls gcAssistAlloc1, once or (after it yielded
 * or waited) several times. The assist has ended when gcAssistAlloc clears g.inMarkAssist. Go up to
 * 1.21 has no such field: there every return of gcAssistAlloc makes a record, with or without an
 * assist.
 *
 * An assist that finds marking done runs gcMarkDone, which may allocate and call gcAssistAlloc
 * again. Both records therefore have the depth of the stack, which does not change when the stack
 * moves.
 */
#include "gostate.h"

static __always_inline __u64 stack_use(__u64 gp, __u64 sp)
{
	return read_u64(gp + off.g_stack_hi) - sp;
}

/* Sends the begin of an assist by @gp; the probe runs on the system stack. */
static __always_inline int send_begin(struct pt_regs *ctx, __u64 gp, enum inline_program program)
{
	__u64 pid_tgid = current_ids(), g = go_g(ctx);
	__u64 fp = go_fp(ctx);
	struct stack_start from;
	struct rec_long *l;

	if (!is_target(pid_tgid) || go_restarts(ctx, program))
		return 0;
	l = rec_begin(sizeof(*l), pid_tgid, REC_ASSIST_BEGIN, 0);
	if (!l)
		return 0;
	l->r.id = read_u64(gp + off.g_goid);
	l->r.ptr = stack_use(gp, read_u64(gp + off.g_sched_sp));
	l->arg = 0;
	from = start_at_actor(g, go_caller(ctx, program), fp);
	submit_with_stack(l, (__u32)pid_tgid, &from, STACK_ASSIST, 0);
	return 0;
}

/* gcAssistAlloc1(gp, scanWork) */
SEC("uprobe")
int GO_PROGRAM(assist_begin)(struct pt_regs *ctx)
{
	return send_begin(ctx, go_arg1(ctx), INLINE_assist_begin);
}

/*
 * The function literal in gcAssistAlloc that calls gcAssistAlloc1, where -pgo has inlined the
 * latter into the literal.
 */
SEC("uprobe")
int GO_PROGRAM(inlined_assist)(struct pt_regs *ctx)
{
	return send_begin(ctx, read_u64(g_m(go_g(ctx)) + off.m_curg), INLINE_NONE);
}

/*
 * The probe sits in gcAssistAlloc(gp), or where gcAssistAlloc has returned to, on the goroutine's
 * own stack. For `--attach inline` it sits where the runtime tests whether its own tracer is on,
 * which comes before g.inMarkAssist is cleared.
 */
SEC("uprobe")
int GO_PROGRAM(assist_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), gp = go_g(ctx), sp = go_sp(ctx);
	struct rec *r;

	if (!is_target(pid_tgid))
		return 0;
	r = rec_begin(sizeof(*r), pid_tgid, REC_ASSIST_END, 0);
	if (!r)
		return 0;
	r->id = read_u64(gp + off.g_goid);
	r->ptr = stack_use(gp, sp);
	rec_submit(r);
	return 0;
}
