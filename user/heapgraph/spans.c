// SPDX-License-Identifier: Apache-2.0
/*
 * spans: runtime.mheap_.allspans: which spans are in use, and which of their objects are allocated.
 * See internal.h.
 *
 * allspans has every mspan ever made. An object is allocated if it lies before freeindex, or has
 * its bit in allocBits (mspan.isFree). allocBits lies before gcmarkBits in all releases.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heapgraph/internal.h"
#include "live/fields.h"
#include "live/memory.h"
#include "live/pointers.h"
#include "symbol/goarch.h"

enum {
	BATCH = 512,
	SPAN_BYTES = 192,	/* covers every field that is read, in all releases */
	LEAST_SPAN = 64,	/* the least memory that an mspan takes */
	MAX_SPANS = 1 << 30,
	IN_USE = 1,		/* mspan.state, mSpanInUse */
	MOST_ELEMS = 8192,	/* 1024 of 8 bytes, in all releases */
};

/* Memory that spans may have although it is neither resident nor in swap: it was never written. */
#define UNTOUCHED_BYTES (64ULL << 30)

struct span_reader {
	struct heapgraph *hg;
	struct pointers addresses;
	struct vec bits;		/* uint64_t, address of allocBits of each span */
	struct vec freeindex;		/* uint32_t */
	uint64_t bytes_left;		/* that spans may still have */
};

static bool graph_spans_have_offsets(const struct plan *plan)
{
	const struct go_offsets *off = &plan->offsets;
	const unsigned int needed[] = {
		off->mheap_allspans, off->mspan_freeindex, off->mspan_nelems,
		off->mspan_gcmark_bits, off->mspan_specials, off->sudog_g, off->sudog_elem,
		off->sudog_c, off->sudog_waitlink,
	};
	size_t i;

	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (needed[i] == GO_OFFSET_NONE)
			return false;
	return true;
}

/* The fields are uintptr up to Go 1.21, and uint16 from 1.22 on. */
static uint64_t span_count(const struct go_offsets *off, const uint8_t *span, unsigned int field)
{
	uint16_t narrow;

	if (off->mspan_nelems - off->mspan_freeindex >= 8)
		return u64_at(span, field);
	memcpy(&narrow, span + field, sizeof(narrow));
	return narrow;
}

static bool span_is_sound(const struct graph_span *s, uint64_t npages, uint64_t nelems)
{
	return s->base && !(s->base % GRAPH_PAGE) && s->base < GOARCH_ADDRESS_END && npages &&
	       npages < 1ULL << 34 && s->elemsize >= 8 && !(s->elemsize % 8) && nelems &&
	       nelems <= MOST_ELEMS && s->elemsize <= s->bytes &&
	       nelems <= s->bytes / s->elemsize && s->base + s->bytes <= GOARCH_ADDRESS_END &&
	       (nelems == 1 || s->bytes <= GRAPH_PIECE);
}

