// SPDX-License-Identifier: GPL-2.0
/*
 * probe_sweep: the spans that a goroutine sweeps before it may allocate. The runtime's tracer
 * records one range per call of deductSweepCredit, mcentral.cacheSpan or mheap.reclaim in which a
 * span is swept (traceruntime.go, GCSweepStart), and nothing of the background sweeper. There are
 * one or two hits per span, and one per refill of an mcache, so that the group is off by default.
 */
#include "gostate.h"
#include "sweeping.h"

static __always_inline int send_span(__u64 pid_tgid, __u8 place, __u64 bytes,
				     const struct stack_start *from)
{
	struct rec_long *l = rec_begin(sizeof(*l), pid_tgid, REC_SWEEP_SPAN, place);

	if (!l)
		return 0;
	l->r.id = bytes;
	l->r.ptr = 0;
	l->arg = 0;
	submit_with_stack(l, (__u32)pid_tgid, from, STACK_SWEEP, 0);
	return 0;
}

static __always_inline int send_mark(__u64 pid_tgid, __u8 sub, __u64 bytes)
{
	struct rec *r = rec_begin(sizeof(*r), pid_tgid, REC_SWEEP_MARK, sub);

	if (!r)
		return 0;
	r->id = bytes;
	r->ptr = 0;
	rec_submit(r);
	return 0;
}

/*
 * Returns which of the traced loops calls sweep (enum rec_sweep); 0: none. sweepone also has
 * callers that the runtime does not trace.
 */
static __always_inline __u8 sweep_place(__u64 link, __u64 fp)
{
	struct site_class site;

	if (!site_find(SITE_KEY(go_return(link), 0, 0), &site) || site.kind != REC_SWEEP_SPAN)
		return 0;
	if (site.sub != REC_SWEEP_ONE)
		return site.sub;
	if (!site_find(SITE_KEY(read_u64(fp + 8), 0, 0), &site) || site.kind != REC_SWEEP_SPAN)
		return 0;
	return site.sub;
}

/*
 * The span that sweep sweeps: the argument is an mspan up to Go 1.16, (s *mspan).sweep(preserve),
 * then a sweepLocked with the mspan as first word, (sl *sweepLocked).sweep(preserve).
 */
static __always_inline __u64 swept_span(struct pt_regs *ctx)
{
	__u64 arg = go_arg1(ctx);

	return sweeps_mspan ? arg : read_u64(arg);
}

SEC("uprobe")
int GO_PROGRAM(sweep_span)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), g = go_g(ctx);
	__u64 link = go_link(ctx), fp = go_fp(ctx);
	__u32 tid = (__u32)pid_tgid;
	struct stack_start from = {};
	struct sweeping now = {}, *old;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	now.place = sweep_place(link, fp);
	if (!now.place)
		return 0;
	now.span = swept_span(ctx);
	now.allocated = read_u16(now.span + off.mspan_alloc_count);
	old = bpf_map_lookup_elem(&sweeps, &tid);
	if (!old || old->place != now.place)
		from = start_at_actor(g, go_return(link), fp);
	if (old)
		now.valid = old->valid;
	bpf_map_update_elem(&sweeps, &tid, &now, BPF_ANY);
	return send_span(pid_tgid, now.place, 8192 * read_u64(now.span + off.mspan_npages), &from);
}

/*
 * The probe sits in sweep at the call of newMarkBits: mspan.allocCount is by now the number of live
 * objects.
 */
SEC("uprobe")
int GO_PROGRAM(sweep_freed)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), span, size;
	__u32 tid = (__u32)pid_tgid;
	struct sweeping *now;
	__u16 left;

	if (!is_target(pid_tgid))
		return 0;
	now = bpf_map_lookup_elem(&sweeps, &tid);
	if (!now || !now->span)
		return 0;
	span = now->span;
	now->span = 0;
	left = read_u16(span + off.mspan_alloc_count);
	size = read_u64(span + off.mspan_elemsize);
	return send_mark(pid_tgid, REC_SWEEP_FREED, (__u16)(now->allocated - left) * size);
}

/*
 * deductSweepCredit(): every allocation that may have to sweep calls it first, and again if its
 * stack had to grow.
 */
SEC("uprobe")
int GO_PROGRAM(sweep_call)(void *ctx)
{
	__u64 pid_tgid = current_ids();
	__u32 tid = (__u32)pid_tgid;
	struct sweeping *now;

	if (!is_target(pid_tgid))
		return 0;
	now = bpf_map_lookup_elem(&sweeps, &tid);
	if (!now || !now->place)
		return 0;
	now->place = 0;
	return send_mark(pid_tgid, REC_SWEEP_CALL, 0);
}

/*
 * The probe sits in reclaimChunk at the call of (*activeSweep).end: the function has looked for
 * spans to sweep, and the range of the trace ends next. Up to Go 1.17 reclaimChunk always looks,
 * and the probe sits at its first instruction.
 */
SEC("uprobe")
int GO_PROGRAM(sweep_looked)(void *ctx)
{
	__u64 pid_tgid = current_ids();
	__u32 tid = (__u32)pid_tgid;
	struct sweeping fresh = { .valid = 1 }, *now;

	if (!is_target(pid_tgid))
		return 0;
	now = bpf_map_lookup_elem(&sweeps, &tid);
	if (now)
		now->valid = 1;
	else
		bpf_map_update_elem(&sweeps, &tid, &fresh, BPF_ANY);
	return 0;
}

/*
 * The result of reclaimChunk(h, arenas, pageIdx, n). With GO_ABI_STACK it is on the stack, above
 * six words of arguments.
 */
static __always_inline __u64 chunk_result(struct pt_regs *ctx)
{
	if (program_abi == GO_ABI_STACK)
		return read_u64(loaded(go_sp(ctx)) + 8 * (ARCH_CALL_WORD + 6));
	return loaded(go_arg1(ctx));
}

/* The probe sits in reclaim, where reclaimChunk has returned how many of 512 pages it freed. */
SEC("uprobe")
int GO_PROGRAM(sweep_chunk)(struct pt_regs *ctx)
{
	enum { PAGES_PER_CHUNK = 512 };
	__u64 pid_tgid = current_ids(), freed = chunk_result(ctx), g = go_g(ctx), fp = go_fp(ctx);
	__u32 tid = (__u32)pid_tgid;
	struct stack_start from = {};
	struct sweeping *now;

	if (!is_target(pid_tgid))
		return 0;
	now = bpf_map_lookup_elem(&sweeps, &tid);
	if (!now || !now->valid || freed > PAGES_PER_CHUNK)
		return 0;
	now->valid = 0;
	if (now->place != REC_SWEEP_RECLAIM)
		from = start_at_actor(g, read_u64(fp + 8), fp);
	now->place = REC_SWEEP_RECLAIM;
	return send_span(pid_tgid, REC_SWEEP_RECLAIM, 8192 * (PAGES_PER_CHUNK - freed), &from);
}
