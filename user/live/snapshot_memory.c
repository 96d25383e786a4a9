// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot_memory: see snapshot_memory.h. Reads runtime.mheap_.allspans, which has every mspan ever
 * made; the runtime uses them again, and never frees them. It sets their fields one by one, so that
 * each span is read twice: if the two readings differ, the span changed meanwhile, and the change
 * has a record.
 */
#include "live/snapshot_memory.h"

#include <stdlib.h>
#include <string.h>

#include "live/memory.h"
#include "live/pointers.h"
#include "record.h"

enum {
	SPAN_SIZE = 128,	/* covers the fields that are read, in all releases */
	BATCH = 512,		/* spans per request */
	SPAN_BYTES = 64,	/* the least memory that an mspan takes */
	MAX_SPANS = 1 << 30,
};

/* mspan.state */
enum { SPAN_DEAD = 0, SPAN_IN_USE = 1, SPAN_MANUAL = 2 };

struct span {
	uint64_t base, npages;
	uint8_t class, state;
};

struct reader {
	const struct plan *plan;
	const struct process *proc;
	uint64_t mheap;
	struct pointers spans;
	size_t unreadable;
	const struct stop_request *stop;
};

static bool snap_memory_read_word(const struct reader *rd, uint64_t addr, uint64_t *ret)
{
	return memory_read(rd->proc, addr, ret, sizeof(*ret));
}

static struct span span_of(const struct reader *rd, const uint8_t *bytes)
{
	const struct go_offsets *off = &rd->plan->offsets;
	struct span s = { .class = bytes[off->mspan_spanclass], .state = bytes[off->mspan_state] };

	memcpy(&s.base, bytes + off->mspan_start, sizeof(s.base));
	memcpy(&s.npages, bytes + off->mspan_npages, sizeof(s.npages));
	return s;
}

/*
 * Reads the spans from @first on, at most BATCH; one that cannot be read counts as dead, and as a
 * failed read.
 */
static void read_batch(struct reader *rd, size_t first, size_t n, struct span *ret)
{
	static const struct span dead = { .state = SPAN_DEAD };
	uint8_t *bytes = xcalloc(n, SPAN_SIZE);
	struct memory_range ranges[BATCH];
	size_t i;

	for (i = 0; i < n; i++)
		ranges[i] = (struct memory_range){ rd->spans.at[first + i],
						   bytes + i * SPAN_SIZE, SPAN_SIZE, false };
	memory_read_each(rd->proc, ranges, n);
	for (i = 0; i < n; i++) {
		ret[i] = ranges[i].ok ? span_of(rd, bytes + i * SPAN_SIZE) : dead;
		rd->unreadable += !ranges[i].ok;
	}
	free(bytes);
}

static bool same_span(const struct span *a, const struct span *b)
{
	return a->base == b->base && a->npages == b->npages && a->class == b->class &&
	       a->state == b->state;
}

static void snap_memory_add_span(const struct span *s, uint64_t now, struct buf *out)
{
	struct rec rec = {
		.time = now,
		.kind = REC_SNAP_SPAN,
		.flags = s->state == SPAN_IN_USE ? (uint16_t)(s->class << 1) : 1,
		.id = s->base,
		.ptr = s->npages,
	};

	if (s->state == SPAN_IN_USE || s->state == SPAN_MANUAL)
		buf_add(out, &rec, sizeof(rec));
}

/*
 * Appends the spans. If there are many, the second reading comes some milliseconds after the first.
 */
static void take_spans(struct reader *rd, uint64_t now, struct buf *out)
{
	struct span *first = xcalloc(rd->spans.n, sizeof(*first)), again[BATCH];
	size_t i, j, n;

	for (i = 0; i < rd->spans.n && !stop_requested(rd->stop); i += BATCH) {
		n = rd->spans.n - i < BATCH ? rd->spans.n - i : BATCH;
		read_batch(rd, i, n, first + i);
	}
	for (i = 0; i < rd->spans.n && !stop_requested(rd->stop); i += BATCH) {
		n = rd->spans.n - i < BATCH ? rd->spans.n - i : BATCH;
		read_batch(rd, i, n, again);
		for (j = 0; j < n; j++)
			if (same_span(&first[i + j], &again[j]))
				snap_memory_add_span(&again[j], now, out);
	}
	free(first);
}

/* Reads mheap_.pages.inUse.ranges[0].base, the value of trace.minPageHeapAddr. */
static bool lowest_address(const struct reader *rd, uint64_t *ret)
{
	uint64_t ranges;

	return snap_memory_read_word(rd, rd->mheap + rd->plan->offsets.mheap_ranges, &ranges) &&
	       ranges && snap_memory_read_word(rd, ranges, ret) && *ret;
}

static bool snap_memory_is_wanted(const struct plan *plan)
{
	const unsigned int groups = 1u << GROUP_STACKS | 1u << GROUP_SPANS | 1u << GROUP_OBJECTS;

	return (plan->groups & groups) && plan->minor >= 23 && plan->mheap &&
	       plan->offsets.mheap_allspans != GO_OFFSET_NONE &&
	       plan->offsets.mheap_ranges != GO_OFFSET_NONE;
}

static void snapshot_spans(struct reader *rd, uint64_t now, struct buf *out)
{
	if (pointers_read(&rd->spans, rd->proc, rd->mheap + rd->plan->offsets.mheap_allspans,
			  pointers_room(memory_size(rd->proc), SPAN_BYTES, MAX_SPANS),
			  "runtime.mheap_.allspans", rd->stop, NULL))
		rd->unreadable++;
	else
		take_spans(rd, now, out);
	pointers_free(&rd->spans);
}

size_t snapshot_memory(const struct plan *plan, const struct process *proc, uint64_t now,
		       const struct stop_request *stop, struct buf *out)
{
	struct reader rd = {
		.plan = plan,
		.proc = proc,
		.mheap = plan->mheap + proc->bias,
		.stop = stop,
	};
	struct rec rec = { .time = now, .kind = REC_SNAP_MEMORY, .tid = (uint32_t)proc->bpf_tgid };

	if (!snap_memory_is_wanted(plan) || !lowest_address(&rd, &rec.id))
		return 0;
	buf_add(out, &rec, sizeof(rec));
	if (plan->groups & 1u << GROUP_SPANS)
		snapshot_spans(&rd, now, out);
	return rd.unreadable;
}

void snapshot_touch_types(const struct plan *plan, const struct process *proc,
			  const struct stop_request *stop)
{
	enum { PIECE = 64 << 10, MOST = 256 << 20 };	/* types of large programs take 10 MB */
	uint64_t at = plan->types_start + proc->bias, end = plan->types_end + proc->bias;
	uint8_t *piece;

	if (!(plan->groups & 1u << GROUP_OBJECTS) || end - at > MOST)
		return;
	piece = xcalloc(1, PIECE);
	while (at < end && !stop_requested(stop)) {
		size_t n = end - at < PIECE ? end - at : PIECE;

		memory_read(proc, at, piece, n);
		at += n;
	}
	free(piece);
}