static void graph_spans_take(struct span_reader *rd, const uint8_t *bytes)
{
	const struct go_offsets *off = &rd->hg->opts.plan->offsets;
	uint64_t npages = u64_at(bytes, off->mspan_npages);
	uint64_t nelems = span_count(off, bytes, off->mspan_nelems);
	uint64_t freeindex = span_count(off, bytes, off->mspan_freeindex);
	struct graph_span s = {
		.base = u64_at(bytes, off->mspan_start),
		.bytes = npages << GRAPH_PAGE_SHIFT,
		.elemsize = u64_at(bytes, off->mspan_elemsize),
		.specials = u64_at(bytes, off->mspan_specials),
		.nelems = (uint32_t)nelems,
		.noscan = bytes[off->mspan_spanclass] & 1,
		.large = bytes[off->mspan_spanclass] >> 1 == 0,
	};

	if (bytes[off->mspan_state] != IN_USE)
		return;
	if (!span_is_sound(&s, npages, nelems) || s.bytes > rd->bytes_left) {
		rd->hg->counts.spans_refused++;
		return;
	}
	rd->bytes_left -= s.bytes;
	s.reciprocal = s.elemsize <= UINT32_MAX ? UINT32_MAX / (uint32_t)s.elemsize + 1 : 0;
	if (nelems == 1)	/* each address is in that one */
		s.reciprocal = 0;
	if (off->mspan_large_type != GO_OFFSET_NONE && s.large)
		s.large_type = u64_at(bytes, off->mspan_large_type);
	/* until all are sorted: which ones belong together */
	s.first = (uint32_t)rd->bits.len;
	*(struct graph_span *)vec_push(&rd->hg->spans, sizeof(s)) = s;
	*(uint64_t *)vec_push(&rd->bits, sizeof(uint64_t)) =
		u64_at(bytes, off->mspan_gcmark_bits - 8);
	*(uint32_t *)vec_push(&rd->freeindex, sizeof(uint32_t)) =
		freeindex > nelems ? (uint32_t)nelems : (uint32_t)freeindex;
}

static void graph_spans_read_batch(struct span_reader *rd, size_t first, size_t n, uint8_t *bytes)
{
	struct memory_range ranges[BATCH];
	size_t i;

	for (i = 0; i < n; i++)
		ranges[i] = (struct memory_range){ rd->addresses.at[first + i],
						   bytes + i * SPAN_BYTES, SPAN_BYTES, false };
	memory_read_each(rd->hg->opts.proc, ranges, n);
	for (i = 0; i < n; i++) {
		if (ranges[i].ok)
			graph_spans_take(rd, ranges[i].to);
		else
			rd->hg->counts.spans_unreadable++;
	}
}

static int graph_spans_read_all(struct span_reader *rd, struct error *err)
{
	const struct heapgraph_opts *o = &rd->hg->opts;
	uint64_t size = memory_size(o->proc);
	int r = pointers_read(&rd->addresses, o->proc,
			      o->plan->mheap + o->proc->bias + o->plan->offsets.mheap_allspans,
			      pointers_room(size, LEAST_SPAN, MAX_SPANS),
			      "runtime.mheap_.allspans", o->stop, err);
	uint8_t *bytes;
	size_t i, n;

	if (r)
		return r;
	rd->bytes_left = size > UINT64_MAX / 8 ? UINT64_MAX : size * 4 + UNTOUCHED_BYTES;
	bytes = xcalloc(BATCH, SPAN_BYTES);
	for (i = 0; i < rd->addresses.n && !r; i += n) {
		n = rd->addresses.n - i < BATCH ? rd->addresses.n - i : BATCH;
		graph_spans_read_batch(rd, i, n, bytes);
		r = graph_stopped(rd->hg, err);
	}
	free(bytes);
	return r;
}

static int graph_spans_by_base(const void *a, const void *b)
{
	const struct graph_span *x = a, *y = b;

	return (x->base > y->base) - (x->base < y->base);
}

/* Sorts, and drops spans that overlap an earlier one. */
static void graph_spans_sort(struct heapgraph *hg)
{
	size_t i, n = 0;

	vec_sort(&hg->spans, sizeof(struct graph_span), graph_spans_by_base);
	for (i = 0; i < hg->spans.len; i++) {
		const struct graph_span *s = vec_at(&hg->spans, struct graph_span, i);
		const struct graph_span *last =
			n ? vec_at(&hg->spans, struct graph_span, n - 1) : NULL;

		if (last && s->base < last->base + last->bytes)
			hg->counts.spans_refused++;
		else
			*vec_at(&hg->spans, struct graph_span, n++) = *s;
	}
	hg->spans.len = n;
}

