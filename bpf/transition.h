/* SPDX-License-Identifier: GPL-2.0 */
/*
 * transition: makes a record of a change of a goroutine's status that a probe saw. The class of the
 * call site (user/plan/sites.def) names the kind of record.
 */
#ifndef GOTAP_BPF_TRANSITION_H
#define GOTAP_BPF_TRANSITION_H

#include "gostate.h"
#include "wait_object.h"

struct transition {
	__u64 pid_tgid;
	__u64 g, fp;		/* g and frame pointer of the thread at the probe */
	__u64 gp;
	__u64 ret;		/* a pc in the function that makes the transition: the leaf */
	struct site_class site;
	/*
	 * The probe sits in the function that makes the transition (probe_inlined.bpf.c). The
	 * function has no frame yet: @caller is its return address, @arg2 its second argument.
	 */
	bool host;
	__u64 caller, arg2;
};

/* Sends a record without a stack: GoStart, GoDestroy and similar events. */
static __always_inline int send_plain(struct transition *t)
{
	struct rec *r;

	if (t->site.kind != REC_GO_DEAD)
		order_after_others();
	r = rec_begin_own(sizeof(*r), t->pid_tgid, t->site.kind, t->site.sub);
	if (!r)
		return 0;
	r->id = rec_may_omit_goid(t->site.kind) ? goid_of(r, t->gp) : FIELD(64, t->gp, g_goid);
	r->ptr = t->gp;
	rec_submit(r);
	return 0;
}

static __always_inline void put_stack(struct rec_long *l, struct transition *t,
				      const struct stack_start *from, __u16 skip)
{
	submit_with_stack(l, (__u32)t->pid_tgid, from, t->site.stack, skip);
}

/*
 * Finds the class of the call by the caller of the caller. Inside the frame of the function that
 * called casgstatus, its return address lies above RBP.
 */
static __always_inline bool caller_site(struct transition *t, struct site_class *ret)
{
	return site_find(SITE_KEY(t->host ? t->caller : read_u64(t->fp + 8), 0, 0), ret);
}

/* Where the stack begins of the goroutine that makes the transition (start_at_actor()). */
static __always_inline struct stack_start start_of(struct transition *t)
{
	struct stack_start from = start_at_actor(t->g, t->ret, t->fp);

	if (t->host && from.pc == t->ret)
		from.second = t->caller;
	return from;
}

static __always_inline int send_park(struct transition *t)
{
	struct stack_start from;
	struct rec_long *l;
	struct g_chunk c;
	__u64 key, object;
	__u8 reason;

	g_read(&c, t->gp);
	reason = G_FIELD(&c, __u8, waitreason);
	/* first: the channels of a select are in records before that of the wait */
	object = wait_object(t->gp, G_FIELD(&c, __u64, m), G_FIELD(&c, __u64, sched_bp),
			     t->pid_tgid, reason);
	l = rec_begin_own(sizeof(*l), t->pid_tgid, REC_GO_PARK, 0);
	if (!l)
		return 0;
	l->r.sub = reason;
	l->r.id = G_FIELD(&c, __u64, goid);
	l->r.ptr = t->gp;
	l->arg = object;
	from = start_at_sched(&c);
	key = stack_key(&from, t->site.stack);
	l->stack = key;
	/*
	 * gopark's skip is a constant of the call path, and so the same for each record of the
	 * stack.
	 */
	submit_with_key(l, key, &from, (__u32)t->pid_tgid, t->site.stack,
			(__u16)FIELD(64, g_m(t->g), m_wait_trace_skip));
	return 0;
}

/*
 * The mode of the GC worker that becomes runnable. The scheduler sets p.gcMarkWorkerMode just
 * before it wakes a worker for this P; otherwise it is 0 there. Up to Go 1.15 the numbers are one
 * lower, and the mode counts for p.gcBgMarkWorker alone.
 */
