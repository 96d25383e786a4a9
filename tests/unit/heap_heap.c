// SPDX-License-Identifier: Apache-2.0
/* heap: lists of buckets in memory, sound ones and those of a hostile program; the sums; the scale. */
#define _GNU_SOURCE
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "heap/buckets.h"
#include "heap/heap.h"
#include "live/process.h"

enum { BUCKETS = 64, STACK = 3, WORDS = 6 + STACK + 16, PCS = 0x400000, PCS_END = 0x500000 };

/* The process is this one. A list of buckets of Go 1.19, the first of which is list[0]. */
static uint64_t list[BUCKETS][WORDS];
static struct {
	uint64_t head, rate;
	uint32_t cycle, pad;
} vars;
static struct process self = PROCESS_CLOSED;

enum { NEXT, ALLNEXT, TYP, HASH, SIZE, NSTK };

static void seal(uint64_t *b)
{
	b[HASH] = bucket_hash(b + 6, b[NSTK] <= BUCKET_DEPTH ? b[NSTK] : 0, b[SIZE]);
}

/* @b: allocs, frees in the published counts, and in each of the three cycles. */
static void set_counts(uint64_t *b, int cycle, uint64_t allocs, uint64_t frees)
{
	uint64_t *at = b + 6 + STACK + 4 * (1 + cycle);

	at[0] = allocs;
	at[1] = frees;
	at[2] = allocs * b[SIZE];
	at[3] = frees * b[SIZE];
}

static void make_list(size_t n)
{
	size_t i, k;

	memset(list, 0, sizeof(list));
	for (i = 0; i < n; i++) {
		uint64_t *b = list[i];

		b[ALLNEXT] = i + 1 < n ? (uint64_t)(uintptr_t)list[i + 1] : 0;
		b[TYP] = HEAP_MEMORY;
		b[SIZE] = 16 * (i + 1);
		b[NSTK] = STACK;
		for (k = 0; k < STACK; k++)
			b[6 + k] = PCS + 100 * i + k + 1;
		set_counts(b, -1, 10 + i, 3);
		seal(b);
	}
	vars.head = n ? (uint64_t)(uintptr_t)list[0] : 0;
	vars.rate = 1;
	vars.cycle = 4 << 1;
}

static uint64_t most;	/* bytes of buckets; 0: all */

static int read_list(struct heap_profile *p, int minor, enum heap_kind kind)
{
	static const struct heap_text text = { PCS, PCS_END };
	struct profile_vars at = {
		.mbuckets = (uint64_t)(uintptr_t)&vars.head,
		.bbuckets = (uint64_t)(uintptr_t)&vars.head,
		.xbuckets = (uint64_t)(uintptr_t)&vars.head,
		.rate = (uint64_t)(uintptr_t)&vars.rate,
		.cycle = (uint64_t)(uintptr_t)&vars.cycle,
	};
	struct heap_opts opts = { .proc = &self, .vars = &at, .minor = minor, .kind = kind,
				  .text = &text, .ntext = 1, .most = most };
	struct error err;

	return heap_read(p, &opts, &err);
}

/* Reads the list and checks how many records came, and that @n of @refused. */
static void expect(size_t records, enum heap_refusal refused, uint64_t n, enum heap_cut cut)
{
	struct heap_profile p;

	CHECK(!read_list(&p, 19, HEAP_MEMORY));
	CHECK_EQ(p.records.len, records);
	CHECK_EQ(heap_refused(&p), n);
	if (n)
		CHECK_EQ(p.refused[refused], n);
	CHECK_EQ(p.cut, cut);
	heap_free(&p);
}

static void a_sound_list(void)
{
	struct heap_profile p;
	size_t i;

	make_list(BUCKETS);
	CHECK(!read_list(&p, 19, HEAP_MEMORY));
	CHECK_EQ(p.records.len, BUCKETS);
	CHECK(!heap_refused(&p) && !p.cut && !p.moved && !p.unpublished);
	CHECK_EQ(p.cycle, 4);
	for (i = 0; i < p.records.len; i++) {
		const struct heap_record *r = vec_at(&p.records, struct heap_record, i);

		CHECK_EQ(r->size, 16 * (i + 1));
		CHECK_EQ(r->n, STACK);
		CHECK_EQ(*vec_at(&p.pcs, uint64_t, r->first), PCS + 100 * i + 1);
		CHECK_EQ(r->published.allocs, 10 + i);
		CHECK_EQ(r->published.frees, 3);
	}
	heap_free(&p);
	make_list(0);
	expect(0, 0, 0, HEAP_WHOLE);
}

/* Published: active and the cycle that is to be flushed; now: all. */
static void sums_by_cycle(void)
{
	const struct heap_record *r;
	struct heap_profile p;

	make_list(1);
	set_counts(list[0], 0, 100, 50);
	set_counts(list[0], 1, 7, 2);		/* cycle 4 % 3 */
	set_counts(list[0], 2, 1000, 500);
	CHECK(!read_list(&p, 19, HEAP_MEMORY));
	r = p.records.data;
	CHECK_EQ(r->published.allocs, 17);
	CHECK_EQ(r->published.frees, 5);
	CHECK_EQ(r->now.allocs, 1117);
	CHECK_EQ(r->now.frees, 555);
	heap_free(&p);
	set_counts(list[0], -1, 0, 0);
	set_counts(list[0], 1, 0, 0);
	CHECK(!read_list(&p, 19, HEAP_MEMORY));
	r = p.records.data;
	CHECK(p.unpublished);
	CHECK_EQ(r->published.allocs, 1100);
	heap_free(&p);
}