static void graph_spans_index(struct heapgraph *hg)
{
	size_t i;
	uint64_t page, at;

	if (!hg->spans.len)
		return;
	hg->low = vec_at(&hg->spans, struct graph_span, 0)->base >> GRAPH_ARENA_SHIFT
		  << GRAPH_ARENA_SHIFT;
	hg->high = vec_at(&hg->spans, struct graph_span, hg->spans.len - 1)->base +
		   vec_at(&hg->spans, struct graph_span, hg->spans.len - 1)->bytes;
	hg->narenas = ((hg->high - hg->low) >> GRAPH_ARENA_SHIFT) + 1;
	hg->arenas = xcalloc(hg->narenas, sizeof(*hg->arenas));
	for (i = 0; i < hg->spans.len; i++) {
		const struct graph_span *s = vec_at(&hg->spans, struct graph_span, i);

		for (page = 0; page < s->bytes >> GRAPH_PAGE_SHIFT; page++) {
			at = ((s->base - hg->low) >> GRAPH_PAGE_SHIFT) + page;
			if (!hg->arenas[at / GRAPH_ARENA_PAGES])
				hg->arenas[at / GRAPH_ARENA_PAGES] =
					xcalloc(GRAPH_ARENA_PAGES, sizeof(uint32_t));
			hg->arenas[at / GRAPH_ARENA_PAGES][at % GRAPH_ARENA_PAGES] =
				(uint32_t)i + 1;
		}
	}
}

/* Numbers the objects, by address. @which gets the number that each span had when it was read. */
static int graph_spans_number(struct heapgraph *hg, uint32_t *which, struct error *err)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < hg->spans.len; i++) {
		struct graph_span *s = vec_at(&hg->spans, struct graph_span, i);

		which[i] = s->first;
		s->first = (uint32_t)n;
		n += s->nelems;
		/* the upper numbers are those of goroutines and global variables */
		if (n > UINT32_MAX / 2)
			return error_set(err, -E2BIG, "the heap of process %d has more objects "
					 "than gotap can number (2^31)", hg->opts.proc->pid);
	}
	hg->nobjects = (uint32_t)n;
	hg->allocated = xcalloc(n / 64 + 1, sizeof(uint64_t));
	return 0;
}

static void graph_spans_count(struct heapgraph *hg, const struct graph_span *s, uint32_t n)
{
	hg->counts.spans++;
	hg->counts.objects += n;
	hg->counts.bytes += n * s->elemsize;
	if (s->noscan) {
		hg->counts.noscan_objects += n;
		hg->counts.noscan_bytes += n * s->elemsize;
	}
}

static void graph_spans_take_bits(struct heapgraph *hg, const struct graph_span *s,
				  const uint8_t *bits, uint32_t freeindex)
{
	uint32_t i, object, n = 0;

	for (i = 0; i < s->nelems; i++) {
		if (i >= freeindex && !(bits[i / 8] >> i % 8 & 1))
			continue;
		object = s->first + i;
		hg->allocated[object / 64] |= 1ULL << object % 64;
		n++;
	}
	graph_spans_count(hg, s, n);
}

/* Reads which objects are allocated. A span whose bits cannot be read has those of freeindex. */
static int graph_spans_read_bits(struct span_reader *rd, const uint32_t *which, struct error *err)
{
	enum { BITS = 1024, GROUP = 64 };
	struct heapgraph *hg = rd->hg;
	struct memory_range ranges[GROUP];
	uint8_t *bytes = xcalloc(GROUP, BITS);
	size_t i, k, n;
	int r = 0;

	for (i = 0; i < hg->spans.len && !r; i += n) {
		n = hg->spans.len - i < GROUP ? hg->spans.len - i : GROUP;
		memset(bytes, 0, (size_t)GROUP * BITS);
		for (k = 0; k < n; k++) {
			uint32_t elems = vec_at(&hg->spans, struct graph_span, i + k)->nelems;

			ranges[k] = (struct memory_range){
				*vec_at(&rd->bits, uint64_t, which[i + k]), bytes + k * BITS,
				elems < BITS * 8 ? (elems + 7) / 8 : BITS, false
			};
		}
		memory_read_each(hg->opts.proc, ranges, n);
		for (k = 0; k < n; k++) {
			struct graph_span *s = vec_at(&hg->spans, struct graph_span, i + k);

			if (!ranges[k].ok) {
				hg->counts.spans_unreadable++;
				memset(bytes + k * BITS, 0, BITS);
			}
			graph_spans_take_bits(hg, s, bytes + k * BITS,
					*vec_at(&rd->freeindex, uint32_t, which[i + k]));
		}
		r = graph_stopped(hg, err);
	}
	free(bytes);
	return r;
}

