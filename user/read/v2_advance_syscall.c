// SPDX-License-Identifier: Apache-2.0
/* v2_advance: system calls and cgo callbacks (docs/traceformat.md, Syscalls and C threads). */
#include "read/v2_advance.h"

enum advance advance_syscall_begin(struct order *o, struct trace_event *ev)
{
	uint64_t seq = ev->args[0];
	struct order_g *g;
	struct order_p *p;

	if (!advance_require_user(o, ev))
		return ADVANCE_FAIL;
	g = advance_running_g(o, ev);
	if (!g)
		return ADVANCE_FAIL;
	p = advance_p(o, ev);
	if (!p)
		return advance_fail(o, ev, "uninitialized proc %lld found during GoSyscallBegin",
				    (long long)ev->p);
	/*
	 * The sequence number is the one that a ProcSteal of this P must follow. GoSyscallBegin
	 * itself never waits for it.
	 */
	if (!seq_follows(&p->seq, o->gen, seq))
		return advance_fail(o, ev, "failed to advance GoSyscallBegin: can't make"
				    " sequence: %llu (gen=%llu) -> %llu (gen=%llu)",
				    (unsigned long long)p->seq.n, (unsigned long long)p->seq.gen,
				    (unsigned long long)seq, (unsigned long long)o->gen);
	g->status = G_SYSCALL;
	p->status = P_SYSCALL;
	p->seq.n = seq;
	return advance_done(o, ev);
}

enum advance advance_syscall_end(struct order *o, struct trace_event *ev)
{
	struct order_g *g;
	struct order_p *p;

	if (!advance_require_user(o, ev))
		return ADVANCE_FAIL;
	g = advance_syscall_g(o, ev, "Running");	/* the text of Go's reader has this state */
	if (!g)
		return ADVANCE_FAIL;
	p = advance_p(o, ev);
	if (!p)
		return advance_fail(o, ev, "uninitialized proc %lld found during GoSyscallEnd",
				    (long long)ev->p);
	if (p->status != P_SYSCALL)
		return advance_fail(o, ev, "expected proc %lld in state Syscall, but got %s"
				    " instead", (long long)ev->p, pstatus_name(p->status));
	g->status = G_RUNNING;
	p->status = P_RUNNING;
	return advance_done(o, ev);
}

/*
 * The event means that the thread has lost its P. While the thread still has a P it waits for the
 * ProcSteal.
 */
enum advance advance_syscall_end_blocked(struct order *o, struct trace_event *ev)
{
	struct order_g *g;

	if (ev->p != TRACEV2_NO_ID) {
		struct order_p *p = advance_p(o, ev);

		if (!p)
			return advance_fail(o, ev, "uninitialized proc %lld found during"
					    " GoSyscallEndBlocked", (long long)ev->p);
		if (p->status == P_SYSCALL)
			return advance_wait(o, "P %lld has not left the syscall yet",
					    (long long)ev->p);
	}
	if (!advance_require(o, ev, MUST, MAY, MUST))
		return ADVANCE_FAIL;
	g = advance_syscall_g(o, ev, "Running");
	if (!g)
		return ADVANCE_FAIL;
	g->status = G_RUNNABLE;
	bind_g(o, TRACEV2_NO_ID);
	return advance_done(o, ev);
}

enum advance advance_go_create_syscall(struct order *o, struct trace_event *ev)
{
	uint64_t gid = ev->args[0];

	if (!advance_require(o, ev, MUST, MAY, MUST_NOT))
		return ADVANCE_FAIL;
	if (order_find_g(o, gid))
		return advance_fail(o, ev, "tried to create goroutine (%lld) in syscall that"
				    " already exists", (long long)gid);
	order_add_g(o, gid, G_SYSCALL, o->gen);
	bind_g(o, gid);
	return advance_done(o, ev);
}

/*
 * The thread leaves Go, and its id may be used again, so the P that it still has is abandoned: an
 * additional ProcSteal by the thread itself is returned, and the real ProcSteal that must follow
 * finds the P abandoned.
 */
static bool abandon_p(struct order *o, struct trace_event *ev)
{
	struct order_p *p = advance_p(o, ev);
	struct trace_event *steal;

	if (!p) {
		advance_fail(o, ev, "found invalid proc %lld during GoDestroySyscall",
			     (long long)ev->p);
		return false;
	}
	if (p->status != P_SYSCALL) {
		advance_fail(o, ev, "proc %lld in unexpected state %s during GoDestroySyscall",
			     (long long)ev->p, pstatus_name(p->status));
		return false;
	}
	p->status = P_SYSCALL_ABANDONED;
	bind_p(o, TRACEV2_NO_ID);
	steal = advance_queue(o, ev, EV_ProcSteal, ev->g);
	steal->args[0] = ev->p;
	steal->old_state = PROC_RUNNING;
	return true;
}

enum advance advance_go_destroy_syscall(struct order *o, struct trace_event *ev)
{
	struct order_g *g;

	if (!advance_require(o, ev, MUST, MAY, MUST))
		return ADVANCE_FAIL;
	g = advance_syscall_g(o, ev, "Syscall");
	if (!g)
		return ADVANCE_FAIL;
	order_del_g(o, g);
	bind_g(o, TRACEV2_NO_ID);
	if (ev->p != TRACEV2_NO_ID && !abandon_p(o, ev))
		return ADVANCE_FAIL;
	return advance_done(o, ev);
}
