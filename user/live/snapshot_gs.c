// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot_gs: the goroutines of a snapshot, from runtime.allgs (a slice of pointers; pointers.h):
 * state, stack, labels. The runtime never frees or moves a g.
 */
#include "live/snapshot_internal.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "live/fields.h"
#include "live/memory.h"

enum {
	G_SIZE = 512,		/* covers every field that is read, in all releases */
	/* the least memory that a g takes in the program, in all releases */
	BYTES_PER_G = 64,
	MAX_GS = 1 << 30,
	SCAN_BIT = 0x1000,
};

#define NO_RECORD SIZE_MAX

/* g.atomicstatus (runtime/runtime2.go); DEADEXTRA, since Go 1.26, is the g of an extra M */
enum {
	RUNNABLE = 1, SYSCALL = 3, WAITING = 4, DEAD = 6, LEAKED = 10, DEADEXTRA = 11,
	STATUSES = 12,
};

int snapshot_list_gs(const struct snapshot_reader *rd, struct pointers *ret, struct error *err)
{
	return pointers_read(ret, rd->proc, rd->roots->allgs,
			     pointers_room(rd->size, BYTES_PER_G, MAX_GS), "runtime.allgs",
			     rd->stop, err);
}

/*
 * Corrects the M of a dead goroutine. Mostly the M is about to leave the goroutine. But an extra M
 * that no C thread uses now keeps its goroutine, the id of its last thread and, up to Go 1.21, the
 * P of that thread as if a syscall went on, although the thread has released that P (proc.go,
 * dropm).
 */
static void forget_dropped(struct m_fact *m, uint32_t status)
{
	m->oldp = 0;	/* in an M that runs it is 0 anyway */
	if (status == DEADEXTRA)
		m->tid = 0;
}

static uint32_t status_of(const struct snapshot_reader *rd, const uint8_t *g)
{
	return u32_at(g, rd->plan->offsets.g_atomicstatus) & ~(uint32_t)SCAN_BIT;
}

/* One that the runtime has found to be leaked waits as before (_Gleaked, Go 1.26 and later). */
static bool gs_is_blocked(uint32_t status)
{
	return status == WAITING || status == LEAKED;
}

/* Returns where the stack of @g begins; pc is 0 if it has no stack, or runs. */
static struct stack_walk walk_of(const struct snapshot_reader *rd, const uint8_t *g)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint32_t status = status_of(rd, g);
	bool in_syscall = status == SYSCALL;
	struct stack_walk w = {0};

	if (!rd->stacks.depth || (!gs_is_blocked(status) && status != RUNNABLE && !in_syscall))
		return w;
	if (in_syscall && off->g_syscallbp == GO_OFFSET_NONE)
		return w;	/* the saved frame pointer is not valid by then (Go 1.22) */
	w.pc = u64_at(g, in_syscall ? off->g_syscallpc : off->g_sched_pc);
	w.bp = u64_at(g, in_syscall ? off->g_syscallbp : off->g_sched_bp);
	w.lo = u64_at(g, off->g_stack_lo);
	w.hi = u64_at(g, off->g_stack_hi);
	return w;
}

/* Appends the record of a g. Returns its offset in the output. */
static size_t take_g(struct snapshot_reader *rd, uint64_t ptr, const uint8_t *g,
		     const struct stack_walk *w)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint32_t status = status_of(rd, g);
	struct m_fact *m = snapshot_m(rd, u64_at(g, off->g_m));
	uint64_t goid = u64_at(g, off->g_goid), stack;
	struct rec_long *l;

	if (m && (status == DEAD || status == DEADEXTRA))
		forget_dropped(m, status);
	if (!goid || !status || status == DEAD || status == DEADEXTRA)
		return NO_RECORD;
	stack = stack_walk_record(&rd->stacks, w, rd->now, rd->out);
	l = snapshot_add(rd, REC_SNAP_G);
	l->r.id = goid;
	l->r.ptr = ptr;
	l->r.tid = m ? m->tid : 0;
	l->r.sub = (uint8_t)status;
	l->r.flags = g[off->g_waitreason];
	if (off->g_in_mark_assist != GO_OFFSET_NONE && g[off->g_in_mark_assist])
		l->r.flags |= 1 << 8;
	l->stack = stack;
	l->arg = u64_at(g, off->g_startpc);
	return (size_t)((uint8_t *)l - rd->out->data);
}

