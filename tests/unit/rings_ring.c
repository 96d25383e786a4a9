// SPDX-License-Identifier: Apache-2.0
/*
 * ring: the consumer against producers that do what bpf/ring.h does, first one
 * step at a time, then as threads beside it.
 */
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>

#include "rings/ring.h"

enum { CHUNK_UNITS = RING_CHUNK / RING_UNIT, SIZE = 4 * RING_CHUNK };

static struct ring_memory memory;
static struct ring ring;
static struct buf out;

/* A ring as the maps would hold it; it is not the first one there. */
static void make(bool rewinds)
{
	memory = (struct ring_memory){ .n_states = 2 };
	ring_plan(&memory, 0, RING_CHUNK);
	ring = ring_plan(&memory, 1, SIZE);
	memory.data = xcalloc(memory.chunks, RING_CHUNK);
	memory.states = xcalloc(memory.n_states, sizeof(*memory.states));
	ring_open(&ring, &memory, rewinds);
}

static void end(void)
{
	free(memory.data);
	free(memory.states);
	buf_free(&out);
}

static struct rec *unit_at(uint32_t tail)
{
	return (struct rec *)(ring.data + (size_t)(tail % (SIZE / RING_UNIT)) * RING_UNIT);
}

/* Room for @units, NULL: full. */
static struct rec *reserve(uint32_t units)
{
	uint64_t old = __atomic_load_n(&ring.state->position, __ATOMIC_ACQUIRE);
	uint32_t tail, at, rest;

