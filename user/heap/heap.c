// SPDX-License-Identifier: Apache-2.0
/* heap: see heap.h. */
#include "heap/heap.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "heap/buckets.h"
#include "live/memory.h"

enum {
	ATTEMPTS = 10,
	PAUSE_NS = 1000000,	/* a flush of 10,000 buckets takes a fraction of that */
	MINOR_HOLDER = 19,	/* since then mProfCycle has the flag in bit 0 */
	MINOR_FLOAT = 17,	/* since then blockRecord.count is a float64 */
	FUTURES = 3,
};

/* The runtime's words that a read depends on. */
struct heap_roots {
	uint64_t head, rate, block_rate, mutex_rate;
	uint32_t cycle[2];	/* mProfCycle; or mProf.cycle and mProf.flushed */
};

/* --- the variables --- */

/* Returns the kind (typ) of the first bucket of a list; 0: it has none. */
static uint64_t heap_head_kind(const struct heap_opts *o, uint64_t list)
{
	enum { TYP = 16 };
	uint64_t head, typ;

	if (!list || !memory_read(o->proc, list + o->proc->bias, &head, sizeof(head)) || !head ||
	    !memory_read(o->proc, head + TYP, &typ, sizeof(typ)))
		return 0;
	return typ;
}

/*
 * Code that was not optimized (-N) names the lists of blocks and locks in the other order, so that
 * profile_vars may have them swapped: the buckets decide.
 */
static uint64_t heap_list(const struct heap_opts *o)
{
	const struct profile_vars *v = o->vars;
	uint64_t list = o->kind == HEAP_BLOCK ? v->bbuckets : v->xbuckets;
	uint64_t other = o->kind == HEAP_BLOCK ? v->xbuckets : v->bbuckets;
	enum heap_kind other_kind = o->kind == HEAP_BLOCK ? HEAP_MUTEX : HEAP_BLOCK;

	if (o->kind == HEAP_MEMORY)
		return v->mbuckets;
	if (other && (heap_head_kind(o, list) == other_kind || heap_head_kind(o, other) == o->kind))
		return other;
	return list;
}

static int heap_read_roots(const struct heap_opts *o, struct heap_roots *ret, struct error *err)
{
	const struct profile_vars *v = o->vars;
	uint64_t bias = o->proc->bias, list = heap_list(o);
	/* a variable that is not known has no bytes */
	struct memory_range words[] = {
		{ v->cycle + bias, ret->cycle, o->minor < MINOR_HOLDER ? 8 : 4, false },
		{ v->rate + bias, &ret->rate, 8, false },
		{ list + bias, &ret->head, 8, false },
		{ v->block_rate + bias, &ret->block_rate, v->block_rate ? 8 : 0, false },
		{ v->mutex_rate + bias, &ret->mutex_rate, v->mutex_rate ? 8 : 0, false },
	};
	size_t i;

	*ret = (struct heap_roots){0};
	if (!list || (o->kind == HEAP_MEMORY && (!v->cycle || !v->rate)))
		return error_set(err, -ENOENT,
				 "the profiles of process %d were not found: its package runtime "
				 "has other code than a program of Go 1.%d",
				 o->proc->pid, o->minor);
	words[0].len = v->cycle ? words[0].len : 0;
	words[1].len = v->rate ? words[1].len : 0;
	memory_read_each(o->proc, words, sizeof(words) / sizeof(words[0]));
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].len && !words[i].ok)
			return memory_error(o->proc, o->stop, "profiles", err);
	return 0;
}

static uint32_t heap_cycle(const struct heap_opts *o, const struct heap_roots *r)
{
	return o->minor < MINOR_HOLDER ? r->cycle[0] : r->cycle[0] >> 1;
}

static bool heap_same_cycle(const struct heap_opts *o, const struct heap_roots *a,
			    const struct heap_roots *b)
{
	return a->cycle[0] == b->cycle[0] &&
	       (o->minor >= MINOR_HOLDER || (uint8_t)a->cycle[1] == (uint8_t)b->cycle[1]);
}

/* --- counts --- */

/* A memRecordCycle; up to Go 1.26 with the bytes. */
static struct heap_counts counts_in(const uint64_t *cycle)
{
	return (struct heap_counts){ cycle[0], cycle[1] };
}

static struct heap_counts counts_sum(struct heap_counts a, struct heap_counts b)
{
	return (struct heap_counts){ a.allocs + b.allocs, a.frees + b.frees };
}

/* The words of a record: @active is followed by three cycles of @each words. */
static struct heap_counts counts_published(const uint64_t *words, unsigned int each, uint32_t cycle)
{
	return counts_sum(counts_in(words), counts_in(words + each * (1 + cycle % FUTURES)));
}

static struct heap_counts counts_now(const uint64_t *words, unsigned int each)
{
	struct heap_counts ret = counts_in(words);
	unsigned int i;

