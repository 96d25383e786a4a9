// SPDX-License-Identifier: Apache-2.0
/* buckets: see buckets.h. */
#include "heap/buckets.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "live/fields.h"
#include "live/memory.h"

enum {
	MINOR_COUNTS_ONLY = 27,	/* since then a memRecordCycle has no bytes */
	MINOR_DEEP = 23,	/* since then more than 32 frames are stored */
	SHALLOW = 32,
	LEAST_WINDOWS = 64, WINDOWS_EACH = 4,
};

#define BUCKETS_BYTES (1ULL << 30)	/* of all buckets, whatever memory the process has */
#define BUCKET_OBJECT (1ULL << 47)	/* larger objects than the address space are none */

unsigned int bucket_words(enum heap_kind kind, int minor)
{
	if (kind != HEAP_MEMORY)
		return 2;
	return minor >= MINOR_COUNTS_ONLY ? 8 : 16;
}

static uint64_t hash_step(uint64_t h)
{
	h += h << 10;
	return h ^ h >> 6;
}

uint64_t bucket_hash(const uint64_t *pcs, size_t n, uint64_t size)
{
	uint64_t h = 0;
	size_t i;

	for (i = 0; i < n; i++)
		h = hash_step(h + pcs[i]);
	h = hash_step(h + size);
	h += h << 3;
	return h ^ h >> 11;
}

struct bucket_walk {
	struct heap_profile *ret;
	const struct heap_opts *opts;
	struct windows *windows;
	struct map64 seen;
	struct vec *counts;
	uint64_t room;			/* bytes that further buckets may take */
	unsigned int words;
	/* one bucket: its stack and its record */
	uint64_t body[BUCKET_DEPTH + BUCKET_COUNTS];
};

struct bucket {
	uint64_t next, allnext, typ, hash, size, nstk;
};

static bool bucket_is_code(const struct heap_opts *o, uint64_t pc)
{
	size_t i;

	/* a return address can lie just after the last call of a text */
	for (i = 0; i < o->ntext; i++)
		if (pc > o->text[i].start && pc <= o->text[i].end)
			return true;
	return false;
}

/* Most addresses are in the first text, that of the program. */
static bool bucket_is_all_code(const struct heap_opts *o, const uint64_t *pcs, size_t n)
{
	uint64_t start = o->ntext ? o->text[0].start : 0;
	uint64_t size = o->ntext ? o->text[0].end - start : 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (pcs[i] - start - 1 >= size && !bucket_is_code(o, pcs[i]))
			return false;
	return true;
}

/* Stacks of block and mutex profiles may have frames of C. */
static enum heap_refusal bucket_judge(const struct bucket_walk *w, const struct bucket *b)
{
	const struct heap_opts *o = w->opts;

	if (bucket_hash(w->body, b->nstk, b->size) != b->hash)
		return HEAP_BAD_HASH;
	if (o->kind == HEAP_MEMORY && !bucket_is_all_code(o, w->body, b->nstk))
		return HEAP_BAD_PC;
	return HEAP_REFUSALS;
}

static enum heap_refusal bucket_judge_header(const struct bucket_walk *w, const struct bucket *b)
{
	bool memory = w->opts->kind == HEAP_MEMORY;

	if (b->typ != w->opts->kind || (memory ? b->size >= BUCKET_OBJECT : b->size != 0))
		return HEAP_BAD_KIND;
	if (b->nstk > (w->opts->minor >= MINOR_DEEP ? BUCKET_DEPTH : SHALLOW))
		return HEAP_BAD_DEPTH;
	return HEAP_REFUSALS;
}

static void bucket_append(struct vec *v, const uint64_t *words, size_t n)
{
	if (v->len + n > v->cap)
		vec_reserve(v, 2 * v->cap + n, sizeof(*words));
	memcpy(vec_at(v, uint64_t, v->len), words, n * sizeof(*words));
	v->len += n;
}

static void bucket_keep(struct bucket_walk *w, uint64_t addr, const struct bucket *b)
{
	struct heap_record *r = vec_push(&w->ret->records, sizeof(*r));

	r->bucket = addr;
	r->size = b->size;
	r->first = w->ret->pcs.len;
	r->n = (uint32_t)b->nstk;
	bucket_append(&w->ret->pcs, w->body, b->nstk);
	bucket_append(w->counts, w->body + b->nstk, w->words);
}

/* Takes one bucket, the header of which was read; returns why it is refused, or HEAP_REFUSALS. */
static enum heap_refusal bucket_take(struct bucket_walk *w, uint64_t addr, const struct bucket *b)
{
	enum heap_refusal why = bucket_judge_header(w, b);
	size_t bytes;

	if (why != HEAP_REFUSALS)
		return why;
	bytes = (b->nstk + w->words) * sizeof(uint64_t);
	w->room -= bytes < w->room ? bytes : w->room;
	if (!windows_read(w->windows, addr + BUCKET_HEADER, w->body, bytes))
		return HEAP_UNREADABLE;
	why = bucket_judge(w, b);
	if (why == HEAP_REFUSALS)
		bucket_keep(w, addr, b);
	return why;
}

static enum heap_cut bucket_read(struct bucket_walk *w, uint64_t addr, struct bucket *b)
{
	bool is_new;

	map64_put(&w->seen, addr, &is_new);
	if (!is_new)
		return HEAP_CUT_LOOP;
	if (w->seen.len > BUCKETS_MAX || w->room < sizeof(*b))
		return HEAP_CUT_LONG;
	w->room -= sizeof(*b);
	if (addr % sizeof(uint64_t) || !windows_read(w->windows, addr, b, sizeof(*b)))
		return HEAP_CUT_UNREADABLE;
	return HEAP_WHOLE;
}

static uint64_t buckets_room(const struct heap_opts *opts, uint64_t bytes)
{
	uint64_t room = bytes && bytes < BUCKETS_BYTES ? bytes : BUCKETS_BYTES;

	return opts->most && room > opts->most ? opts->most : room;
}

uint64_t buckets_windows(const struct heap_opts *opts, uint64_t bytes)
{
	return LEAST_WINDOWS + WINDOWS_EACH * (buckets_room(opts, bytes) >> WINDOW_SHIFT);
}

void buckets_walk(struct heap_profile *ret, const struct heap_opts *opts, uint64_t head,
		  uint64_t bytes, struct windows *windows, struct vec *counts)
{
	struct bucket_walk *w = xcalloc(1, sizeof(*w));
	enum heap_refusal why;
	struct bucket b;
	uint64_t addr;

	w->ret = ret;
	w->opts = opts;
	w->counts = counts;
	w->words = bucket_words(opts->kind, opts->minor);
	w->room = buckets_room(opts, bytes);
	w->windows = windows;
	for (addr = head; addr && !stop_requested(opts->stop) && !memory_is_silent(opts->proc);
	     addr = b.allnext) {
		ret->cut = bucket_read(w, addr, &b);
		if (ret->cut)
			break;
		why = bucket_take(w, addr, &b);
		if (why != HEAP_REFUSALS)
			ret->refused[why]++;
	}
	map64_free(&w->seen);
	free(w);
}
