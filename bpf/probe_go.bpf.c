// SPDX-License-Identifier: GPL-2.0
/*
 * probe_go: goroutines. runtime.casgstatus(gp, old, new) sees every
 * transition before it becomes visible to other threads; who calls it, by
 * return address, tells what the transition means.
 */
#include "gostate.h"

enum { GO_RUNNABLE = 1, GO_RUNNING = 2 };	/* runtime/runtime2.go */

struct transition {
	__u64 pid_tgid;
	__u64 g, fp;		/* g and frame pointer of the thread at the probe */
	__u64 gp;
	__u64 ret;		/* return address into the caller of casgstatus */
	struct site_class site;
};

/* GoStart, GoDestroy and the like: no stack. */
static __always_inline int send_plain(struct transition *t)
{
	struct rec *r = rec_begin(sizeof(*r), t->pid_tgid, t->site.kind, t->site.sub);

	if (!r)
		return 0;
	r->id = read_u64(t->gp + off.g_goid);
	r->ptr = t->gp;
	rec_submit(r);
	return 0;
}

static __always_inline void put_stack(struct rec_long *l, struct transition *t,
				      const struct stack_start *from, __u16 skip)
{
	__u64 key = stack_key(from, t->site.stack);

	l->stack = key;
	rec_submit(l);
	if (key && !stack_known(key))
		stack_define(key, from, (__u32)t->pid_tgid, t->site.stack, skip);
}

/*
 * Is the caller of the caller one of the sites of @want? In the frame of the
 * function that called casgstatus, its own return address lies above RBP.
 */
static __always_inline bool caller_site(struct transition *t, struct site_class *ret)
{
	return site_find(SITE_KEY(read_u64(t->fp + 8), 0, 0), ret);
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
	rec_submit(l);
	/* gopark's skip is a constant of the call path, so it belongs to the stack. */
	if (key && !stack_known(key))
		stack_define(key, &from, (__u32)t->pid_tgid, t->site.stack,
			     (__u16)read_u64(g_m(t->g) + off.m_wait_trace_skip));
	return 0;
}

/*
 * The scheduler sets p.gcMarkWorkerMode just before it wakes a GC worker for
 * this P; otherwise it is 0 there. Up to Go 1.15 its numbers are one lower,
 * and it tells of p.gcBgMarkWorker alone.
 */
static __always_inline __u8 worker_mode(struct transition *t)
{
	__u64 p = read_u64(g_m(t->g) + off.m_p);

	if (go_abi && off.p_gc_bg_worker != GO_OFFSET_NONE)
		return p && read_u64(p + off.p_gc_bg_worker) == t->gp ?
		       (__u8)read_u32(p + off.p_gc_mark_worker_mode) + 1 : 0;
	return p ? (__u8)read_u32(p + off.p_gc_mark_worker_mode) : 0;
}

static __always_inline int send_stop(struct transition *t)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, REC_GO_STOP, t->site.sub);
	struct stack_start from;
	struct g_chunk c;
	struct site_class caller;

	if (!l)
		return 0;
	if (!l->r.sub) {	/* goschedImpl: its own caller decides */
		l->r.sub = caller_site(t, &caller) ? caller.sub : REC_STOP_PREEMPTED;
	}
	g_read(&c, t->gp);
	l->r.id = G_FIELD(&c, __u64, goid);
	l->r.ptr = t->gp;
	l->arg = 0;
	if (l->r.sub == REC_STOP_PREEMPTED)
		l->r.flags = 1 + worker_mode(t);
	/* goyield and Gosched end by mcall, like nothing that is preempted */
	from = start_at_preempted(&c, t->gp,
				  go_abi && !t->site.sub && l->r.sub == REC_STOP_PREEMPTED);
	put_stack(l, t, &from, 0);
	return 0;
}

static __always_inline __u16 ready_skip(struct transition *t)
{
	if (t->site.stack != STACK_READY || !ready_skip_slot)
		return 0;
	return (__u16)read_u64(t->fp + ready_skip_slot);
}