	for (i = 1; i <= FUTURES; i++)
		ret = counts_sum(ret, counts_in(words + each * i));
	return ret;
}

/*
 * The bytes of a memRecordCycle are the count times the size of an object, in which all objects of
 * a bucket agree.
 */
static bool counts_fit(const struct heap_record *r, const uint64_t *words, unsigned int each)
{
	unsigned int i;

	if (each < 4)
		return true;
	for (i = 0; i < 2; i++)
		if (words[2 + i] != words[i] * r->size)
			return false;
	return true;
}

/* The bytes of a record, too, are numbers that int64_t has room for. */
static bool counts_possible(const struct heap_counts *c, uint64_t size)
{
	return c->frees <= c->allocs && c->allocs < (1ULL << 62) / (size ? size : 1);
}

/* --- one attempt --- */

static void heap_take_memory(struct heap_profile *p, const uint64_t *words, unsigned int each)
{
	bool any = false;
	size_t i;

	for (i = 0; i < p->records.len; i++) {
		struct heap_record *r = vec_at(&p->records, struct heap_record, i);
		const uint64_t *at = words + i * each * (1 + FUTURES);

		r->published = counts_published(at, each, p->cycle);
		r->now = counts_now(at, each);
		any |= r->published.allocs || r->published.frees;
	}
	p->unpublished = !any;
	for (i = 0; i < p->records.len && !any; i++) {
		struct heap_record *r = vec_at(&p->records, struct heap_record, i);

		r->published = r->now;
	}
}

/* Takes out the records whose counts are impossible. */
static void heap_sift(struct heap_profile *p, const uint64_t *words, unsigned int each)
{
	size_t i, kept = 0;

	for (i = 0; i < p->records.len; i++) {
		const struct heap_record *r = vec_at(&p->records, struct heap_record, i);

		if (counts_possible(&r->published, r->size) && counts_possible(&r->now, r->size) &&
		    counts_fit(r, words + i * each * (1 + FUTURES), each))
			*vec_at(&p->records, struct heap_record, kept++) = *r;
		else
			p->refused[HEAP_BAD_COUNTS]++;
	}
	p->records.len = kept;
}

/* Do both looks at a record find the same published counts, which are possible? */
static bool heap_is_stable(const struct heap_profile *p, const struct heap_record *r,
			   const uint64_t *a, const uint64_t *b, unsigned int each)
{
	struct heap_counts x = counts_published(a, each, p->cycle);
	struct heap_counts y = counts_published(b, each, p->cycle);

	return x.allocs == y.allocs && x.frees == y.frees && counts_possible(&y, r->size) &&
	       counts_fit(r, b, each);
}

/*
 * Reads the words of all records again, to @counts, which has those of the first look; a record
 * that cannot be read has zeros. Returns whether both looks found the same.
 */
static bool heap_look_again(const struct heap_profile *p, const struct heap_opts *o,
			    uint64_t *counts, unsigned int words, struct windows *windows)
{
	uint64_t again[BUCKET_COUNTS];
	bool stable = true;
	size_t i;

	windows_forget(windows, buckets_windows(o, memory_size(o->proc)));
	for (i = 0; i < p->records.len && !memory_is_silent(o->proc); i++, counts += words) {
		const struct heap_record *r = vec_at(&p->records, struct heap_record, i);

		if (!windows_read(windows, r->bucket + BUCKET_HEADER + (uint64_t)r->n * 8, again,
				  words * 8))
			memset(again, 0, words * 8);
		stable &= heap_is_stable(p, r, counts, again, words / (1 + FUTURES));
		memcpy(counts, again, words * 8);
	}
	return stable;
}

/* Returns whether the counts are of one moment. */
static bool heap_settle_memory(struct heap_profile *p, const struct heap_opts *o, uint64_t *counts,
			       unsigned int words, struct windows *windows)
{
	bool stable = heap_look_again(p, o, counts, words, windows);

	heap_take_memory(p, counts, words / (1 + FUTURES));
	/* also counts of now, which are not looked at twice */
	heap_sift(p, counts, words / (1 + FUTURES));
	return stable;
}

static void heap_take_block(struct heap_profile *p, const struct heap_opts *o,
			    const uint64_t *words)
{
	size_t i, kept = 0;

	for (i = 0; i < p->records.len; i++) {
		struct heap_record *r = vec_at(&p->records, struct heap_record, i);
		int64_t whole;

		memcpy(&r->cycles, words + 2 * i + 1, sizeof(r->cycles));
		memcpy(&r->count, words + 2 * i, sizeof(r->count));
		memcpy(&whole, words + 2 * i, sizeof(whole));
		if (o->minor < MINOR_FLOAT)
			r->count = (double)whole;
		if (!isfinite(r->count) || r->count < 0 || r->count > 9e18 || r->cycles < 0) {
			p->refused[HEAP_BAD_COUNTS]++;
			continue;
		}
		*vec_at(&p->records, struct heap_record, kept++) = *r;
	}
	p->records.len = kept;
}

