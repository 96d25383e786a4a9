// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot_waits: what the goroutines of a snapshot wait for. In: runtime.g of those that wait.
 * Out: a word of waits.h for each, or several for a select.
 *
 * A goroutine that is parked no longer has the m.waitlock that a probe reads: g.waiting leads to
 * the sudogs of channels and selects, and since Go 1.26 of semaphores and of sync.Cond. The frame
 * of the function that called gopark has the others. A sudog names its g, and a pollDesc the g that
 * waits for it: what names another one is no answer. All waits of a batch are read side by side, so
 * that one request reads a word of each.
 */
#include "live/snapshot_internal.h"

#include <string.h>

#include "base/arch.h"
#include "base/cleanup.h"
#include "live/fields.h"
#include "live/memory.h"
#include "release/release.h"

enum {
	SUDOG_SIZE = 96,	/* covers every field that is read, in all releases */
	FRAME_SIZE = 136,	/* from the frame pointer that gopark has saved on */
	POLL_WORDS = 2,		/* before fd, and fd */
};

/* What is read next of a wait. */
enum stage { STAGE_NONE, STAGE_FRAME, STAGE_SUDOG, STAGE_CHANNEL, STAGE_POLL, STAGE_DESCRIPTOR };

struct wait_walk {
	uint64_t g, at;		/* @at: address of what is read next */
	uint8_t stage;
	uint8_t how;		/* enum wait_how */
	uint8_t n;		/* words that are found */
	bool is_select;
	uint64_t next;		/* sudog of a select's next channel */
	uint64_t words[WAIT_CHANNELS];
	uint8_t bytes[FRAME_SIZE];
};

/* Where the walk of @g, of which @bytes were read, begins. */
static void wait_walk_begin(const struct snapshot_reader *rd, struct wait_walk *w, uint64_t g,
			    const uint8_t *bytes)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint8_t reason = bytes[off->g_waitreason];
	uint64_t bp = u64_at(bytes, off->g_sched_bp);

	w->g = g;
	w->n = 0;
	w->how = reason < WAIT_REASONS ? rd->plan->wait_hows.of[reason] : WAIT_HOW_NONE;
	w->is_select = w->how == WAIT_HOW_SELECT;
	w->stage = STAGE_SUDOG;
	w->at = u64_at(bytes, off->g_waiting);
	if (w->how == WAIT_HOW_SEMA_SLOT || w->how == WAIT_HOW_NETWORK) {
		w->stage = STAGE_FRAME;
		w->at = bp > u64_at(bytes, off->g_stack_lo) && bp < u64_at(bytes, off->g_stack_hi) ?
			bp : 0;
	}
	if (w->how == WAIT_HOW_COND && !release_has(rd->plan->minor, RELEASE_SEMA_IN_G))
		w->at = 0;
	if (!w->at || w->how == WAIT_HOW_NONE)
		w->stage = STAGE_NONE;
}

static size_t wait_walk_size(const struct wait_walk *w)
{
	switch (w->stage) {
	case STAGE_FRAME:
		return FRAME_SIZE;
	case STAGE_SUDOG:
		return SUDOG_SIZE;
	case STAGE_DESCRIPTOR:
		return POLL_WORDS * 8;
	default:
		return 8;
	}
}

static void wait_walk_to(struct wait_walk *w, enum stage stage, uint64_t at)
{
	w->stage = at ? stage : STAGE_NONE;
	w->at = at;
}

static void wait_walk_add(struct wait_walk *w, uint64_t address, uint64_t upper)
{
	w->words[w->n++] = (address & WAIT_ADDRESS) | upper << WAIT_ADDRESS_BITS;
	w->stage = STAGE_NONE;
}

static void wait_walk_frame(const struct snapshot_reader *rd, struct wait_walk *w)
{
	const struct plan *plan = rd->plan;
	uint64_t ret = u64_at(w->bytes, 8) - rd->proc->bias;
	/* of the word that is looked for, from w->at on */
	uint64_t at = arch_caller_sp(w->at, u64_at(w->bytes, 0)) - w->at;
	enum stage next = STAGE_NONE;

	if (w->how == WAIT_HOW_NETWORK) {
		at += ARCH_POLL_SLOT;
		next = STAGE_POLL;
	} else if (ret >= plan->sema_start && ret < plan->sema_end) {
		at += plan->sema_slot;
		next = STAGE_SUDOG;
	}
	wait_walk_to(w, next, at <= FRAME_SIZE - 8 ? u64_at(w->bytes, at) : 0);
}

static void wait_walk_sudog(const struct snapshot_reader *rd, struct wait_walk *w)
{
	const struct go_offsets *off = &rd->plan->offsets;

	if (u64_at(w->bytes, off->sudog_g) != w->g) {
		w->stage = STAGE_NONE;
		return;
	}
	if (w->how == WAIT_HOW_CHANNEL || w->is_select) {
		w->next = u64_at(w->bytes, off->sudog_waitlink);
		wait_walk_to(w, STAGE_CHANNEL, u64_at(w->bytes, off->sudog_c));
		return;
	}
	if (u64_at(w->bytes, off->sudog_elem))
		wait_walk_add(w, u64_at(w->bytes, off->sudog_elem), 0);
	w->stage = STAGE_NONE;
}

