// SPDX-License-Identifier: GPL-2.0
/*
 * probe_memory: spans of pages and stacks of goroutines, at the places where the runtime's own
 * tracer records them if GODEBUG=traceallocfree=1 is set (Go 1.23 and later). The probes make their
 * records without that setting. A probe records an allocation before any thread can use the memory,
 * and a release before any thread can allocate the memory again, so that the records of one address
 * are in the right order.
 */
#include "emit.h"
#include "operand.h"

static __always_inline int send_memory(__u64 pid_tgid, __u8 kind, __u64 addr, __u64 size,
				       __u16 class)
{
	struct rec *r = rec_begin(sizeof(*r), pid_tgid, kind, 0);

	if (!r)
		return 0;
	r->flags = class;
	r->id = addr;
	r->ptr = size;
	rec_submit(r);
	return 0;
}

/*
 * stackalloc(n uint32), at the jump on the tracer's flag, after the stack has been allocated
 * (user/target/stackalloc.h).
 */
SEC("uprobe")
int gstack_alloc(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();

	if (!is_target(pid_tgid))
		return 0;
	return send_memory(pid_tgid, REC_GSTACK_ALLOC, operand(ctx, &gstack_lo),
			   (__u32)operand(ctx, &gstack_size), 0);
}

/* stackfree(stk stack) */
SEC("uprobe")
int gstack_free(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), lo = go_arg1(ctx);

	if (!is_target(pid_tgid))
		return 0;
	return send_memory(pid_tgid, REC_GSTACK_FREE, lo, 0, 0);
}

/*
 * (h *mheap).initSpan(s, typ spanAllocType, spanclass, base, npages, ...): the heap has taken the
 * pages and not published the span yet. spanAllocHeap is 0.
 */
SEC("uprobe")
int span_alloc(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), base = go_arg5(ctx), npages = go_arg6(ctx);
	__u8 typ = go_arg3(ctx), class = go_arg4(ctx);

	if (!is_target(pid_tgid))
		return 0;
	return send_memory(pid_tgid, REC_SPAN_ALLOC, base, npages, typ ? 1 : class << 1);
}

/* (h *mheap).freeSpanLocked(s, typ), which runs under the heap's lock. */
SEC("uprobe")
int span_free(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), span = go_arg2(ctx);

	if (!is_target(pid_tgid))
		return 0;
	return send_memory(pid_tgid, REC_SPAN_FREE, read_u64(span + off.mspan_start), 0, 0);
}
