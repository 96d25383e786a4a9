/* SPDX-License-Identifier: GPL-2.0 */
/*
 * transition: turns one change of a goroutine's status that a probe saw into its record. The class
 * of the call site (user/plan/sites.def) says which kind of record that is.
 */
#ifndef GOTAP_BPF_TRANSITION_H
#define GOTAP_BPF_TRANSITION_H

#include "gostate.h"

struct transition {
	__u64 pid_tgid;
	__u64 g, fp;		/* g and frame pointer of the thread at the probe */
	__u64 gp;
	__u64 ret;		/* a pc in the function that makes the transition: the leaf */
	struct site_class site;
	/*
	 * The probe sits in that function itself (probe_inlined), which has no frame
	 * yet: its return address, and its second argument.
	 */
	bool host;
	__u64 caller, arg2;
};

/* GoStart, GoDestroy and the like: no stack. */
static __always_inline int send_plain(struct transition *t)
{
	struct rec *r = rec_begin(sizeof(*r), t->pid_tgid, t->site.kind, t->site.sub);

	if (!r)
		return 0;
	r->id = rec_may_omit_goid(t->site.kind) ? goid_of(r, t->gp) : read_u64(t->gp + off.g_goid);
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
 * The class of the call by the caller's caller. In the frame of the function that called
 * casgstatus, its own return address lies above RBP.
 */
static __always_inline bool caller_site(struct transition *t, struct site_class *ret)
{
	return site_find(SITE_KEY(t->host ? t->caller : read_u64(t->fp + 8), 0, 0), ret);
}

/* The goroutine that makes the transition, as start_at_actor() has it. */
static __always_inline struct stack_start start_of(struct transition *t)
{
	struct stack_start from = start_at_actor(t->g, t->ret, t->fp);

	if (t->host && from.pc == t->ret)
		from.second = t->caller;
	return from;
}

static __always_inline int send_park(struct transition *t)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, REC_GO_PARK, 0);
	struct stack_start from;
	struct g_chunk c;
	__u64 key;

	if (!l)
		return 0;
	g_read(&c, t->gp);
	l->r.sub = G_FIELD(&c, __u8, waitreason);
	l->r.id = G_FIELD(&c, __u64, goid);
	l->r.ptr = t->gp;
	l->arg = 0;
	from = start_at_sched(&c);
	key = stack_key(&from, t->site.stack);
	l->stack = key;
	/* gopark's skip is a constant of the call path, so it belongs to the stack. */
	submit_with_key(l, key, &from, (__u32)t->pid_tgid, t->site.stack,
			(__u16)read_u64(g_m(t->g) + off.m_wait_trace_skip));
	return 0;
}

/*
 * The scheduler sets p.gcMarkWorkerMode just before it wakes a GC worker for
 * this P; otherwise it is 0 there. Up to Go 1.15 its numbers are one lower,
 * and it is set for p.gcBgMarkWorker alone.
 */
static __always_inline __u8 worker_mode_of(struct transition *t, __u64 p)
{
	if (go_abi && off.p_gc_bg_worker != GO_OFFSET_NONE)
		return p && read_u64(p + off.p_gc_bg_worker) == t->gp ?
		       (__u8)read_u32(p + off.p_gc_mark_worker_mode) + 1 : 0;
	return p ? (__u8)read_u32(p + off.p_gc_mark_worker_mode) : 0;
}

static __always_inline __u8 worker_mode(struct transition *t)
{
	return worker_mode_of(t, read_u64(g_m(t->g) + off.m_p));
}

/*
 * A running goroutine becomes runnable. The site alone gives the reason for goyield_m;
 * goschedImpl has two callers that callers.def names, Gosched and goschedguarded, and for any
 * other caller the goroutine was preempted. Only a preempted one needs the mode of a GC worker
 * and a stack that may begin in a prologue: the others call mcall from Go code of their own.
 */
static __always_inline int send_stop(struct transition *t)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, REC_GO_STOP, t->site.sub);
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
 * The scheduler wakes @t->gp. False if no goroutine is current on this M: then the wake-up has no
 * stack, and no frame is read. Mostly it is so: findRunnable, which polls the network, runs between
 * two goroutines.
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
 * Up to Go 1.23 newproc1 takes the id from p.goidcache after the status
 * change. Where the cache is used up the id is not known yet: 0, and user
 * space learns it from the goroutine's next record.
 */
static __always_inline __u64 created_goid(struct transition *t)
{
	__u64 cache[2] = {}, p, id;

	if (goid_before_status || t->host) {
		id = read_u64(t->gp + off.g_goid);
		if (!id)
			__sync_fetch_and_add(&names_lost, 1);
		return id;
	}
	p = read_u64(g_m(t->g) + off.m_p);
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
		l->r.flags = (__u16)read_u64(t->gp + off.g_goid);
	l->r.ptr = t->gp;
	l->arg = read_u64(t->gp + off.g_startpc);
	from = start_of(t);
	put_stack(l, t, &from, 0);
	return 0;
}

/*
 * The stack from which the syscall leaves Go: since Go 1.21 g has it. Up to 1.18 the caller is
 * mostly syscall.Syscall, assembly without a frame, with its return address at g.syscallsp;
 * callers.def has these callers of entersyscall.
 */
static __always_inline struct stack_start start_at_syscall(struct transition *t, struct g_chunk *c)
{
	struct stack_start from = { .pc = G_FIELD(c, __u64, syscallpc) };
	struct site_class frameless;

	if (go_abi == GO_ABI_PUSH) {
		from.bp = G_FIELD(c, __u64, syscallbp);
		return from;
	}
	from.bp = read_u64(t->fp);	/* of the caller of entersyscallblock or, */
	if (!t->site.sub)
		from.bp = read_u64(from.bp);	/* of reentersyscall, the caller of entersyscall */
	if (site_find(SITE_KEY(from.pc, 0, 0), &frameless))
		from.second = read_u64(G_FIELD(c, __u64, syscallsp));
	return from;
}

/*
 * Go <= 1.25: reentersyscall and entersyscallblock, on the goroutine's own stack.
 * A probe in these runs before they save its stack, and says where it is.
 */
static __always_inline int send_sys_enter(struct transition *t, struct stack_start from)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, REC_SYS_ENTER, 0);
	struct g_chunk c;

	if (!l)
		return 0;
	l->arg = 0;
	l->r.ptr = t->gp;
	if (!t->host && (go_abi || syscall_bp)) {
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
 * Go <= 1.25: exitsyscall has a P in hand. It is the old P if and only if no thread has added to
 * p.syscalltick but exitsyscall itself, which just did (proc.go, lostP).
 */
static __always_inline int send_sys_exit(struct transition *t)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, REC_SYS_EXIT, 0);
	__u64 m, p;

	if (!l)
		return 0;
	m = g_m(t->gp);
	p = read_u64(m + off.m_p);
	l->r.id = goid_of(&l->r, t->gp);
	l->r.ptr = t->gp;
	l->r.sub = read_u32(m + off.m_syscalltick) + 1 == read_u32(p + off.p_syscalltick);
	l->stack = 0;
	l->arg = p;
	rec_submit(l);
	return 0;
}

/* The common part of all transitions that happen on the system stack. */
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