static __always_inline __u8 worker_mode_of(struct transition *t, __u64 p)
{
	if (program_abi && off.p_gc_bg_worker != GO_OFFSET_NONE)
		return p && read_u64(p + off.p_gc_bg_worker) == t->gp ?
		       (__u8)read_u32(p + off.p_gc_mark_worker_mode) + 1 : 0;
	return p ? (__u8)read_u32(p + off.p_gc_mark_worker_mode) : 0;
}

static __always_inline __u8 worker_mode(struct transition *t)
{
	return worker_mode_of(t, FIELD_OF_THREAD(64, g_m(t->g), m_p));
}

/*
 * A running goroutine becomes runnable. The site gives the reason for goyield_m. goschedImpl has
 * two callers in callers.def, Gosched and goschedguarded; with any other caller the goroutine was
 * preempted. Only the record of a preempted goroutine needs the mode of a GC worker, and a stack
 * that may begin in a prologue: the other functions call mcall from their own Go code.
 */
static __always_inline int send_stop(struct transition *t)
{
	struct rec_long *l = rec_begin_own(sizeof(*l), t->pid_tgid, REC_GO_STOP, t->site.sub);
	bool preempted = false;
	struct stack_start from;
	struct g_chunk c;
	struct site_class caller;

	if (!l)
		return 0;
	if (!l->r.sub) {
		preempted = !caller_site(t, &caller);
		l->r.sub = preempted ? REC_STOP_PREEMPTED : caller.sub;
	}
	g_read(&c, t->gp);
	l->r.id = G_FIELD(&c, __u64, goid);
	l->r.ptr = t->gp;
	l->arg = 0;
	if (preempted) {
		l->r.flags = 1 + worker_mode(t);
		from = start_at_preempted(&c, t->gp);
	} else {
		from = start_at_sched(&c);
	}
	put_stack(l, t, &from, 0);
	return 0;
}

static __always_inline __u16 ready_skip(struct transition *t)
{
	if (t->site.stack != STACK_READY)
		return 0;
	if (t->host)
		return (__u16)t->arg2;
	if (!ready_skip_slot)
		return 0;
	return (__u16)read_u64(t->fp + ready_skip_slot);
}

/*
 * Fills in a wake-up of @t->gp by the scheduler. False if this M has no current goroutine: the
 * record then has no stack, and no frame is read. This is the frequent case: findRunnable, which
 * polls the network, runs while the M has no goroutine.
 */
static __always_inline bool scheduler_wakes(struct rec_long *l, struct transition *t)
{
	struct m_has m;

	m_read(&m, g_m(t->g));
	l->r.sub = worker_mode_of(t, m.p);
	return m.curg;
}

static __always_inline int send_ready(struct transition *t)
{
	bool has_stack = stack_depth && t->site.stack;
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, REC_GO_READY, 0);
	struct stack_start from;
	__u64 key;

	if (!l)
		return 0;
	l->r.id = goid_of(&l->r, t->gp);
	l->r.ptr = t->gp;
	l->arg = 0;
	if (t->site.stack == STACK_WAKE)
		has_stack &= scheduler_wakes(l, t);
	if (!has_stack) {
		l->stack = 0;
		rec_submit(l);
		return 0;
	}
	from = start_of(t);
	key = stack_key(&from, t->site.stack);
	l->stack = key;
	submit_with_key(l, key, &from, (__u32)t->pid_tgid, t->site.stack, ready_skip(t));
	return 0;
}

/*
 * The goid of a created goroutine. Up to Go 1.23 newproc1 takes it from p.goidcache after the
 * status change. If the cache is used up the goid is not known yet: 0, and user space learns it
 * from the goroutine's next record.
 */
static __always_inline __u64 created_goid(struct transition *t)
{
	__u64 cache[2] = {}, p, id;

	if (goid_before_status || t->host) {
		id = FIELD(64, t->gp, g_goid);
		if (!id)
			__sync_fetch_and_add(&names_lost, 1);
		return id;
	}
	p = FIELD_OF_THREAD(64, g_m(t->g), m_p);
	read_user(cache, sizeof(cache), p + off.p_goidcache);
	return cache[0] != cache[1] ? cache[0] : 0;
}

