// SPDX-License-Identifier: Apache-2.0
/* v2_step: system calls and cgo callbacks (wire-v2, B.6 and B.7). */
#include "read/v2_step.h"

enum advance step_syscall_begin(struct step *s)
{
	uint64_t seq = s->ev->args[0];
	struct order_g *g;
	struct order_p *p;

	if (!step_require_user(s))
		return ADVANCE_FAIL;
	g = step_running_g(s);
	if (!g)
		return ADVANCE_FAIL;
	p = step_p(s);
	if (!p)
		return step_fail(s, "uninitialized proc %lld found during GoSyscallBegin",
				 (long long)s->cur.p);
	/* The number tells apart which syscall a ProcSteal steals from; this P cannot wait. */
	if (!seq_follows(&p->seq, s->gen, seq))
		return step_fail(s, "failed to advance GoSyscallBegin: can't make sequence:"
				 " %llu (gen=%llu) -> %llu (gen=%llu)",
				 (unsigned long long)p->seq.n, (unsigned long long)p->seq.gen,
				 (unsigned long long)seq, (unsigned long long)s->gen);
	g->status = G_SYSCALL;
	p->status = P_SYSCALL;
	p->seq.n = seq;
	return step_done(s);
}

enum advance step_syscall_end(struct step *s)
{
	struct order_g *g;
	struct order_p *p;

	if (!step_require_user(s))
		return ADVANCE_FAIL;
	g = step_syscall_g(s, "Running");	/* Go's text names the state it leads to */
	if (!g)
		return ADVANCE_FAIL;
	p = step_p(s);
	if (!p)
		return step_fail(s, "uninitialized proc %lld found during GoSyscallEnd",
				 (long long)s->cur.p);
	if (p->status != P_SYSCALL)
		return step_fail(s, "expected proc %lld in state Syscall, but got %s instead",
				 (long long)s->cur.p, pstatus_name(p->status));
	g->status = G_RUNNING;
	p->status = P_RUNNING;
	return step_done(s);
}

/* The event says that the P was lost, so while it is still there the loss is yet to come. */
enum advance step_syscall_end_blocked(struct step *s)
{
	struct order_g *g;

	if (s->cur.p != TRACEV2_NO_ID) {
		struct order_p *p = step_p(s);

		if (!p)
			return step_fail(s, "uninitialized proc %lld found during"
					 " GoSyscallEndBlocked", (long long)s->cur.p);
		if (p->status == P_SYSCALL)
			return step_wait(s, "P %lld has not left the syscall yet",
					 (long long)s->cur.p);
	}
	if (!step_require(s, MUST, MAY, MUST))
		return ADVANCE_FAIL;
	g = step_syscall_g(s, "Running");
	if (!g)
		return ADVANCE_FAIL;
	g->status = G_RUNNABLE;
	s->next.g = TRACEV2_NO_ID;
	return step_done(s);
}

enum advance step_go_create_syscall(struct step *s)
{
	uint64_t gid = s->ev->args[0];

	if (!step_require(s, MUST, MAY, MUST_NOT))
		return ADVANCE_FAIL;
	if (order_find_g(s->o, gid))
		return step_fail(s, "tried to create goroutine (%lld) in syscall that already"
				 " exists", (long long)gid);
	order_add_g(s->o, gid, G_SYSCALL, s->gen);
	s->next.g = gid;
	return step_done(s);
}

/*
 * The thread leaves Go for good, and its id may be used again, so a P it still
 * holds is cut loose: it looks stolen by the thread itself, and the real
 * ProcSteal that must follow finds it abandoned.
 */
static bool abandon_p(struct step *s)
{
	struct order_p *p = step_p(s);
	struct trace_event *steal;

	if (!p) {
		step_fail(s, "found invalid proc %lld during GoDestroySyscall",
			  (long long)s->cur.p);
		return false;
	}
	if (p->status != P_SYSCALL) {
		step_fail(s, "proc %lld in unexpected state %s during GoDestroySyscall",
			  (long long)s->cur.p, pstatus_name(p->status));
		return false;
	}
	p->status = P_SYSCALL_ABANDONED;
	s->next.p = TRACEV2_NO_ID;
	steal = step_queue(s, EV_ProcSteal, s->cur.g);
	steal->args[0] = s->cur.p;
	steal->old_state = PROC_RUNNING;
	return true;
}

enum advance step_go_destroy_syscall(struct step *s)
{
	struct order_g *g;

	if (!step_require(s, MUST, MAY, MUST))
		return ADVANCE_FAIL;
	g = step_syscall_g(s, "Syscall");
	if (!g)
		return ADVANCE_FAIL;
	order_del_g(s->o, g);
	s->next.g = TRACEV2_NO_ID;
	if (s->cur.p != TRACEV2_NO_ID && !abandon_p(s))
		return ADVANCE_FAIL;
	return step_done(s);
}
