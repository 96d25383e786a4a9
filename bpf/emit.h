/* SPDX-License-Identifier: GPL-2.0 */
/*
 * emit: the steps of every probe: test that the hit is one of the target's threads, reserve a
 * record, take the time, fill the record, submit it. A probe takes the time after it has reserved
 * the record, on purpose. User space reads a ring up to its producer position at time t. A record
 * that it does not find there is then either younger than t, or was reserved before t and shows as
 * a busy record.
 */
#ifndef GOTAP_BPF_EMIT_H
#define GOTAP_BPF_EMIT_H

#include "arch_order.h"
#include "common.h"
#include "ring.h"

#ifdef GO_INLINE
#include "inline/thread.h"
#include "inline/order.h"
#else

/* As in linux/bpf.h. */
struct bpf_pidns_info {
	__u32 pid;
	__u32 tgid;
};

/* As bpf_get_current_pid_tgid(), but with ids of the target's PID namespace (target_ns_ino). */
static __always_inline __u64 current_ids(void)
{
	struct bpf_pidns_info ids = {};

	if (!target_ns_ino)
		return bpf_get_current_pid_tgid();
	bpf_get_ns_current_pid_tgid(target_ns_dev, target_ns_ino, &ids, sizeof(ids));
	return (__u64)ids.tgid << 32 | ids.pid;
}

/*
 * The counterparts of inline/thread.h, which must find out the thread id by itself. In BPF the
 * kernel knows the thread id always.
 */
static __always_inline void thread_takes(__u64 pid_tgid, __u64 p) {}
static __always_inline __u64 thread_of(__u64 pid_tgid, __u64 p) { return pid_tgid; }

/* The counterparts of inline/order.h. The kernel's clock does not run ahead of earlier loads. */
static __always_inline void order_after_others(void) {}
static __always_inline __u64 rec_time(void) { return bpf_ktime_get_ns(); }

/*
 * Keeps the variables of a program on the kernel stack of the thread that hit the probe.
 *
 * Since Linux 6.13 the verifier gives a uprobe program a private stack instead: one piece of
 * memory per program and CPU. A kernel that can preempt itself (PREEMPT_LAZY) may switch to a
 * second thread inside the program; if that thread hits the same probe on the same CPU, it
 * overwrites the variables of the first. On Linux 7.3 this gave false records within a second,
 * and a helper that was called with a null pointer, which stopped the kernel.
 *
 * The verifier gives no private stack to a program with a tail call (check_max_stack_depth in
 * kernel/bpf/verifier.c). It decides that before it removes the branch below, which it knows
 * is never taken. A later kernel may decide in another order.
 */
static __always_inline void own_stack(void)
{
	if (!on_own_stack)
		bpf_tail_call((void *)0, &nowhere, 0);
}

/* Counts a hit of a probe: the budget computes the cost of the probes from these counts. */
static __always_inline void count_hit(void)
{
	struct ring_state *s = ring_of_cpu();

	if (s)
		s->hits++;
}

/*
 * Returns whether the thread belongs to the target and records are to be made. Every program calls
 * this once.
 */
static __always_inline bool is_of_target(__u64 pid_tgid)
{
	if ((pid_tgid >> 32) != target_tgid)
		return false;
	count_hit();	/* a hit costs the target time also while probes are being detached */
	return active;
}

/* As is_of_target(), for uprobe programs, which call it first. */
static __always_inline bool is_target(__u64 pid_tgid)
{
	own_stack();
	return is_of_target(pid_tgid);
}

#endif

static __always_inline void rec_fill(struct rec *r, __u32 tid, __u8 kind, __u8 sub)
{
	r->time = rec_time();
	r->tid = tid;
	rec_set_kind(r, kind | REC_BUSY);
	/* ring_drop_unfinished() assumes that a record without a kind has only time and tid. */
	barrier();
	r->sub = sub;
	r->flags = 0;
}

/*
 * As rec_begin(), for a record that only earlier records of the same thread lead to: it is about a
 * goroutine or a P that the thread has owned since one of those. inline/order.h says which cost
 * this saves.
 */
static __always_inline void *rec_begin_own(const __u32 size, __u64 pid_tgid, __u8 kind, __u8 sub)
{
	struct rec *r = ring_reserve(ring_of_cpu(), size);

	if (r)
		rec_fill(r, (__u32)pid_tgid, kind, sub);
	return r;
}

/*
 * Reserves a record of @size bytes (rec or rec_long) and fills its head; NULL if the ring is full.
 */
static __always_inline void *rec_begin(const __u32 size, __u64 pid_tgid, __u8 kind, __u8 sub)
{
	order_after_others();
	return rec_begin_own(size, pid_tgid, kind, sub);
}

/*
 * Makes the record readable. It wakes no reader: user space drains on a timer, and a wake-up costs
 * more than the whole probe.
 */
static __always_inline void rec_submit(void *r)
{
	arch_submit(r);
}

/* Finds the class of the call site with @key (SITE_KEY); false if sites.def has no such site. */
static __always_inline bool site_find(__u64 key, struct site_class *ret)
{
	KNOB_CONST struct site_slot *slot = &site_table[SITE_SLOT(key, site_multiplier)];

	ret->kind = slot->class.kind;
	ret->sub = slot->class.sub;
	ret->stack = slot->class.stack;
	ret->at = slot->class.at;
	return slot->key == key;
}

/*
 * Returns whether @r may leave out its goid: user space knows the goid of every g (names_from in
 * common.h), and no record was lost since. Without the read of g.goid a short record costs a third:
 * the first read of a page of the target's memory takes twice as long as the rest of the probe.
 */
static __always_inline bool goid_known(const struct rec *r)
{
	return r->time > names_from && names_lost == names_lost_before;
}

/* The goid for @r, a record of a g that had an earlier record with its goid. */
static __always_inline __u64 goid_of(const struct rec *r, __u64 gp)
{
	return goid_known(r) ? REC_ID_TOLD : FIELD(64, gp, g_goid);
}

#endif