/* @w->at is the address of a channel's capacity. */
static void wait_walk_channel(const struct snapshot_reader *rd, struct wait_walk *w)
{
	uint64_t cap = u64_at(w->bytes, 0);

	wait_walk_add(w, w->at, cap < WAIT_CAP_MOST - 1 ? cap + 1 : WAIT_CAP_MOST);
	if (w->is_select && w->n < WAIT_CHANNELS)
		wait_walk_to(w, STAGE_SUDOG, w->next);
}

/* bpf/wait_object.h says how rg and wg are told apart. */
static void wait_walk_descriptor(struct wait_walk *w)
{
	const uint64_t most = 1ULL << 31;
	uint64_t link = u64_at(w->bytes, 0);
	uint64_t fd = link && link < most ? link : u64_at(w->bytes, 8);

	w->stage = STAGE_NONE;
	if (fd < most)
		wait_walk_add(w, fd + 1, 0);
}

/* Takes what was read of @w. */
static void wait_walk_step(const struct snapshot_reader *rd, struct wait_walk *w)
{
	switch (w->stage) {
	case STAGE_FRAME:
		wait_walk_frame(rd, w);
		break;
	case STAGE_SUDOG:
		wait_walk_sudog(rd, w);
		break;
	case STAGE_CHANNEL:
		wait_walk_channel(rd, w);
		break;
	case STAGE_POLL:
		if (u64_at(w->bytes, 0) == w->g)
			wait_walk_to(w, STAGE_DESCRIPTOR, w->at - rd->plan->offsets.poll_rg);
		else
			w->stage = STAGE_NONE;
		break;
	case STAGE_DESCRIPTOR:
		wait_walk_descriptor(w);
		break;
	}
}

/* Reads what each walk needs next. False: all have ended. */
static bool wait_walk_round(const struct snapshot_reader *rd, struct wait_walk *walks, size_t n)
{
	_cleanup_free_ struct memory_range *ranges = xcalloc(GS_BATCH, sizeof(*ranges));
	struct wait_walk *of[GS_BATCH];
	size_t i, m = 0;

	for (i = 0; i < n; i++) {
		struct wait_walk *w = &walks[i];
		unsigned int offset = w->stage == STAGE_CHANNEL ?
				      rd->plan->offsets.hchan_dataqsiz : 0;

		if (w->stage == STAGE_NONE)
			continue;
		of[m] = w;
		ranges[m++] = (struct memory_range){ w->at + offset, w->bytes, wait_walk_size(w),
						     false };
	}
	memory_read_each(rd->proc, ranges, m);
	for (i = 0; i < m; i++) {
		if (ranges[i].ok)
			wait_walk_step(rd, of[i]);
		else
			of[i]->stage = STAGE_NONE;
	}
	return m;
}

void snapshot_waits_read(struct snapshot_reader *rd, const uint64_t *gs, const uint8_t *bytes,
			 size_t size, const bool *waiting, size_t n)
{
	struct wait_walk *walks = rd->waits;
	size_t i;

	for (i = 0; i < n; i++) {
		walks[i].stage = STAGE_NONE;
		walks[i].n = 0;
		if (waiting[i])
			wait_walk_begin(rd, &walks[i], gs[i], bytes + i * size);
	}
	while (wait_walk_round(rd, walks, n))
		;
}

static void snapshot_wait_record(struct snapshot_reader *rd, const struct rec_long *g,
				 uint8_t number, uint64_t first, uint64_t second)
{
	const struct rec of = g->r;
	struct rec_long *l = snapshot_add(rd, REC_SNAP_WAIT);

	l->r.id = of.id;
	l->r.ptr = of.ptr;
	l->r.sub = number;
	l->r.flags = of.flags & 0xff;
	l->stack = first;
	l->arg = second;
}

void snapshot_waits_record(struct snapshot_reader *rd, size_t nth, size_t record)
{
	const struct wait_walk *w = &rd->waits[nth];
	struct rec_long g;
	size_t i;

	memcpy(&g, rd->out->data + record, sizeof(g));
	if (!w->is_select && w->n)
		snapshot_wait_record(rd, &g, 0, w->words[0], 0);
	for (i = 0; w->is_select && i < w->n; i += 2)
		snapshot_wait_record(rd, &g, (uint8_t)(1 + i / 2), w->words[i],
				     i + 1 < w->n ? w->words[i + 1] : 0);
}

struct wait_walk *snapshot_waits_new(void)
{
	return xcalloc(GS_BATCH, sizeof(struct wait_walk));
}
