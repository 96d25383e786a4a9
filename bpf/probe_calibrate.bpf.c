// SPDX-License-Identifier: GPL-2.0
/*
 * probe_calibrate: measures the price of a probe on this machine. Both programs are attached to
 * functions of gotap itself, which calls them and takes the time (user/capture/budget_price.c). A
 * hit of the first program makes no record. The second makes a record as most probes do, with a
 * walk over the chain of frames that gotap passes.
 */
#include "emit.h"
#include "stack.h"

static __always_inline void hit(void)
{
	own_stack();
	if (current_ids())
		count_hit();
}

SEC("uprobe")
int calibrate_hit(struct pt_regs *ctx)
{
	hit();
	return 0;
}

/* The argument is the frame pointer where a chain of frames begins, or 0: no walk. */
SEC("uprobe")
int calibrate_record(struct pt_regs *ctx)
{
	__u64 bp = arch_c_arg1(ctx);
	__u32 ring = RING_CALIBRATION;
	struct rec_long *l;
	__u64 g[18];

	hit();
	l = ring_reserve(bpf_map_lookup_elem(&ring_states, &ring), sizeof(*l));
	if (!l)
		return 0;
	rec_fill(&l->r, 0, REC_GO_PARK, 0);
	l->r.id = 0;
	l->r.ptr = bp;
	l->arg = 0;
	l->stack = 0;
	if (bp) {
		bpf_probe_read_user(g, sizeof(g), (void *)bp);	/* the same read as g_read() */
		l->stack = stack_hash(g[1], 0, bp, 0, 0);
	}
	rec_submit(l);
	return 0;
}
