// SPDX-License-Identifier: Apache-2.0
/* merge: one order from many CPUs, up to the watermark. */
#include "unit.h"

#include <malloc.h>
#include <stdlib.h>

#include "base/vec.h"
#include "stream/merge.h"

enum { MAX = 4096 };

static struct seen {
	uint64_t time, id;
} seen[MAX];
static size_t n_seen;

static void pull(struct merge *m)
{
	const struct rec *r;

	while ((r = merge_next(m)))
		if (n_seen < MAX)
			seen[n_seen++] = (struct seen){ r->time, r->id };
}

static struct merge *begin(void)
{
	n_seen = 0;
	return merge_new();
}

/* One segment of records with these times; ids say cpu * 1000 + place. */
static void segment(struct chunk *c, uint32_t cpu, const uint64_t *times, size_t n)
{
	size_t at = chunk_segment_begin(c, cpu), i;

	for (i = 0; i < n; i++) {
		struct rec r = { .time = times[i], .kind = REC_GO_START,
				 .id = cpu * 1000 + i };

		buf_add(&c->data, &r, sizeof(r));
	}
	chunk_segment_end(c, at);
}

#define SEGMENT(c, cpu, ...)                                                             \
	segment(c, cpu, (uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8)

static void add(struct merge *m, struct chunk *c, uint64_t watermark)
{
	struct error err = {0};

	c->watermark = watermark;
	CHECK_EQ(merge_add(m, c, &err), 0);
	pull(m);
	chunk_reset(c);
}

static void two_cpus_become_one_order(void)
{
	struct merge *m = begin();
	struct chunk c = {0};
	size_t i;

	SEGMENT(&c, 1, 10, 30, 50);
	SEGMENT(&c, 0, 20, 40, 60);
	add(m, &c, 100);
	CHECK_EQ(n_seen, 6);
	for (i = 0; i < n_seen; i++)
		CHECK_EQ(seen[i].time, 10 * (i + 1));
	merge_free(m);
	chunk_free(&c);
}

static void nothing_beyond_the_watermark_goes_on(void)
{
	struct merge *m = begin();
	struct chunk c = {0};

	SEGMENT(&c, 0, 10, 20, 30);
	add(m, &c, 20);
	CHECK_EQ(n_seen, 2);	/* a record at the watermark itself is complete */
	CHECK_EQ(merge_pending(m), sizeof(struct rec));
	SEGMENT(&c, 1, 25);	/* older than what waits, and later in coming */
	add(m, &c, 30);
	CHECK_EQ(n_seen, 4);
	CHECK_EQ(seen[2].time, 25);
	CHECK_EQ(seen[3].time, 30);
	CHECK_EQ(merge_pending(m), 0);
	merge_free(m);
	chunk_free(&c);
}

static void a_watermark_that_stays_holds_all_back(void)
{
	struct merge *m = begin();
	struct chunk c = {0};

	SEGMENT(&c, 0, 10);
	add(m, &c, 10);
	SEGMENT(&c, 0, 20);
	add(m, &c, 10);
	CHECK_EQ(n_seen, 1);
	merge_finish(m);
	pull(m);
	CHECK_EQ(n_seen, 2);
	merge_free(m);
	chunk_free(&c);
}

static void disorder_inside_a_cpu_is_sorted(void)
{
	struct merge *m = begin();
	struct chunk c = {0};
	size_t i;

	SEGMENT(&c, 0, 30, 10, 20, 5);
	add(m, &c, 20);
	SEGMENT(&c, 0, 25, 40);
	add(m, &c, 100);
	CHECK_EQ(n_seen, 6);
	for (i = 1; i < n_seen; i++)
		CHECK(seen[i - 1].time < seen[i].time);
	merge_free(m);
	chunk_free(&c);
}

/* A damaged file: as many moves as half of the square of their number, if one is inserted after the other. */
static void falling_times_are_sorted_in_time(void)
{
	enum { N = 400000 };
	uint64_t *times = malloc(N * sizeof(*times));
	struct merge *m = begin();
	struct chunk c = {0};
	size_t i;

	for (i = 0; i < N; i++)
		times[i] = N - i / 2;		/* each time twice, in the order of places */
	segment(&c, 0, times, N);
	add(m, &c, N / 2 + MAX / 2 - 1);
	CHECK_EQ(n_seen, MAX - 2);
	for (i = 0; i < n_seen; i++) {
		CHECK_EQ(seen[i].time, N / 2 + 1 + i / 2);
		CHECK_EQ(seen[i].id % 2, i % 2);
	}
	merge_free(m);
	chunk_free(&c);
	free(times);
}

static void equal_times_go_by_cpu_then_by_place(void)
{
	static const uint64_t want[] = { 0, 1, 1000, 1001, 2000 };
	struct merge *m = begin();
	struct chunk c = {0};
	size_t i;

	SEGMENT(&c, 2, 7);
	SEGMENT(&c, 1, 7, 7);
	SEGMENT(&c, 0, 7, 7);
	add(m, &c, 7);
	CHECK_EQ(n_seen, 5);
	for (i = 0; i < n_seen; i++)
		CHECK_EQ(seen[i].id, want[i]);
	merge_free(m);
	chunk_free(&c);
}

/* What a drain loop may bring: any interleaving that keeps the watermark's promise. */
static void random_streams_come_out_sorted_and_whole(void)
{
	unsigned int run, round, cpu;

	srand(1);
	for (run = 0; run < 50; run++) {
		struct merge *m = begin();
		struct chunk c = {0};
		size_t sent = 0, i;
		uint64_t now = 1000;

		for (round = 0; round < 20; round++) {
			uint64_t before = now;

			now += 100;
			for (cpu = 0; cpu < 5; cpu++) {
				uint64_t times[8];
				size_t n = (size_t)rand() % 8;

				for (i = 0; i < n; i++)
					times[i] = before + 1 + (uint64_t)rand() % 150;
				segment(&c, cpu, times, n);
				sent += n;
			}
			/* Times reach 50 beyond `now`: those must wait. */
			add(m, &c, before);
			for (i = 0; i < n_seen; i++)
				CHECK(seen[i].time <= before);
		}
		merge_finish(m);
		pull(m);
		CHECK_EQ(n_seen, sent);
		for (i = 1; i < n_seen; i++)
			CHECK(seen[i - 1].time <= seen[i].time);
		merge_free(m);
		chunk_free(&c);
	}
}

static int add_damaged(const struct chunk *c)
{
	struct merge *m = begin();
	struct error err = {0};
	int r = merge_add(m, c, &err);

	CHECK(r == err.code);
	merge_finish(m);
	pull(m);
	merge_free(m);
	return r;
}

static void damage_is_an_error_and_what_was_whole_goes_on(void)
{
	struct chunk c = { .watermark = 100 };
	struct segment *s;

	SEGMENT(&c, 0, 1, 2);
	SEGMENT(&c, 1, 3);
	c.data.len -= 8;		/* the last record is cut */
	CHECK(add_damaged(&c) < 0);
	CHECK_EQ(n_seen, 2);
	c.data.len = 4;			/* not even a segment's head */
	CHECK(add_damaged(&c) < 0);
	CHECK_EQ(n_seen, 0);
	chunk_reset(&c);
	SEGMENT(&c, 0, 1, 2);
	s = (struct segment *)c.data.data;
	s->len = 4;			/* no multiple of 8 */
	CHECK(add_damaged(&c) < 0);
	s->len = 1 << 30;
	CHECK(add_damaged(&c) < 0);
	s->len = 2 * sizeof(struct rec);
	((struct rec *)(s + 1))[1].kind = REC_NONE;
	CHECK(add_damaged(&c) < 0);
	CHECK_EQ(n_seen, 1);
	chunk_free(&c);
}

/* A ring from which records were given up has several segments in a chunk (inline_rings_pass()). */
static void segments_of_one_cpu_are_one_queue(void)
{
	struct merge *m = begin();
	struct chunk c = {0};
	size_t i;

	SEGMENT(&c, 0, 10, 20);
	SEGMENT(&c, 1, 5, 45);
	SEGMENT(&c, 0, 30, 40);
	SEGMENT(&c, 0, 50, 60);
	SEGMENT(&c, 0, 70, 80);
	add(m, &c, 55);
	CHECK_EQ(n_seen, 7);
	CHECK_EQ(merge_pending(m), 3 * sizeof(struct rec));
	SEGMENT(&c, 0, 75, 90);		/* older than one that waits */
	SEGMENT(&c, 0, 85);
	add(m, &c, 100);
	CHECK_EQ(n_seen, 13);
	for (i = 1; i < n_seen; i++)
		CHECK(seen[i - 1].time < seen[i].time);
	CHECK_EQ(merge_pending(m), 0);
	merge_free(m);
	chunk_free(&c);
}

/* Records that wait, of which few are given out at a time, while others come behind them. */
static void what_waits_is_given_out_bit_by_bit(void)
{
	struct merge *m = begin();
	struct chunk c = {0};
	uint64_t times[100], now;
	size_t i;

	for (now = 1; now <= 1000; now += 100) {
		for (i = 0; i < 100; i++)
			times[i] = now + i;
		segment(&c, 0, times, 100);
		add(m, &c, now / 3);
	}
	for (now = 300; now <= 1000; now += 7)
		add(m, &c, now);
	merge_finish(m);
	pull(m);
	CHECK_EQ(n_seen, 1000);
	for (i = 0; i < n_seen; i++)
		CHECK_EQ(seen[i].time, i + 1);
	merge_free(m);
	chunk_free(&c);
}

/* The caller may take some of the records, and the rest after the next chunk. */
static void records_that_were_not_pulled_come_in_order_with_later_ones(void)
{
	struct merge *m = begin();
	struct chunk c = { .watermark = 30 };
	struct error err = {0};

	SEGMENT(&c, 0, 10, 30);
	SEGMENT(&c, 1, 20);
	CHECK_EQ(merge_add(m, &c, &err), 0);
	CHECK_EQ(merge_next(m)->time, 10);
	merge_keep(m);
	memset(c.data.data, 0, c.data.len);
	chunk_reset(&c);
	SEGMENT(&c, 2, 25);
	add(m, &c, 30);
	CHECK_EQ(n_seen, 3);
	CHECK_EQ(seen[0].time, 20);
	CHECK_EQ(seen[1].time, 25);
	CHECK_EQ(seen[2].time, 30);
	CHECK_EQ(merge_taken(m), 4);
	merge_free(m);
	chunk_free(&c);
}

static void an_empty_chunk_moves_the_watermark_only(void)
{
	struct merge *m = begin();
	struct chunk c = {0};

	SEGMENT(&c, 0, 10);
	add(m, &c, 5);
	CHECK_EQ(n_seen, 0);
	add(m, &c, 10);
	CHECK_EQ(n_seen, 1);
	merge_free(m);
	merge_free(NULL);
	chunk_free(&c);
}

/* Bytes that malloc() has given out. */
static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* The memory for one burst of records is given back while the recording goes on. */
static void the_room_of_a_burst_goes(void)
{
	enum { N = 20000 };
	uint64_t *times = calloc(N, sizeof(*times));
	struct merge *m = begin();
	struct chunk c = {0};
	size_t before = in_use();
	int i;

	for (i = 0; i < N; i++)
		times[i] = 1;
	segment(&c, 0, times, N);
	add(m, &c, 0);
	chunk_free(&c);
	CHECK(in_use() > before + N * sizeof(struct rec));	/* they wait */
	for (i = 1; i < 4000; i++) {
		SEGMENT(&c, 0, (uint64_t)i);
		add(m, &c, (uint64_t)i);
	}
	chunk_free(&c);
	CHECK(in_use() < before + (100 << 10));
	merge_free(m);
	free(times);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(two_cpus_become_one_order),
		UNIT(nothing_beyond_the_watermark_goes_on),
		UNIT(a_watermark_that_stays_holds_all_back),
		UNIT(disorder_inside_a_cpu_is_sorted),
		UNIT(falling_times_are_sorted_in_time),
		UNIT(equal_times_go_by_cpu_then_by_place),
		UNIT(random_streams_come_out_sorted_and_whole),
		UNIT(damage_is_an_error_and_what_was_whole_goes_on),
		UNIT(segments_of_one_cpu_are_one_queue),
		UNIT(what_waits_is_given_out_bit_by_bit),
		UNIT(records_that_were_not_pulled_come_in_order_with_later_ones),
		UNIT(an_empty_chunk_moves_the_watermark_only),
		UNIT(the_room_of_a_burst_goes),
		{0} });
}