static void counts_without_bytes(void)
{
	const struct heap_record *r;
	struct heap_profile p;

	make_list(1);
	memset(list[0] + 6 + STACK, 0, 16 * 8);
	list[0][6 + STACK] = 9;
	list[0][6 + STACK + 1] = 4;
	list[0][6 + STACK + 2 + 2] = 5;		/* future[1], of two words each */
	list[0][6 + STACK + 4 + 2] = 11;	/* future[2] */
	CHECK(!read_list(&p, 27, HEAP_MEMORY));
	r = p.records.data;
	CHECK_EQ(p.records.len, 1);
	CHECK_EQ(r->published.allocs, 14);
	CHECK_EQ(r->published.frees, 4);
	CHECK_EQ(r->now.allocs, 25);
	heap_free(&p);
}

static void blocks(void)
{
	const struct heap_record *r;
	struct heap_profile p;
	double count = 12.5;

	make_list(3);
	for (size_t i = 0; i < 3; i++) {
		list[i][TYP] = HEAP_BLOCK;
		list[i][SIZE] = 0;
		memcpy(&list[i][6 + STACK], &count, sizeof(count));
		list[i][6 + STACK + 1] = 1000;
		seal(list[i]);
	}
	list[2][6 + STACK] = ~0ULL;		/* not a number */
	CHECK(!read_list(&p, 19, HEAP_BLOCK));
	CHECK_EQ(p.records.len, 2);
	CHECK_EQ(p.refused[HEAP_BAD_COUNTS], 1);
	r = p.records.data;
	CHECK(r->count == 12.5 && r->cycles == 1000);
	heap_free(&p);
	list[0][6 + STACK] = 77;
	CHECK(!read_list(&p, 15, HEAP_BLOCK));	/* whole numbers */
	r = p.records.data;
	CHECK(r->count == 77);
	heap_free(&p);
	CHECK(!read_list(&p, 19, HEAP_MUTEX));
	CHECK_EQ(p.refused[HEAP_BAD_KIND], 3);
	heap_free(&p);
}

/* The two variables are swapped, as those of code that was not optimized: the buckets decide. */
static void swapped_lists(void)
{
	static const struct heap_text text = { PCS, PCS_END };
	static uint64_t heads[2];
	struct profile_vars at = { .bbuckets = (uint64_t)(uintptr_t)&heads[0],
				   .xbuckets = (uint64_t)(uintptr_t)&heads[1] };
	struct heap_opts opts = { .proc = &self, .vars = &at, .minor = 27, .text = &text, .ntext = 1 };
	struct heap_profile p;
	struct error err;
	size_t i;

	make_list(2);
	for (i = 0; i < 2; i++) {
		list[i][ALLNEXT] = 0;
		list[i][TYP] = i ? HEAP_BLOCK : HEAP_MUTEX;
		list[i][SIZE] = 0;
		memset(list[i] + 6 + STACK, 0, 16);
		seal(list[i]);
		heads[i] = (uint64_t)(uintptr_t)list[i];
	}
	for (i = 0; i < 3; i++) {	/* both lists have buckets, or only one of them */
		heads[0] = i == 1 ? 0 : (uint64_t)(uintptr_t)list[0];
		heads[1] = i == 2 ? 0 : (uint64_t)(uintptr_t)list[1];
		opts.kind = HEAP_BLOCK;
		CHECK(!heap_read(&p, &opts, &err));
		CHECK(p.records.len == (i != 2) && !heap_refused(&p));
		heap_free(&p);
		opts.kind = HEAP_MUTEX;
		CHECK(!heap_read(&p, &opts, &err));
		CHECK(p.records.len == (i != 1) && !heap_refused(&p));
		heap_free(&p);
	}
}