static __always_inline int send_create(struct transition *t)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, t->site.kind, 0);
	struct stack_start from;

	if (!l)
		return 0;
	l->r.id = created_goid(t);
	if (!l->r.id)
		l->r.flags = (__u16)FIELD(64, t->gp, g_goid);
	l->r.ptr = t->gp;
	l->arg = FIELD(64, t->gp, g_startpc);
	from = start_of(t);
	put_stack(l, t, &from, 0);
	return 0;
}

/*
 * Where the stack begins from which the syscall leaves Go: since Go 1.21 g holds it. Up to 1.18 the
 * caller is mostly syscall.Syscall, assembly code without a frame, with its return address at
 * g.syscallsp; callers.def names these callers of entersyscall.
 */
static __always_inline struct stack_start start_at_syscall(struct transition *t, struct g_chunk *c)
{
	struct stack_start from = { .pc = G_FIELD(c, __u64, syscallpc) };
	struct site_class frameless;

	if (program_abi == GO_ABI_PUSH) {
		from.bp = G_FIELD(c, __u64, syscallbp);
		return from;
	}
	from.bp = read_u64(t->fp);	/* the caller of entersyscallblock, or */
	if (!t->site.sub)
		/* the caller of reentersyscall, which is entersyscall */
		from.bp = read_u64(from.bp);
	if (site_find(SITE_KEY(from.pc, 0, 0), &frameless))
		from.second = read_u64(G_FIELD(c, __u64, syscallsp));
	return from;
}

/*
 * Up to Go 1.25: sends a syscall's begin from reentersyscall or entersyscallblock, on the
 * goroutine's own stack. A probe inside one of these functions runs before the function saves the
 * stack; @from is then where the stack begins.
 */
static __always_inline int send_sys_enter(struct transition *t, struct stack_start from)
{
	struct rec_long *l = rec_begin_own(sizeof(*l), t->pid_tgid, REC_SYS_ENTER, 0);
	struct g_chunk c;

	if (!l)
		return 0;
	l->arg = 0;
	l->r.ptr = t->gp;
	if (!t->host && (program_abi || syscall_bp)) {
		g_read(&c, t->gp);
		l->r.id = G_FIELD(&c, __u64, goid);
		from = start_at_syscall(t, &c);
	} else {
		l->r.id = goid_of(&l->r, t->gp);
	}
	put_stack(l, t, &from, 0);
	return 0;
}

/*
 * Up to Go 1.25: exitsyscall has a P. It is the P of the syscall's begin if and only if exitsyscall
 * is the only one that has added to p.syscalltick since, as it does just before (proc.go, lostP).
 */
static __always_inline int send_sys_exit(struct transition *t)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, REC_SYS_EXIT, 0);
	__u64 m, p;

	if (!l)
		return 0;
	m = g_m(t->gp);
	p = FIELD_OF_THREAD(64, m, m_p);
	l->r.id = goid_of(&l->r, t->gp);
	l->r.ptr = t->gp;
	l->r.sub = FIELD(32, m, m_syscalltick) + 1 == read_u32(p + off.p_syscalltick);
	l->stack = 0;
	l->arg = p;
	rec_submit(l);
	return 0;
}

/* Sends the record of a transition that happens on the system stack. */
static __always_inline int send_transition(struct transition *t)
{
	switch (t->site.kind) {
	case REC_GO_PARK:
		return send_park(t);
	case REC_GO_READY:
		return send_ready(t);
	case REC_GO_STOP:
		return send_stop(t);
	case REC_GO_CREATE:
	case REC_GO_CREATE_BLOCKED:
		return send_create(t);
	}
	return send_plain(t);
}

#endif