static void heap_set_rates(struct heap_profile *p, const struct heap_opts *o,
			   const struct heap_roots *r)
{
	p->rate = r->rate;
	p->block_rate = r->block_rate;
	p->mutex_rate = r->mutex_rate;
	p->has_block_rate = o->vars->block_rate;
	p->has_mutex_rate = o->vars->mutex_rate;
	p->cycle = heap_cycle(o, r);
}

/* @settled: the counts are of one moment. */
static int heap_attempt(struct heap_profile *p, const struct heap_opts *o, bool *settled,
			struct error *err)
{
	unsigned int words = bucket_words(o->kind, o->minor);
	struct heap_roots before, after;
	struct vec counts = {0};
	struct windows *windows;
	uint64_t bytes;
	int r = heap_read_roots(o, &before, err);

	if (r)
		return r;
	heap_set_rates(p, o, &before);
	bytes = memory_size(o->proc);
	windows = windows_new(o->proc, buckets_windows(o, bytes),
			      o->windows ? o->windows : HEAP_WINDOWS);
	buckets_walk(p, o, before.head, bytes, windows, &counts);
	*settled = true;
	if (o->kind == HEAP_MEMORY)
		*settled = heap_settle_memory(p, o, counts.data, words, windows);
	else
		heap_take_block(p, o, counts.data);
	vec_free(&counts);
	windows_free(windows);
	if (stop_requested(o->stop) || memory_is_silent(o->proc))
		return memory_error(o->proc, o->stop, "profiles", err);
	r = heap_read_roots(o, &after, err);
	*settled &= !r && (o->kind != HEAP_MEMORY || heap_same_cycle(o, &before, &after));
	return r;
}

_Static_assert((int)HEAP_WINDOW == (int)WINDOW_BYTES, "heap.h has the size of a window");

bool heap_read_cycle(const struct heap_opts *opts, uint32_t *ret)
{
	struct heap_roots roots = {0};
	bool ok = opts->vars->cycle && memory_read(opts->proc, opts->vars->cycle + opts->proc->bias,
						   roots.cycle, sizeof(roots.cycle[0]));

	*ret = heap_cycle(opts, &roots);
	return ok;
}

int heap_read(struct heap_profile *ret, const struct heap_opts *opts, struct error *err)
{
	bool settled = false;
	unsigned int i;
	int r = 0;

	*ret = (struct heap_profile){0};
	for (i = 1; i <= ATTEMPTS && !settled && !r; i++) {
		heap_free(ret);
		r = heap_attempt(ret, opts, &settled, err);
		ret->attempts = i;
		/* a cut list, or one with bad records, does not become better */
		if (!settled && !r)
			sleep_ns(PAUSE_NS * i);
	}
	ret->moved = !settled;
	return r;
}

void heap_free(struct heap_profile *p)
{
	vec_free(&p->records);
	vec_free(&p->pcs);
	*p = (struct heap_profile){0};
}

uint64_t heap_refused(const struct heap_profile *p)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < HEAP_REFUSALS; i++)
		n += p->refused[i];
	return n;
}

const char *heap_refusal_text(enum heap_refusal why)
{
	static const char *const texts[HEAP_REFUSALS] = {
		[HEAP_BAD_KIND] = "kind", [HEAP_BAD_DEPTH] = "depth", [HEAP_BAD_HASH] = "hash",
		[HEAP_BAD_PC] = "pc", [HEAP_BAD_COUNTS] = "counts",
		[HEAP_UNREADABLE] = "unreadable",
	};

	return texts[why];
}

const char *heap_cut_text(enum heap_cut why)
{
	static const char *const texts[] = {
		[HEAP_WHOLE] = "no", [HEAP_CUT_LOOP] = "loop",
		[HEAP_CUT_UNREADABLE] = "unreadable", [HEAP_CUT_LONG] = "long",
	};

	return texts[why];
}

/* @v as a whole number; one that does not fit, of a hostile program, becomes the nearest. */
static int64_t heap_whole(double v)
{
	return v >= 9e18 ? INT64_MAX : v <= -9e18 ? INT64_MIN : (int64_t)v;
}

double heap_scale(uint64_t size, uint64_t rate)
{
	return rate <= 1 ? 1 : 1 / (1 - exp(-(double)size / (double)rate));
}

struct heap_scaled heap_scaled(int64_t count, uint64_t size, double scale)
{
	double bytes = (double)count * (double)size;

	if (!count || !size)
		return (struct heap_scaled){0};
	if (scale <= 1)
		return (struct heap_scaled){ count, heap_whole(bytes) };
	return (struct heap_scaled){ heap_whole((double)count * scale), heap_whole(bytes * scale) };
}
