// SPDX-License-Identifier: Apache-2.0
/*
 * scan: the words of objects, stacks and data that are pointers, as edges. See internal.h.
 *
 * Go 1.22 and later (runtime/mbitmap.go): objects up to 512 bytes have their pointers in a bitmap
 * at the end of their span, which has one page; larger ones begin with a word, the address of their
 * type; those without a size class have it in mspan.largeType. The collector of Go 1.26 has 128
 * bytes of marks behind the bitmap of objects of 16 bytes or more (spanInlineMarkBits).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heapgraph/internal.h"
#include "live/fields.h"
#include "live/memory.h"
#include "target/gobin.h"

enum {
	MINOR_BITMAPS = 22, MINOR_GREEN_TEA = 26,
	INLINE_MARKS = 128, INLINE_LEAST = 16,
	HEADER = 8,			/* mallocHeaderSize */
	GROUP = 32,			/* spans of one read */
	SUDOG_NEXT = 8,			/* sudog.next, all releases */
};

int graph_stopped(const struct heapgraph *hg, struct error *err)
{
	const struct heapgraph_opts *o = &hg->opts;

	if (!stop_requested(o->stop) && !memory_is_silent(o->proc))
		return 0;
	return memory_error(o->proc, o->stop, "the heap", err);
}

void graph_begin_node(struct heapgraph *hg)
{
	*(uint32_t *)vec_push(&hg->edges.first, sizeof(uint32_t)) = (uint32_t)hg->edges.to.len;
}

static void scan_add(struct heapgraph *hg, uint32_t object)
{
	const struct vec *first = &hg->edges.first;
	struct vec *to = &hg->edges.to;

	if (to->len > *vec_at(first, uint32_t, first->len - 1) &&
	    *vec_at(to, uint32_t, to->len - 1) == object)
		return;
	if (to->len < UINT32_MAX)
		*(uint32_t *)vec_push(to, sizeof(uint32_t)) = object;
}

void graph_add_word(struct heapgraph *hg, uint64_t word)
{
	uint32_t object;

	if (word - hg->low >= hg->high - hg->low)
		return;
	object = heapgraph_object_at(hg, word);
	if (object != GRAPH_NONE)
		scan_add(hg, object);
}

static void scan_each_word(struct heapgraph *hg, const uint8_t *bytes, uint64_t n)
{
	uint64_t i;

	for (i = 0; i + GRAPH_WORD <= n; i += GRAPH_WORD)
		graph_add_word(hg, u64_at(bytes + i, 0));
}

void graph_add_range(struct heapgraph *hg, uint64_t from, uint64_t to)
{
	uint8_t *bytes = xcalloc(1, GRAPH_PIECE);
	uint64_t n;

	for (; from < to && !stop_requested(hg->opts.stop); from += n) {
		n = to - from < GRAPH_PIECE ? to - from : GRAPH_PIECE;
		if (memory_read(hg->opts.proc, from, bytes, n))
			scan_each_word(hg, bytes, n);
		else
			hg->counts.unreadable_bytes += n;
	}
	free(bytes);
}

void graph_add_edges_of(struct heapgraph *hg, uint32_t object)
{
	uint32_t i, from = *vec_at(&hg->edges.first, uint32_t, object);
	uint32_t to = *vec_at(&hg->edges.first, uint32_t, object + 1);

	for (i = from; i < to; i++)
		scan_add(hg, *vec_at(&hg->edges.to, uint32_t, i));
}

/* --- objects --- */

/*
 * Adds the pointers of @n bytes of values of a type that lie one after the other; @at: offset of
 * @bytes in the first value.
 */
static void scan_by_mask(struct heapgraph *hg, const struct graph_mask *m, uint64_t at,
			 const uint8_t *bytes, uint64_t n)
{
	uint64_t word = at % m->size / GRAPH_WORD, words = m->size / GRAPH_WORD, i;

	for (i = 0; i + GRAPH_WORD <= n; i += GRAPH_WORD) {
		if (word < m->words && m->bits[word / 8] >> word % 8 & 1)
			graph_add_word(hg, u64_at(bytes + i, 0));
		if (++word == words)
			word = 0;
	}
}

static bool scan_has_inline_marks(const struct heapgraph *hg)
{
	const char *experiment = hg->opts.bin ?
				 gobin_build_setting(hg->opts.bin, "GOEXPERIMENT") : NULL;
	const char *set = experiment ? strstr(experiment, "greenteagc") : NULL;

	if (!set)
		return hg->opts.plan->minor >= MINOR_GREEN_TEA;
	return set - experiment < 2 || strncmp(set - 2, "no", 2) != 0;
}

/* How the pointers of a span's objects are known. */
struct scan_how {
	bool bitmaps;		/* of the collector, Go 1.22 and later */
	bool inline_marks;
};

/* Returns the offset of the bitmap of a span of small objects; 0: it has none. */
static uint64_t scan_bitmap_of(const struct graph_span *s, const struct scan_how *how)
{
	uint64_t at = GRAPH_PAGE - GRAPH_PAGE / GRAPH_WORD / 8;

	if (!how->bitmaps || s->elemsize > GRAPH_SMALL || s->bytes != GRAPH_PAGE)
		return 0;
	if (how->inline_marks && s->elemsize >= INLINE_LEAST)
		at -= INLINE_MARKS;
	return s->nelems * s->elemsize <= at ? at : 0;
}

static void scan_by_bitmap(struct heapgraph *hg, const uint8_t *span, uint64_t bitmap,
			   uint64_t from, uint64_t to)
{
	uint64_t at, word;

	for (at = from; at < to; at += GRAPH_WORD) {
		word = at / GRAPH_WORD;
		if (span[bitmap + word / 8] >> word % 8 & 1)
			graph_add_word(hg, u64_at(span + at, 0));
	}
}

