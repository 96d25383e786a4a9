// SPDX-License-Identifier: Apache-2.0
/*
 * chunk_queue: how much memory its chunks keep after the caller was late, and after a chunk was
 * large once.
 */
#include <errno.h>

#include "capture/chunk_queue.h"
#include "unit.h"

static struct chunk_queue q;

static void put(size_t bytes)
{
	struct chunk *c = chunk_queue_room(&q);

	CHECK(c != NULL);
	buf_reserve(&c->data, bytes);
	c->data.len = bytes;
	chunk_queue_put(&q, c, false);
}

static bool take(void)
{
	struct chunk *c;

	return chunk_queue_next(&q, 0, &c) == 1;
}

static size_t room(void)
{
	size_t n = 0, i;

	for (i = 0; i < QUEUE_CHUNKS; i++)
		n += q.chunks[i].data.cap;
	return n;
}

static void a_late_caller(void)
{
	int i;

	chunk_queue_init(&q);
	for (i = 0; i < 100; i++)
		put(100000);
	CHECK(room() >= 100 * 100000);
	while (take())
		;
	CHECK(room() <= QUEUE_WARM * 2 * 100000);
	chunk_queue_free(&q);
}

static void a_burst(void)
{
	int i;

	chunk_queue_init(&q);
	put(400000);
	CHECK(take());
	for (i = 0; i < 3000; i++) {
		put(1000);
		CHECK(take());
	}
	CHECK(room() <= QUEUE_WARM * 40000);
	chunk_queue_free(&q);
}

/* A program that forges records can make all chunks as large as the rings. */
static void many_large_chunks(void)
{
	enum { LARGE = 24 << 20 };
	int i;

	chunk_queue_init(&q);
	put(LARGE);
	CHECK(take());
	CHECK(!take());
	for (i = 0; i < 20; i++) {
		put(LARGE);
		CHECK(!chunk_queue_room(&q));	/* the next one may be as large */
		CHECK(take());
	}
	CHECK(!take());
	CHECK(room() <= QUEUE_WARM * 2 * QUEUE_WARM_BYTES);
	chunk_queue_free(&q);
}

static void the_usual_room_stays(void)
{
	const void *at;
	int i;

	chunk_queue_init(&q);
	put(100000);
	CHECK(take());
	CHECK(!take());
	at = q.free_list[q.n_free - 1]->data.data;
	for (i = 0; i < 1000; i++) {
		put(i % 2 ? 50000 : 100000);
		CHECK(take());
		CHECK(!take());
		CHECK(q.free_list[q.n_free - 1]->data.data == at);
	}
	chunk_queue_free(&q);
}

static void add_segment(struct chunk *c, uint32_t cpu, uint64_t id)
{
	struct rec r = { .kind = REC_GO_START, .id = id };
	size_t at = chunk_segment_begin(c, cpu);

	buf_add(&c->data, &r, sizeof(r));
	chunk_segment_end(c, at);
}

static bool is_odd(uint32_t cpu)
{
	return cpu % 2;
}

static void sum_ids(void *ctx, uint32_t cpu, struct rec *r)
{
	*(uint64_t *)ctx += r->id;
}

/*
 * The end of a recording: records of some rings go out of the chunks that wait, and the others
 * stay.
 */
static void segments_are_dropped(void)
{
	uint64_t ids = 0;
	struct chunk *c;
	int i;

	chunk_queue_init(&q);
	for (i = 0; i < 2; i++) {
		c = chunk_queue_room(&q);
		add_segment(c, 1, 1000);
		add_segment(c, 2, 1);
		add_segment(c, 3, 1000);
		add_segment(c, 4, 2);
		chunk_queue_put(&q, c, i);
	}
	CHECK_EQ(chunk_queue_thin(&q, is_odd), 4 * sizeof(struct rec));
	CHECK_EQ(q.bytes, 4 * (sizeof(struct segment) + sizeof(struct rec)));
	while (chunk_queue_next(&q, 0, &c) == 1)
		chunk_each(c, c->data.len, sum_ids, &ids);
	CHECK_EQ(ids, 6);
	chunk_queue_free(&q);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_late_caller), UNIT(a_burst), UNIT(many_large_chunks),
		UNIT(the_usual_room_stays), UNIT(segments_are_dropped), {0} });
}
