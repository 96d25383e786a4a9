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

/* The word at @i words behind the begin of a value: in the next register, or on the stack. */
static __always_inline __u64 region_word(struct pt_regs *ctx, const struct region_value *v, __u32 i)
{
	if (v->on_stack)
		return read_u64(loaded(go_sp(ctx)) + v->place + 8 * i);
	return arch_int_register(ctx, v->place + i);
}

static __always_inline void region_read_value(struct pt_regs *ctx, const struct region_value *v,
					      struct region_read *to)
{
	__u64 word = region_word(ctx, v, 0), len;

	to->word = word;
	to->kind = v->kind;
	to->size = v->size;
	to->len = 0;
	to->missing = 0;
	__builtin_memcpy(to->name, v->name, sizeof(to->name));
	if (v->kind != REGION_VALUE_STRING)
		return;
	len = region_word(ctx, v, 1);
	to->word = len;
	if (len > REGION_VALUE_TEXT)
		len = REGION_VALUE_TEXT;
	asm volatile("" : "+r"(len));
	if (len && len <= REGION_VALUE_TEXT) {
		to->missing = bpf_probe_read_user(to->text, len, (void *)word) != 0;
		to->len = to->missing ? 0 : len;
	}
}

static __always_inline void region_send_values(struct pt_regs *ctx, __u64 pid_tgid, __u8 kind,
					       const struct region_point *p)
{
	const __u32 room = 512;
	__u64 depth = region_depth(ctx);
	struct region_read *to;
	struct rec_user *u;
	__u32 i;

	if (!depth)
		return;
	u = ring_reserve(ring_of_cpu(), sizeof(*u) + room);
	if (!u)
		return;
	rec_fill(&u->r, (__u32)pid_tgid, kind, 0);
	u->r.id = depth;
	u->r.ptr = 0;
	u->stack = 0;
	u->arg = p->nvalues;
	u->room = room;
	u->len[0] = p->nvalues * sizeof(*to);
	u->len[1] = 0;
	to = (struct region_read *)u->text;
#pragma unroll
	for (i = 0; i < REGION_VALUES; i++)
		if (i < p->nvalues)
			region_read_value(ctx, &p->values[i], &to[i]);
	rec_submit(u);
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
	if (p->nvalues)
		region_send_values(ctx, pid_tgid, REC_CALL_ARGS, p);
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
	if (p->nvalues)
		region_send_values(ctx, pid_tgid, REC_CALL_RESULTS, p);
	region_send(ctx, pid_tgid, REC_OP_END, p);
	return 0;
}