static __always_inline int send_ready(struct transition *t)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, REC_GO_READY, 0);
	struct stack_start from;
	__u64 key;

	if (!l)
		return 0;
	l->r.id = read_u64(t->gp + off.g_goid);
	l->r.ptr = t->gp;
	l->arg = 0;
	if (t->site.stack == STACK_WAKE)
		l->r.sub = worker_mode(t);
	if (!stack_depth || !t->site.stack) {
		l->stack = 0;
		rec_submit(l);
		return 0;
	}
	from = start_at_actor(t->g, t->ret, t->fp);
	key = stack_key(&from, t->site.stack);
	l->stack = key;
	rec_submit(l);
	if (key && !stack_known(key))
		stack_define(key, &from, (__u32)t->pid_tgid, t->site.stack, ready_skip(t));
	return 0;
}

/*
 * Up to Go 1.23 newproc1 takes the id from p.goidcache after the status
 * change. Where the cache is used up the id is not known yet: 0, and user
 * space learns it from the goroutine's next record.
 */
static __always_inline __u64 created_goid(struct transition *t)
{
	__u64 cache[2] = {}, p;

	if (goid_before_status)
		return read_u64(t->gp + off.g_goid);
	p = read_u64(g_m(t->g) + off.m_p);
	bpf_probe_read_user(cache, sizeof(cache), (void *)(p + off.p_goidcache));
	return cache[0] != cache[1] ? cache[0] : 0;
}

static __always_inline int send_create(struct transition *t)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, t->site.kind, 0);
	struct stack_start from;

	if (!l)
		return 0;
	l->r.id = created_goid(t);
	l->r.ptr = t->gp;
	l->arg = read_u64(t->gp + off.g_startpc);
	from = start_at_actor(t->g, t->ret, t->fp);
	put_stack(l, t, &from, 0);
	return 0;
}

#ifdef GO_OLD
/*
 * Go <= 1.20: from where the syscall leaves Go. Up to 1.18 that is mostly
 * syscall.Syscall, assembly without a frame, which returns to what lies at
 * g.syscallsp; callers.def knows these callers of entersyscall.
 */
static __always_inline struct stack_start start_at_syscall(struct transition *t, struct g_chunk *c)
{
	struct stack_start from = { .pc = G_FIELD(c, __u64, syscallpc) };
	struct site_class frameless;

	from.bp = read_u64(t->fp);	/* of the caller of entersyscallblock or, */
	if (!t->site.sub)
		from.bp = read_u64(from.bp);	/* of reentersyscall, the caller of entersyscall */
	if (site_find(SITE_KEY(from.pc, 0, 0), &frameless))
		from.second = read_u64(G_FIELD(c, __u64, syscallsp));
	return from;
}
#else
static __always_inline struct stack_start start_at_syscall(struct transition *t, struct g_chunk *c)
{
	return (struct stack_start){
		.pc = G_FIELD(c, __u64, syscallpc),
		.bp = G_FIELD(c, __u64, syscallbp),
	};
}
#endif

/* Go <= 1.25: reentersyscall and entersyscallblock, on the goroutine's own stack. */
static __always_inline int send_sys_enter(struct transition *t)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, REC_SYS_ENTER, 0);
	struct stack_start from = { .pc = t->ret, .bp = t->fp };
	struct g_chunk c;

	if (!l)
		return 0;
	l->arg = 0;
	l->r.ptr = t->gp;
	if (go_abi || syscall_bp) {
		g_read(&c, t->gp);
		l->r.id = G_FIELD(&c, __u64, goid);
		from = start_at_syscall(t, &c);
	} else {
		l->r.id = read_u64(t->gp + off.g_goid);
	}
	put_stack(l, t, &from, 0);
	return 0;
}

/*
 * Go <= 1.25: exitsyscall has a P in hand. It kept its own iff nobody bumped
 * p.syscalltick besides exitsyscall itself, which just did (proc.go, lostP).
 */