	do {
		tail = (uint32_t)(old >> 32);
		at = tail % CHUNK_UNITS;
		rest = at > CHUNK_UNITS - units ? CHUNK_UNITS - at : 0;
		if (tail + rest + units - (uint32_t)old > SIZE / RING_UNIT)
			return NULL;
	} while (!__atomic_compare_exchange_n(&ring.state->position, &old,
					      old + ((uint64_t)(rest + units) << 32), false,
					      __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
	if (rest >= sizeof(struct rec) / RING_UNIT)
		__atomic_store_n(&unit_at(tail)->kind, REC_SKIP, __ATOMIC_RELEASE);
	return unit_at(tail + rest);
}

static void submit(struct rec *r, uint8_t kind, uint64_t id)
{
	r->id = id;
	r->time = id;
	__atomic_store_n(&r->kind, kind, __ATOMIC_RELEASE);
}

/* A record of four units, or one of six. */
static bool produce(uint64_t id)
{
	bool is_long = id % 3 == 0;
	struct rec *r = reserve(is_long ? 6 : 4);

	if (!r)
		return false;
	submit(r, is_long ? REC_GO_PARK : REC_GO_START, id);
	return true;
}

/* Are the records in @out those of @from, in their order, up to @until? */
static uint64_t consumed(uint64_t from)
{
	size_t at, n;

	for (at = 0; at < out.len; at += n, from++) {
		const struct rec *r = (const struct rec *)(out.data + at);

		n = record_size(r, out.len - at);
		CHECK(n);
		if (!n || r->id != from || r->time != from) {
			CHECK_EQ(r->id, from);
			break;
		}
	}
	out.len = 0;
	return from;
}

static bool is_clean(void)
{
	size_t i;

	for (i = 0; i < memory.chunks * RING_CHUNK; i++)
		if (memory.data[i])
			return false;
	return true;
}

/* All records, of the ids from @first to before @end, and nothing left of them. */
static void check_drained(uint64_t first, uint64_t end)
{
	CHECK(ring_drain(&ring, &out));
	CHECK_EQ(consumed(first), end);
	CHECK(is_clean());
}

static void records_come_out_in_order(void)
{
	struct ring_tally taken = {0};
	uint64_t made = 1, got = 1;
	int i;

	make(false);
	ring.taken = &taken;
	/* so near the end of 32 bits that the positions start over */
	ring.state->position = 0xfffff000fffff000;
	for (i = 0; i < 100; i++) {
		while (produce(made))
			made++;
		CHECK(ring_fill(&ring) > SIZE - 64);
		CHECK(ring_drain(&ring, &out));
		CHECK_EQ(ring_fill(&ring), 0);
		got = consumed(got);
		CHECK_EQ(got, made);
	}
	CHECK(is_clean());
	CHECK_EQ(taken.of_kind[REC_GO_PARK], (made - 1) / 3);
	CHECK_EQ(taken.of_kind[REC_GO_START], made - 1 - (made - 1) / 3);
	CHECK_EQ(taken.of_kind[REC_SKIP], 0);
	end();
}

static void an_empty_ring_begins_anew(void)
{
	int i;

	make(true);
	for (i = 0; i < 1000; i++) {
		CHECK(produce(7));
		CHECK(ring_drain(&ring, &out));
		CHECK_EQ(ring.state->position, 0);
	}
	CHECK_EQ(out.len, 1000 * sizeof(struct rec));
	CHECK(is_clean());
	end();
}

static void a_record_that_is_not_whole_stops_it(void)
{
	struct rec *first, *busy;

	make(true);
	first = reserve(4);
	submit(first, REC_GO_START, 1);
	busy = reserve(4);
	submit(reserve(4), REC_GO_START, 3);
	CHECK(!ring_drain(&ring, &out));	/* room, and nothing in it yet */
	CHECK_EQ(consumed(1), 2);
	submit(busy, REC_GO_START | REC_BUSY, 2);
	CHECK(!ring_drain(&ring, &out));
	CHECK_EQ(out.len, 0);
	submit(busy, REC_GO_START, 2);
	check_drained(2, 4);
	end();
}

/* At every place of a chunk: what is left behind is too small for a mark, has one, or is nothing. */
static void no_record_lies_in_two_chunks(void)
{
	uint32_t at;

	make(false);
	for (at = CHUNK_UNITS - 10; at <= CHUNK_UNITS; at++) {
		struct rec *r;

		ring.state->position = (uint64_t)at << 32 | at;
		r = reserve(6);
		CHECK(r == unit_at(at > CHUNK_UNITS - 6 ? CHUNK_UNITS : at));
		submit(r, REC_GO_PARK, 1);
		check_drained(1, 2);
	}
	end();
}

static void what_is_thrown_away_leaves_room(void)
{
	make(true);
	while (produce(1))
		;
	CHECK(ring_drain(&ring, NULL));
	CHECK_EQ(ring.state->position, 0);
	CHECK(is_clean());
	end();
}

enum { RECORDS = 200000, PRODUCERS = 3 };

static void *producer(void *arg)
{
	uint64_t who = (uint64_t)(uintptr_t)arg << 32, i;

	for (i = 1; i <= RECORDS; i++)
		while (!produce(who | i))
			sched_yield();
	return NULL;
}

/* Takes off records, which come in order from each producer; returns how many. */
static uint64_t take_off(uint64_t *last)
{
	size_t at, n;
	uint64_t count = 0;

	for (at = 0; at < out.len; at += n, count++) {
		const struct rec *r = (const struct rec *)(out.data + at);
		uint64_t *l = &last[r->id >> 32];

		n = record_size(r, out.len - at);
		if (!n || r->id >> 32 >= PRODUCERS || r->time != r->id || (uint32_t)r->id != *l + 1) {
			CHECK(!"a record in its place");
			return RECORDS * PRODUCERS;
		}
		++*l;
	}
	out.len = 0;
	return count;
}

static void nothing_is_lost_between_threads(void)
{
	pthread_t threads[PRODUCERS];
	uint64_t last[PRODUCERS] = {0}, got = 0;
	uintptr_t i;

	make(true);
	for (i = 0; i < PRODUCERS; i++)
		pthread_create(&threads[i], NULL, producer, (void *)i);
	while (got < RECORDS * PRODUCERS) {
		ring_drain(&ring, &out);
		got += take_off(last);
	}
	for (i = 0; i < PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(ring_fill(&ring), 0);
	CHECK(is_clean());
	end();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(records_come_out_in_order),
		UNIT(an_empty_ring_begins_anew),
		UNIT(a_record_that_is_not_whole_stops_it),
		UNIT(no_record_lies_in_two_chunks),
		UNIT(what_is_thrown_away_leaves_room),
		UNIT(nothing_is_lost_between_threads),
		{0},
	});
}