static void unsound_records(void)
{
	make_list(8);
	list[3][TYP] = HEAP_MUTEX;
	expect(7, HEAP_BAD_KIND, 1, HEAP_WHOLE);
	make_list(8);
	list[3][SIZE] = 1ULL << 60;
	seal(list[3]);
	expect(7, HEAP_BAD_KIND, 1, HEAP_WHOLE);
	make_list(8);
	list[3][NSTK] = 33;
	expect(7, HEAP_BAD_DEPTH, 1, HEAP_WHOLE);
	make_list(8);
	list[3][NSTK] = ~0ULL;
	expect(7, HEAP_BAD_DEPTH, 1, HEAP_WHOLE);
	make_list(8);
	list[3][6]++;
	expect(7, HEAP_BAD_HASH, 1, HEAP_WHOLE);
	make_list(8);
	list[3][7] = 0xdeadbeef;
	seal(list[3]);
	expect(7, HEAP_BAD_PC, 1, HEAP_WHOLE);
	make_list(8);
	set_counts(list[3], -1, 3, 10);
	expect(7, HEAP_BAD_COUNTS, 1, HEAP_WHOLE);
	make_list(8);
	list[3][6 + STACK + 2]++;
	expect(7, HEAP_BAD_COUNTS, 1, HEAP_WHOLE);
	/* more bytes than int64_t has room for; the words of bytes agree, as they overflow alike */
	make_list(8);
	list[3][SIZE] = 1ULL << 40;
	set_counts(list[3], -1, 1ULL << 22, 0);
	seal(list[3]);
	expect(7, HEAP_BAD_COUNTS, 1, HEAP_WHOLE);
	set_counts(list[3], -1, (1ULL << 22) - 1, 0);
	expect(8, 0, 0, HEAP_WHOLE);
	/* counts since the last collection, which --now has */
	make_list(8);
	set_counts(list[3], 2, 1ULL << 63, 0);
	expect(7, HEAP_BAD_COUNTS, 1, HEAP_WHOLE);
}

static void lists_that_do_not_end(void)
{
	make_list(8);
	list[7][ALLNEXT] = (uint64_t)(uintptr_t)list[2];
	expect(8, 0, 0, HEAP_CUT_LOOP);
	make_list(8);
	list[0][ALLNEXT] = (uint64_t)(uintptr_t)list[0];
	expect(1, 0, 0, HEAP_CUT_LOOP);
	make_list(8);
	list[4][ALLNEXT] = 8;
	expect(5, 0, 0, HEAP_CUT_UNREADABLE);
	make_list(8);
	list[4][ALLNEXT] += 4;
	expect(5, 0, 0, HEAP_CUT_UNREADABLE);
	make_list(8);
	list[4][ALLNEXT] = ~7ULL;
	expect(5, 0, 0, HEAP_CUT_UNREADABLE);
}

/* Each bucket lies in another window, and all overlap: the list is longer than the memory. */
static void a_list_that_is_longer_than_memory(void)
{
	enum { WORD = 8, COUNT = 1 << 21 };
	uint64_t *room = calloc(COUNT + 64, WORD), *b;
	struct heap_profile p;
	size_t i;

	make_list(1);
	for (i = 0; i < COUNT; i++)
		room[i] = (uint64_t)(uintptr_t)&room[i + 1];
	b = room;
	vars.head = (uint64_t)(uintptr_t)b;
	CHECK(!read_list(&p, 19, HEAP_MEMORY));
	CHECK_EQ(p.records.len, 0);
	CHECK(p.cut == HEAP_CUT_LONG);
	heap_free(&p);
	free(room);
}

/* A reader that may take few bytes has the newest records, and says that there are others. */
static void a_list_that_is_longer_than_what_may_be_read(void)
{
	struct heap_profile p;

	make_list(BUCKETS);
	most = 10 * sizeof(list[0]);
	CHECK(!read_list(&p, 19, HEAP_MEMORY));
	most = 0;
	CHECK_EQ(p.records.len, 10);
	CHECK(p.cut == HEAP_CUT_LONG);
	CHECK_EQ(vec_at(&p.records, struct heap_record, 0)->bucket, (uintptr_t)list[0]);
	heap_free(&p);
}

static struct heap_scaled scaled(int64_t count, uint64_t size, uint64_t rate)
{
	return heap_scaled(count, size, heap_scale(size, rate));
}

static void the_scale(void)
{
	struct heap_scaled s = scaled(3, 1024, 524288);

	CHECK(s.objects == 1537 && s.bytes == 1574400);		/* scaleHeapSample(3, 1024, 524288) */
	s = scaled(-3, 1024, 524288);
	CHECK(s.objects == -1537 && s.bytes == -1574400);
	s = scaled(5, 7, 1);
	CHECK(s.objects == 5 && s.bytes == 35);
	s = scaled(5, 7, 0);
	CHECK(s.objects == 5 && s.bytes == 35);
	s = scaled(INT64_MAX, 1ULL << 46, 1);
	CHECK(s.bytes == INT64_MAX);
	s = scaled(5, 0, 524288);
	CHECK(!s.objects && !s.bytes);
}

static void without_variables(void)
{
	struct profile_vars none = {0};
	struct heap_opts opts = { .proc = &self, .vars = &none, .minor = 27, .kind = HEAP_MEMORY };
	struct heap_profile p;
	struct error err;

	CHECK(heap_read(&p, &opts, &err) == -2);	/* ENOENT */
	heap_free(&p);
}

int main(void)
{
	struct error err;

	self.pid = getpid();
	if (procfs_open(&self.fs, NULL, &err))
		return 1;
	return unit_main((struct unit_case[]){
		UNIT(a_sound_list), UNIT(sums_by_cycle), UNIT(counts_without_bytes), UNIT(blocks),
		UNIT(swapped_lists), UNIT(unsound_records), UNIT(lists_that_do_not_end),
		UNIT(a_list_that_is_longer_than_memory),
		UNIT(a_list_that_is_longer_than_what_may_be_read), UNIT(the_scale), UNIT(without_variables),
		{0} });
}
