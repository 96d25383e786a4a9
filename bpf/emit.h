/* SPDX-License-Identifier: GPL-2.0 */
/*
 * emit: reserve -> timestamp -> fill -> submit. The time is taken after the
 * reserve on purpose: user space reads a ring up to its producer position at
 * time t and may then be sure that whatever appears later is younger than t
 * (or was already reserved, which it sees as a busy record).
 */
#ifndef GOTAP_BPF_EMIT_H
#define GOTAP_BPF_EMIT_H

#include "common.h"
#include "ring.h"

/* linux/bpf.h */
struct bpf_pidns_info {
	__u32 pid;
	__u32 tgid;
};

/* As bpf_get_current_pid_tgid(), in the namespace that user space chose. */
static __always_inline __u64 current_ids(void)
{
	struct bpf_pidns_info ids = {};

	if (!target_ns_ino)
		return bpf_get_current_pid_tgid();
	bpf_get_ns_current_pid_tgid(target_ns_dev, target_ns_ino, &ids, sizeof(ids));
	return (__u64)ids.tgid << 32 | ids.pid;
}

/*
 * Since Linux 6.13 programs of our type keep their stack in memory of their
 * own, one piece per program and CPU. But where the kernel can preempt itself
 * (PREEMPT_LAZY, say), a second thread may meet a probe while the first one is
 * still in it, and overwrites its variables: false records, and now and then a
 * helper that gets a null pointer, which stops the kernel (seen on 7.3).
 * Programs with a tail call are left on the stack of the thread
 * (check_max_stack_depth), also if the verifier then finds that the call is
 * never made, and takes it out.
 */
static __always_inline void own_stack(void)
{
	if (!on_own_stack)
		bpf_tail_call((void *)0, &nowhere, 0);
}

/* What probes cost is measured by how often they are hit. */
static __always_inline void count_hit(void)
{
	struct ring_state *s = ring_of_cpu();

	if (s)
		s->hits++;
}

/* Every program asks this once. */
static __always_inline bool is_of_target(__u64 pid_tgid)
{
	if ((pid_tgid >> 32) != target_tgid)
		return false;
	count_hit();	/* it costs while probes are being taken away, too */
	return active;
}

/* For every uprobe program. */
static __always_inline bool is_target(__u64 pid_tgid)
{
	own_stack();
	return is_of_target(pid_tgid);
}

static __always_inline void rec_fill(struct rec *r, __u32 tid, __u8 kind, __u8 sub)
{
	r->time = bpf_ktime_get_ns();
	r->tid = tid;
	rec_set_kind(r, kind | REC_BUSY);
	r->sub = sub;
	r->flags = 0;
}

/* A record of @size bytes (rec or rec_long) with its head filled, NULL if the ring is full. */
static __always_inline void *rec_begin(const __u32 size, __u64 pid_tgid, __u8 kind, __u8 sub)
{
	struct rec *r = ring_reserve(ring_of_cpu(), size);

	if (r)
		rec_fill(r, (__u32)pid_tgid, kind, sub);
	return r;
}

/* Nobody is woken: user space drains on a timer, a wake-up costs more than the probe. */
static __always_inline void rec_submit(void *r)
{
	barrier();	/* x86 lets nobody see this store before those above */
	rec_set_kind(r, ((struct rec *)r)->kind & ~REC_BUSY);
}

/* The class of the call site with @key (SITE_KEY); false if it is of no interest. */
static __always_inline bool site_find(__u64 key, struct site_class *ret)
{
	const volatile struct site_slot *slot = &site_table[SITE_SLOT(key, site_multiplier)];

	ret->kind = slot->class.kind;
	ret->sub = slot->class.sub;
	ret->stack = slot->class.stack;
	return slot->key == key;
}

static __always_inline __u64 read_u64(__u64 addr)
{
	__u64 v = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)addr);
	return v;
}

static __always_inline __u32 read_u32(__u64 addr)
{
	__u32 v = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)addr);
	return v;
}

static __always_inline __u8 read_u8(__u64 addr)
{
	__u8 v = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)addr);
	return v;
}

/*
 * Is all known in user space that earlier records told? What follows from those
 * need not be read: the first look at a page of the program costs twice what
 * all the rest of a short record does.
 */
static __always_inline bool is_told(const struct rec *r)
{
	return r->time > names_from && names_lost == names_lost_before;
}

/* The goid for @r, a record of a g that has a name already. */
static __always_inline __u64 goid_of(const struct rec *r, __u64 gp)
{
	return is_told(r) ? REC_ID_TOLD : read_u64(gp + off.g_goid);
}

#endif