/* Adds the edges of one of several objects of a span; @span has the span's bytes. */
static void scan_object(struct heapgraph *hg, const struct graph_span *s, const uint8_t *span,
			uint32_t i, const struct scan_how *how)
{
	uint64_t from = i * s->elemsize, bitmap = scan_bitmap_of(s, how);
	const struct graph_mask *mask;

	if (bitmap) {
		hg->counts.exact_objects++;
		scan_by_bitmap(hg, span, bitmap, from, from + s->elemsize);
		return;
	}
	mask = how->bitmaps && s->elemsize > GRAPH_SMALL ? graph_mask_of(hg, u64_at(span + from, 0))
							  : NULL;
	if (mask) {
		hg->counts.exact_objects++;
		scan_by_mask(hg, mask, 0, span + from + HEADER, s->elemsize - HEADER);
		return;
	}
	hg->counts.each_word_objects++;
	scan_each_word(hg, span + from, s->elemsize);
}

/* The only edge of a sudog of a sync.Cond: the next one of the list. */
static void scan_opaque(struct heapgraph *hg, uint32_t object, uint64_t addr)
{
	const uint64_t *what = map64_get(&hg->opaque, object);
	uint64_t next;

	if (what && *what == GRAPH_SUDOG_COND &&
	    memory_read(hg->opts.proc, addr + SUDOG_NEXT, &next, sizeof(next)))
		graph_add_word(hg, next);
}

static void scan_span(struct heapgraph *hg, const struct graph_span *s, const uint8_t *bytes,
		      const struct scan_how *how)
{
	uint32_t i, object;

	for (i = 0; i < s->nelems; i++) {
		object = s->first + i;
		graph_begin_node(hg);
		if (!bytes || !graph_is_allocated(hg, object))
			continue;
		if (map64_get(&hg->opaque, object))
			scan_opaque(hg, object, s->base + i * s->elemsize);
		else
			scan_object(hg, s, bytes, i, how);
	}
}

/* Adds the edges of the only object of a span that is read in pieces. */
static void scan_large(struct heapgraph *hg, const struct graph_span *s, uint8_t *bytes)
{
	const struct graph_mask *mask = s->large_type ? graph_mask_of(hg, s->large_type) : NULL;
	uint64_t at, n;

	graph_begin_node(hg);
	if (!graph_is_allocated(hg, s->first))
		return;
	if (mask)
		hg->counts.exact_objects++;
	else
		hg->counts.each_word_objects++;
	for (at = 0; at < s->elemsize && !stop_requested(hg->opts.stop); at += n) {
		n = s->elemsize - at < GRAPH_PIECE ? s->elemsize - at : GRAPH_PIECE;
		if (!memory_read(hg->opts.proc, s->base + at, bytes, n))
			hg->counts.unreadable_bytes += n;
		else if (mask)
			scan_by_mask(hg, mask, at, bytes, n);
		else
			scan_each_word(hg, bytes, n);
	}
}

/*
 * Reads the spans from @first on that fit together into @bytes. Returns how many; the spans without
 * pointers among them are not read.
 */
static size_t scan_read(struct heapgraph *hg, size_t first, uint8_t *bytes,
			const uint8_t *of[GROUP])
{
	struct memory_range ranges[GROUP];
	size_t n, k, m = 0, which[GROUP];
	uint64_t used = 0;

	for (n = 0; n < GROUP && first + n < hg->spans.len; n++) {
		const struct graph_span *s = vec_at(&hg->spans, struct graph_span, first + n);

		of[n] = NULL;
		if (s->noscan)
			continue;
		if (s->large || used + s->bytes > GRAPH_PIECE)
			break;
		which[m] = n;
		ranges[m++] = (struct memory_range){ s->base, bytes + used, s->bytes, false };
		used += s->bytes;
	}
	memory_read_each(hg->opts.proc, ranges, m);
	for (k = 0; k < m; k++) {
		if (ranges[k].ok)
			of[which[k]] = ranges[k].to;
		else
			hg->counts.unreadable_bytes += ranges[k].len;
	}
	return n;
}

static void scan_progress(const struct heapgraph *hg, size_t i)
{
	if (hg->opts.progress)
		hg->opts.progress(hg->opts.progress_ctx, (unsigned int)(i * 1000 / hg->spans.len));
}

static int scan_too_many(const struct heapgraph *hg, struct error *err)
{
	if (hg->edges.to.len < UINT32_MAX)
		return 0;
	return error_set(err, -E2BIG, "the heap of process %d has more pointers than gotap can "
			 "number (2^32)", hg->opts.proc->pid);
}

int graph_scan_objects(struct heapgraph *hg, struct error *err)
{
	struct scan_how how = { .bitmaps = hg->opts.plan->minor >= MINOR_BITMAPS };
	uint8_t *bytes = xcalloc(1, GRAPH_PIECE);
	const uint8_t *of[GROUP];
	size_t i, k, n;
	int r = 0;

	how.inline_marks = how.bitmaps && scan_has_inline_marks(hg);
	vec_reserve(&hg->edges.first, heapgraph_nodes(hg) + 1, sizeof(uint32_t));
	for (i = 0; i < hg->spans.len && !r; i += n) {
		n = scan_read(hg, i, bytes, of);
		for (k = 0; k < n; k++)
			scan_span(hg, vec_at(&hg->spans, struct graph_span, i + k), of[k], &how);
		if (!n) {
			scan_large(hg, vec_at(&hg->spans, struct graph_span, i), bytes);
			n = 1;
		}
		scan_progress(hg, i);
		r = graph_stopped(hg, err);
		if (!r)
			r = scan_too_many(hg, err);
	}
	free(bytes);
	return r;
}