static uint8_t snap_gs_put_text(char *to, size_t room, const struct label_bytes *from, bool *cut)
{
	size_t n = from->len < room ? from->len : room;

	memcpy(to, from->text, n);
	*cut = from->cut || n < from->len;
	return (uint8_t)n;
}

static struct rec_label label_record(const struct live_label *l)
{
	struct rec_label ret = {0};
	bool key_cut, value_cut;

	ret.key_len = snap_gs_put_text(ret.key, sizeof(ret.key), &l->key, &key_cut);
	ret.value_len = snap_gs_put_text(ret.value, sizeof(ret.value), &l->value, &value_cut);
	ret.flags = REC_LABEL | (key_cut ? REC_LABEL_KEY_CUT : 0) |
		    (value_cut ? REC_LABEL_VALUE_CUT : 0);
	return ret;
}

/* Appends the labels of a g. A set that cannot be read counts as one label without a known text. */
static void snap_gs_take_labels(struct snapshot_reader *rd, const uint8_t *g)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint64_t address = u64_at(g, off->g_labels);
	struct rec_user u = { .r = { .time = rd->now,
				     .kind = REC_SNAP_LABELS,
				     .id = u64_at(g, off->g_goid),
				     .ptr = address } };
	bool known = address && labels_read(rd->proc, rd->plan->minor, address, rd->labels);
	struct rec_label label;
	size_t i, n = known ? rd->labels->n : 0;

	if (!address || (known && !n && !rd->labels->more))
		return;
	u.arg = known ? n + rd->labels->more : 1;
	n = n < REC_LABELS_MOST ? n : REC_LABELS_MOST;
	u.room = (uint32_t)(n * sizeof(label));
	u.len[0] = (uint16_t)u.room;
	buf_add(rd->out, &u, sizeof(u));
	for (i = 0; i < n; i++) {
		label = label_record(&rd->labels->all[i]);
		buf_add(rd->out, &label, sizeof(label));
	}
}

/*
 * Appends the stack bounds of a g, also of a dead one that keeps its stack. Stack sizes are powers
 * of two: another size was read while the stack was changed, and that change has records.
 */
static void take_gstack(struct snapshot_reader *rd, const uint8_t *g)
{
	uint64_t lo = u64_at(g, rd->plan->offsets.g_stack_lo);
	uint64_t size = u64_at(g, rd->plan->offsets.g_stack_hi) - lo;
	struct rec rec = { .time = rd->now, .kind = REC_SNAP_GSTACK, .id = lo, .ptr = size };

	if (lo && size && !(size & (size - 1)))
		buf_add(rd->out, &rec, sizeof(rec));
}

/* Returns how many bytes of a g hold every field that is read. */
static size_t g_bytes(const struct snapshot_reader *rd)
{
	const struct go_offsets *off = &rd->plan->offsets;
	size_t n = off->g_startpc + 8u;

	if (n < off->g_waiting + 8u)
		n = off->g_waiting + 8u;
	if (rd->labels && n < off->g_labels + 8u)
		n = off->g_labels + 8u;
	return n > G_SIZE ? G_SIZE : n;
}

void snapshot_read_gs(const struct snapshot_reader *rd, const uint64_t *gs, size_t n,
		      unsigned int offset, size_t size, void *to, size_t room, bool *ok)
{
	_cleanup_free_ struct memory_range *ranges = xcalloc(n, sizeof(*ranges));
	size_t i;

	for (i = 0; i < n; i++)
		ranges[i] = (struct memory_range){ gs[i] + offset, (uint8_t *)to + i * room, size,
						   false };
	memory_read_each(rd->proc, ranges, n);
	for (i = 0; i < n; i++)
		ok[i] = ranges[i].ok;
}

