// SPDX-License-Identifier: GPL-2.0
/*
 * probe_region: the calls of functions that the user names (--region). At both places the stack
 * pointer leads to the return address of the call. A goroutine's stack may move between the two, so
 * the key of a call is its depth: the distance from the high end of the stack, which a move keeps.
 */
#include "annotation.h"
#include "op_kind.h"
#include "regions.h"

/* Returns the depth of the call; 0 if no goroutine runs here (the system stack, a signal). */
static __always_inline __u64 region_depth(struct pt_regs *ctx)
{
	__u64 g = go_g(ctx), sp = loaded(go_sp(ctx)), hi;

	if (!FIELD(64, g, g_goid))
		return 0;
	hi = FIELD(64, g, g_stack_hi);
	return hi > sp && sp >= FIELD(64, g, g_stack_lo) ? hi - sp : 0;
}

static __always_inline void region_send(struct pt_regs *ctx, __u64 pid_tgid, __u8 kind,
					const struct region_point *p)
{
	struct annotation a = { .kind = kind, .flags = OP_FUNCTION, .pid_tgid = pid_tgid };

	a.task = region_depth(ctx);
	a.arg = loaded(arch_ip(ctx));
	if (!a.task)
		return;
	a.text[0] = text_at(p->name, p->len);
	send_fitting(&a, 0);
}

static __always_inline struct region_point *region_here(struct pt_regs *ctx)
{
	__u64 ip = loaded(arch_ip(ctx));

	return bpf_map_lookup_elem(&regions, &ip);
}

SEC("uprobe")
int GO_PROGRAM(region_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();
	struct region_point *p;

	if (!is_target(pid_tgid))
		return 0;
	p = region_here(ctx);
	if (!p || (p->drop_taken && arch_stack_grows(ctx)))
		return 0;
	__sync_fetch_and_add(&region_hits[p->number & (REGIONS_MOST - 1)].begins, 1);
	region_send(ctx, pid_tgid, REC_OP_BEGIN, p);
	return 0;
}

SEC("uprobe")
int GO_PROGRAM(region_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();
	struct region_point *p;

	if (!is_target(pid_tgid))
		return 0;
	p = region_here(ctx);
	if (!p)
		return 0;
	__sync_fetch_and_add(&region_hits[p->number & (REGIONS_MOST - 1)].ends, 1);
	region_send(ctx, pid_tgid, REC_OP_END, p);
	return 0;
}