static int graph_spans_make(struct span_reader *rd, struct error *err)
{
	struct heapgraph *hg = rd->hg;
	uint32_t *which;
	int r;

	if (!hg->spans.len)
		return error_set(err, -EINVAL, "process %d has no heap where a program of %s has "
				 "it: the field offsets (%s) do not fit this program",
				 hg->opts.proc->pid, hg->opts.plan->go_version,
				 hg->opts.plan->offsets_source);
	graph_spans_sort(hg);
	which = xcalloc(hg->spans.len, sizeof(*which));
	r = graph_spans_number(hg, which, err);
	if (!r) {
		graph_spans_index(hg);
		r = graph_spans_read_bits(rd, which, err);
	}
	free(which);
	return r;
}

int graph_read_spans(struct heapgraph *hg, struct error *err)
{
	struct span_reader rd = { .hg = hg };
	int r;

	if (!graph_spans_have_offsets(hg->opts.plan))
		return error_set(err, -ENOTSUP, "the layout of the heap of a program of %s is not "
				 "known without DWARF data (%s): give a build that is not "
				 "stripped", hg->opts.plan->go_version,
				 hg->opts.plan->offsets_source);
	if (!hg->opts.plan->mheap)
		return error_set(err, -ENOTSUP, "runtime.mheap_ was not found in the code of this "
				 "program of %s, which has no symbols: give a build that is not "
				 "stripped", hg->opts.plan->go_version);
	r = graph_spans_read_all(&rd, err);
	if (!r)
		r = graph_spans_make(&rd, err);
	pointers_free(&rd.addresses);
	vec_free(&rd.bits);
	vec_free(&rd.freeindex);
	return r;
}

/* --- from addresses to objects --- */

static const struct graph_span *graph_spans_at(const struct heapgraph *hg, uint64_t addr)
{
	uint64_t page;
	const uint32_t *arena;

	if (addr < hg->low || addr >= hg->high)
		return NULL;
	page = (addr - hg->low) >> GRAPH_PAGE_SHIFT;
	arena = hg->arenas[page / GRAPH_ARENA_PAGES];
	if (!arena || !arena[page % GRAPH_ARENA_PAGES])
		return NULL;
	return vec_at(&hg->spans, struct graph_span, arena[page % GRAPH_ARENA_PAGES] - 1);
}

uint32_t heapgraph_object_at(const struct heapgraph *hg, uint64_t addr)
{
	const struct graph_span *s = graph_spans_at(hg, addr);
	uint32_t i;

	if (!s)
		return GRAPH_NONE;
	i = (uint32_t)((addr - s->base) * s->reciprocal >> 32);
	if (i >= s->nelems || !graph_is_allocated(hg, s->first + i))
		return GRAPH_NONE;
	return s->first + i;
}

const struct graph_span *heapgraph_span_of(const struct heapgraph *hg, uint32_t object)
{
	size_t low = 0, high = hg->spans.len, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (vec_at(&hg->spans, struct graph_span, middle)->first <= object)
			low = middle + 1;
		else
			high = middle;
	}
	return vec_at(&hg->spans, struct graph_span, low - 1);
}

uint64_t heapgraph_address(const struct heapgraph *hg, uint32_t object)
{
	const struct graph_span *s = heapgraph_span_of(hg, object);

	return s->base + (object - s->first) * s->elemsize;
}