/*
 * Removes stacks that moved while they were read. The collector moves the stack of a goroutine that
 * waits to a smaller one (shrinkstack) without a record: the old memory may have become another
 * stack before it was read.
 */
static void forget_moved_stacks(struct snapshot_reader *rd, const uint64_t *gs, size_t n,
				const uint8_t *bytes, const size_t *records)
{
	unsigned int offset = rd->plan->offsets.g_stack_hi;
	_cleanup_free_ uint64_t *hi = xcalloc(n, sizeof(*hi));
	bool ok[GS_BATCH];
	size_t i;

	snapshot_read_gs(rd, gs, n, offset, sizeof(*hi), hi, sizeof(*hi), ok);
	for (i = 0; i < n; i++)
		if (records[i] != NO_RECORD &&
		    (!ok[i] || hi[i] != u64_at(bytes + i * G_SIZE, offset)))
			((struct rec_long *)(rd->out->data + records[i]))->stack = 0;
}

/* Returns how many gs could not be read, or are no goroutines. */
static size_t snap_gs_take_batch(struct snapshot_reader *rd, const uint64_t *gs, size_t n,
				 uint8_t *bytes)
{
	size_t records[GS_BATCH], i, bad = 0;
	bool ok[GS_BATCH], waiting[GS_BATCH];

	snapshot_read_gs(rd, gs, n, 0, g_bytes(rd), bytes, G_SIZE, ok);
	for (i = 0; i < n; i++) {
		ok[i] = ok[i] && status_of(rd, bytes + i * G_SIZE) < STATUSES;
		rd->walks[i].pc = 0;
		if (ok[i])
			rd->walks[i] = walk_of(rd, bytes + i * G_SIZE);
		waiting[i] = ok[i] && gs_is_blocked(status_of(rd, bytes + i * G_SIZE));
		bad += !ok[i];
	}
	stack_walk_each(&rd->stacks, rd->walks, n);
	snapshot_waits_read(rd, gs, bytes, G_SIZE, waiting, n);
	for (i = 0; i < n; i++) {
		records[i] = NO_RECORD;
		if (!ok[i])
			continue;
		records[i] = take_g(rd, gs[i], bytes + i * G_SIZE, &rd->walks[i]);
		if (records[i] != NO_RECORD)
			snapshot_waits_record(rd, i, records[i]);
		if (rd->labels && records[i] != NO_RECORD)
			snap_gs_take_labels(rd, bytes + i * G_SIZE);
		if (rd->plan->groups & 1u << GROUP_STACKS)
			take_gstack(rd, bytes + i * G_SIZE);
	}
	if (rd->stacks.depth)
		forget_moved_stacks(rd, gs, n, bytes, records);
	return bad;
}

int snapshot_take_gs(struct snapshot_reader *rd, struct snapshot_counts *counts, struct error *err)
{
	struct pointers gs;
	uint8_t *bytes = xcalloc(GS_BATCH, G_SIZE);
	size_t i, n;
	int r = snapshot_list_gs(rd, &gs, err);

	if (!r)
		pointers_sort(&gs, rd->stop);
	for (i = 0; i < gs.n && !r; i += n) {
		n = gs.n - i < GS_BATCH ? gs.n - i : GS_BATCH;
		if (stop_requested(rd->stop))
			r = memory_error(rd->proc, rd->stop, "goroutines", err);
		else
			counts->unreadable += snap_gs_take_batch(rd, gs.at + i, n, bytes);
		if (!r && memory_is_silent(rd->proc))
			r = memory_error(rd->proc, rd->stop, "goroutines", err);
	}
	counts->goroutines = gs.n;
	free(bytes);
	pointers_free(&gs);
	return r;
}
