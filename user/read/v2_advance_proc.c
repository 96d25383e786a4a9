// SPDX-License-Identifier: Apache-2.0
/* v2_advance: events of procs (docs/traceformat.md, P status and Ps). */
#include "read/v2_advance.h"

/*
 * Sets the old state of the status event; false with the fault set if the status contradicts the
 * known one.
 */
static bool check_known_status(struct order *o, struct trace_event *ev,
			       const struct order_p *p, uint8_t status)
{
	if (status == P_SYSCALL_ABANDONED && p->status == P_SYSCALL) {
		/*
		 * No event is missing: the begin of the syscall is known. The status is taken as
		 * Syscall.
		 */
		ev->old_state = PROC_RUNNING;
		ev->args[1] = P_SYSCALL;
	} else if (status == P_SYSCALL_ABANDONED && p->status == P_SYSCALL_ABANDONED) {
		ev->old_state = PROC_IDLE;
		ev->args[1] = P_SYSCALL_ABANDONED;
	} else if (p->status != status) {
		advance_fail(o, ev, "inconsistent status for proc %lld: old %s vs. new %s",
			     (long long)p->id, pstatus_name(p->status), pstatus_name(status));
		return false;
	}
	return true;
}

/* The thread that has @p, in most cases p->on, which got it last; NULL: none has it. */
static const struct order_m *holder_of(struct order *o, const struct order_p *p)
{
	uint32_t i;

	if (p->on && p->on->p == p->id)
		return p->on;
	for (i = 0; i < o->ms.made; i++) {
		const struct order_m *m = idtab_at(&o->ms, i);

		if (m->p == p->id)
			return m;
	}
	return NULL;
}

/*
 * The status of a P in a syscall is "abandoned": a thread that is about to steal the P has written
 * it. The context of the event becomes the thread that has the P.
 */
static bool enter_holder(struct order *o, struct trace_event *ev, const struct order_p *p)
{
	const struct order_m *m = holder_of(o, p);

	if (!m) {
		advance_fail(o, ev, "failed to find sched context for proc %lld that's about to be"
			     " stolen", (long long)p->id);
		return false;
	}
	ev->m = m->id;
	ev->p = p->id;
	ev->g = m->g;
	return true;
}

enum advance advance_proc_status(struct order *o, struct trace_event *ev)
{
	uint64_t id = ev->args[0];
	uint8_t status = (uint8_t)ev->args[1];	/* Go's ProcStatus has 8 bits */
	struct order_p *p = order_find_p(o, id);

	if (status > P_SYSCALL_ABANDONED)
		return advance_fail(o, ev, "invalid status for proc %lld: %u", (long long)id,
				    status);
	ev->old_state = pstatus_state(status);
	if (!p) {
		p = order_add_p(o, id);
		p->status = status;
		ev->old_state = o->gen == o->initial_gen ? PROC_UNDETERMINED :
				   PROC_NOT_EXIST;
	} else if (!check_known_status(o, ev, p, status)) {
		return ADVANCE_FAIL;
	}
	p->seq = (struct order_seq){ .gen = o->gen };
	if (status == P_RUNNING || status == P_SYSCALL) {
		bind_p(o, id);
		p->on = o->m;
	}
	if (status == P_SYSCALL_ABANDONED && ev->old_state == PROC_RUNNING &&
	    !enter_holder(o, ev, p))
		return ADVANCE_FAIL;
	return advance_done(o, ev);
}

enum advance advance_proc_start(struct order *o, struct trace_event *ev)
{
	uint64_t id = ev->args[0], seq = ev->args[1];
	struct order_p *p = order_find_p(o, id);

	/* Another thread may have to stop the P first, or this thread may have to lose its P. */
	if (!p)
		return advance_wait(o, "P %lld has no status yet", (long long)id);
	if (p->status != P_IDLE)
		return advance_wait(o, "P %lld is %s, not Idle", (long long)id,
				    pstatus_name(p->status));
	if (!seq_follows(&p->seq, o->gen, seq))
		return advance_wait(o, "P %lld is not at seq %llu", (long long)id,
				    (unsigned long long)seq - 1);
	if (ev->p != TRACEV2_NO_ID)
		return advance_wait(o, "the thread still holds P %lld", (long long)ev->p);
	/* The thread may have a goroutine, which returns from a syscall. */
	if (!advance_require(o, ev, MUST, MUST_NOT, MAY))
		return ADVANCE_FAIL;
	p->status = P_RUNNING;
	p->seq.n = seq;
	bind_p(o, id);
	p->on = o->m;
	return advance_done(o, ev);
}

enum advance advance_proc_stop(struct order *o, struct trace_event *ev)
{
	struct order_p *p = advance_p(o, ev);

	if (!p)
		return advance_fail(o, ev, "event ProcStop for proc (%lld) that doesn't exist",
				    (long long)ev->p);
	if (p->status != P_RUNNING && p->status != P_SYSCALL)
		return advance_fail(o, ev, "ProcStop event for proc that's not Running or Syscall");
	if (!advance_require(o, ev, MUST, MUST, MAY))
		return ADVANCE_FAIL;
	p->status = P_IDLE;
	bind_p(o, TRACEV2_NO_ID);
	return advance_done(o, ev);
}

/* The thread that loses the P, if this thread is known. */
static enum advance advance_proc_take_from(struct order *o, struct trace_event *ev, uint64_t p,
					   uint64_t victim)
{
	struct order_m *m;

	if (victim == ev->m) {
		if (ev->p != p)
			return advance_fail(o, ev, "tried to self-steal proc %lld (thread %lld),"
					    " but got proc %lld instead", (long long)p,
					    (long long)victim, (long long)ev->p);
		bind_p(o, TRACEV2_NO_ID);
		return advance_done(o, ev);
	}
	m = order_find_m(o, victim);
	if (!m)
		return advance_fail(o, ev, "stole proc from non-existent thread %lld",
				    (long long)victim);
	if (m->p != p)
		return advance_fail(o, ev, "tried to steal proc %lld from thread %lld, but got"
				    " proc %lld instead", (long long)p, (long long)victim,
				    (long long)m->p);
	/* From here on the GoSyscallEndBlocked of this thread can be handled. */
	m->p = TRACEV2_NO_ID;
	return advance_done(o, ev);
}

enum advance advance_proc_steal(struct order *o, struct trace_event *ev)
{
	uint64_t id = ev->args[0], seq = ev->args[1];
	struct order_p *p = order_find_p(o, id);
	bool abandoned;

	if (!p)
		return advance_wait(o, "P %lld has no status yet", (long long)id);
	if (p->status != P_SYSCALL && p->status != P_SYSCALL_ABANDONED)
		return advance_wait(o, "P %lld is %s, not in a syscall", (long long)id,
				    pstatus_name(p->status));
	if (!seq_follows(&p->seq, o->gen, seq))
		return advance_wait(o, "P %lld is not at seq %llu", (long long)id,
				    (unsigned long long)seq - 1);
	if (!advance_require(o, ev, MUST, MAY, MAY))
		return ADVANCE_FAIL;
	abandoned = p->status == P_SYSCALL_ABANDONED;
	ev->old_state = abandoned ? PROC_IDLE : PROC_RUNNING;
	p->status = P_IDLE;
	p->seq.n = seq;
	/* The thread of an abandoned P is not known, and may have continued. */
	return abandoned ? advance_done(o, ev) : advance_proc_take_from(o, ev, id, ev->args[2]);
}
