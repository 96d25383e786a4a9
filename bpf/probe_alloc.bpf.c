// SPDX-License-Identifier: GPL-2.0
/*
 * probe_alloc: the allocations that the runtime samples for its heap profile (one in MemProfileRate
 * bytes), and the ends of these objects. mProf_Malloc() puts a sample into its bucket;
 * freeSpecial() runs for each special record of an object that the sweeper frees, and a sampled
 * object has one of the kind _KindSpecialProfile. Both get the same address: the sampled object's,
 * which is that of its special record. An object has one record of each.
 */
#include "gostate.h"

/*
 * Sends a stack before the record that has its key, so that user space knows the frames when it
 * takes the record: it finds the object's type by them.
 */
static __always_inline __u64 stack_before(const struct stack_start *from, __u32 tid)
{
	__u64 key = stack_key(from, STACK_ALLOC);

	if (stack_is_new(key))
		stack_define(key, from, tid, STACK_ALLOC, 0);
	return key;
}

/* mProf_Malloc(p, size); since Go 1.23 mProf_Malloc(mp, p, size) */
SEC("uprobe")
int GO_PROGRAM(alloc_sampled)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), key, object, size;
	struct stack_start from;
	struct rec_long *l;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	object = loaded(go_arg1(ctx));
	size = loaded(go_arg2(ctx));
	if (profile_takes_m) {
		object = size;
		size = loaded(go_arg3(ctx));
	}
	from = start_at_actor(go_g(ctx), go_caller(ctx, INLINE_NONE), go_fp(ctx));
	key = stack_before(&from, (__u32)pid_tgid);
	l = rec_begin(sizeof(*l), pid_tgid, REC_ALLOC_SAMPLED, 0);
	if (!l)
		return 0;
	l->r.id = object;
	l->r.ptr = size;
	l->stack = key;
	l->arg = read_u64(profile_rate);
	rec_submit(l);
	return 0;
}

/* freeSpecial(s, p, size), up to Go 1.16 freespecial */
SEC("uprobe")
int GO_PROGRAM(alloc_freed)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();
	struct rec *r;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE) ||
	    read_u8(go_arg1(ctx) + special_kind_at) != special_profile)
		return 0;
	r = rec_begin(sizeof(*r), pid_tgid, REC_SAMPLE_FREED, 0);
	if (!r)
		return 0;
	r->id = go_arg2(ctx);
	r->ptr = go_arg3(ctx);
	rec_submit(r);
	return 0;
}
