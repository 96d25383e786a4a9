// SPDX-License-Identifier: Apache-2.0
/* snapshot: see snapshot.h. Reads goroutines, then Ps, then GC phase and memory. */
#include "live/snapshot.h"

#include <stdlib.h>

#include "base/clock.h"
#include "live/memory.h"
#include "live/snapshot_internal.h"
#include "live/snapshot_memory.h"

enum { BYTES_PER_FRAME = 16 };	/* the least memory that a frame takes in the program */

/*
 * Appends the phase of the collector. Without the symbol of the phase, a cycle that is under way
 * shows with its next GC record.
 */
static void take_gc(struct snapshot_reader *rd)
{
	struct rec rec = { .time = rd->now, .kind = REC_SNAP_GC };
	uint32_t phase;

	if (!rd->plan->gcphase ||
	    !memory_read(rd->proc, rd->plan->gcphase + rd->proc->bias, &phase, sizeof(phase)))
		return;
	rec.sub = (uint8_t)phase;
	buf_add(rd->out, &rec, sizeof(rec));
}

int snapshot_take(const struct plan *plan, const struct process *proc, const struct roots *roots,
		  const struct snapshot_opts *opts, struct buf *out, struct snapshot_counts *counts,
		  struct error *err)
{
	uint64_t size = memory_size(proc);
	struct snapshot_reader rd = {
		.plan = plan,
		.proc = proc,
		.roots = roots,
		.out = out,
		.now = now_ns(),
		.size = size,
		.stacks = {
			.proc = proc,
			.depth = opts->stack_depth < REC_MAX_FRAMES ? opts->stack_depth :
								      REC_MAX_FRAMES - 1,
			.frames_left = size ? size / BYTES_PER_FRAME : UINT64_MAX,
		},
		.walks = xcalloc(GS_BATCH, sizeof(*rd.walks)),
		.waits = snapshot_waits_new(),
		.stop = opts->stop,
	};
	int r;

	*counts = (struct snapshot_counts){0};
	if (plan->groups & 1u << GROUP_LABELS)
		rd.labels = xcalloc(1, sizeof(*rd.labels));
	thread_ids_init(&rd.tids, proc);
	r = opts->fits ? 0 : snapshot_check(&rd, err);
	if (!r)
		/* first, because it finds the Ms that snapshot_take_ps() needs */
		r = snapshot_take_gs(&rd, counts, err);
	if (!r)
		r = snapshot_take_ps(&rd, counts, err);
	if (!r) {
		take_gc(&rd);
		counts->unreadable_spans = snapshot_memory(plan, proc, rd.now, opts->stop, out);
	}
	map64_free(&rd.ms);
	vec_free(&rd.m_facts);
	thread_ids_free(&rd.tids);
	map64_free(&rd.syscalls);
	stack_reader_free(&rd.stacks);
	free(rd.walks);
	free(rd.waits);
	free(rd.labels);
	return r;
}