static __always_inline int send_sys_exit(struct transition *t)
{
	struct rec_long *l = rec_begin(sizeof(*l), t->pid_tgid, REC_SYS_EXIT, 0);
	__u64 m, p;

	if (!l)
		return 0;
	m = g_m(t->gp);
	p = read_u64(m + off.m_p);
	l->r.id = read_u64(t->gp + off.g_goid);
	l->r.ptr = t->gp;
	l->r.sub = read_u32(m + off.m_syscalltick) + 1 == read_u32(p + off.p_syscalltick);
	l->stack = 0;
	l->arg = p;
	rec_submit(l);
	return 0;
}

SEC("uprobe")
int GO_PROGRAM(casgstatus)(struct pt_regs *ctx)
{
	struct transition t = { .pid_tgid = current_ids() };
	struct go_casgstatus c = go_casgstatus(ctx);

	if (!is_target(t.pid_tgid))
		return 0;
	t.g = c.g;
	t.fp = c.fp;
	t.gp = c.gp;
	/*
	 * Runnable to running is execute's. coroswitch_m says it too when its
	 * fast path fails, of a goroutine that the model then knows to run.
	 */
	if ((__u32)c.old == GO_RUNNABLE && (__u32)c.new == GO_RUNNING) {
		t.site = (struct site_class){ .kind = REC_GO_START };
		return send_plain(&t);
	}
	t.ret = read_u64(c.ret_at);
	if (!site_find(SITE_KEY(t.ret, c.old, c.new), &t.site))
		return 0;
	switch (t.site.kind) {
	case REC_GO_PARK:
		return send_park(&t);
	case REC_GO_READY:
		return send_ready(&t);
	case REC_GO_STOP:
		return send_stop(&t);
	case REC_GO_CREATE:
	case REC_GO_CREATE_BLOCKED:
		return send_create(&t);
	case REC_SYS_ENTER:
		return send_sys_enter(&t);
	case REC_SYS_EXIT:
		return send_sys_exit(&t);
	}
	return send_plain(&t);
}

/* preemptPark(gp): stopped for a stack scan; does not use casgstatus, comes back by ready. */
SEC("uprobe")
int GO_PROGRAM(preempt_park)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), gp = go_arg1(ctx);
	struct transition t = {
		.pid_tgid = pid_tgid,
		.g = go_g(ctx),
		.gp = gp,
		.site = { .kind = REC_GO_PREEMPT_PARK, .stack = STACK_PREEMPT },
	};
	struct stack_start from;
	struct rec_long *l;
	struct g_chunk c;

	if (!is_target(pid_tgid) || go_restarts(ctx))
		return 0;
	l = rec_begin(sizeof(*l), pid_tgid, REC_GO_PREEMPT_PARK, 0);
	if (!l)
		return 0;
	g_read(&c, gp);
	l->r.id = G_FIELD(&c, __u64, goid);
	l->r.ptr = gp;
	l->r.flags = 1 + worker_mode(&t);
	l->arg = 0;
	from = start_at_preempted(&c, gp, go_abi);
	put_stack(l, &t, &from, 0);
	return 0;
}

#ifndef GO_OLD
/* coroswitch_m(gp), Go 1.23+: the next goroutine is the first word of gp.coroarg. */
SEC("uprobe")
int coroswitch(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), gp = go_arg1(ctx);
	struct rec_long *l;
	__u64 next;

	if (!is_target(pid_tgid))
		return 0;
	l = rec_begin(sizeof(*l), pid_tgid, REC_GO_SWITCH, 0);
	if (!l)
		return 0;
	if (read_u8(gp + off.g_coroexit))
		l->r.kind = REC_GO_SWITCH_DEAD;
	next = read_u64(read_u64(gp + off.g_coroarg));
	l->r.id = read_u64(gp + off.g_goid);
	l->r.ptr = gp;
	l->arg = next;
	l->stack = read_u64(next + off.g_goid);
	rec_submit(l);
	return 0;
}
#endif
