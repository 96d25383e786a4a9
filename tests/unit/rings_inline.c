// SPDX-License-Identifier: Apache-2.0
/*
 * inline: the code of --attach inline and the reader of the rings against each other: threads that write into one ring
 * at the same time, as they do when the kernel moves them between CPUs, and the drain beside them.
 */
#include "inline_fake.h"

#include <pthread.h>
#include <sched.h>

#include "rings/ring.h"

enum { WRITERS = 4, CALLS = 200000, CHUNKS = 64 };

static struct fake_thread threads[WRITERS];
static struct ring ring;
static struct buf out;

/* casgstatus(gp, _Grunnable, _Grunning), on the scheduler's stack. */
static void start_goroutine(const struct fake_thread *t)
{
	fake_call(fake_code + image_stub(0), t->g0, addr_of(t->g), 1, 2);
}

static void *writer(void *arg)
{
	struct fake_thread *t = arg;
	uint64_t i;

	for (i = 1; i <= CALLS; i++) {
		while (ring_fill(&ring) > (CHUNKS - 8) * RING_CHUNK)
			sched_yield();
		AT(t->g, g_goid) = i;
		start_goroutine(t);
	}
	return NULL;
}

/* Takes off the records, which come in order from each writer; returns how many. */
static uint64_t take_off(uint64_t *last)
{
	size_t at, n;
	uint64_t count = 0;

	for (at = 0; at < out.len; at += n, count++) {
		const struct rec *r = (const struct rec *)(out.data + at);
		uint32_t who = r->tid - TID;

		n = record_size(r, out.len - at);
		if (n != sizeof(*r) || r->kind != REC_GO_START || who >= WRITERS ||
		    r->ptr != addr_of(threads[who].g) || r->id <= last[who] || r->id > CALLS) {
			CHECK(!"a record in its place");
			break;
		}
		last[who] = r->id;
	}
	out.len = 0;
	return count;
}

static void ring_of_all_threads(void)
{
	static struct ring_memory memory;

	memory = (struct ring_memory){ .data = fake_chunks, .states = fake_states, .n_states = 1 };
	ring = ring_plan(&memory, 0, CHUNKS * RING_CHUNK);
	ring_open(&ring, &memory, true);
}

static bool is_clean(void)
{
	size_t i;

	for (i = 0; i < CHUNKS * RING_CHUNK; i++)
		if (fake_chunks[i])
			return false;
	return true;
}

/* Every call leaves a record, or is counted as lost. */
static void nothing_is_lost_between_threads(void)
{
	pthread_t ids[WRITERS];
	uint64_t last[WRITERS] = {0}, got = 0;
	uint32_t i;

	fake_make(1, CHUNKS);
	fake_site(0, INLINE_casgstatus);
	fake_load();
	ring_of_all_threads();
	for (i = 0; i < WRITERS; i++) {
		fake_thread_init(&threads[i], TID + i);
		pthread_create(&ids[i], NULL, writer, &threads[i]);
	}
	while (got + fake_states->lost < (uint64_t)WRITERS * CALLS && !unit_failures) {
		ring_drain(&ring, &out);
		got += take_off(last);
	}
	for (i = 0; i < WRITERS; i++)
		pthread_join(ids[i], NULL);
	CHECK_EQ(got + fake_states->lost, WRITERS * CALLS);
	CHECK(got > WRITERS * CALLS / 2);
	CHECK_EQ(ring_fill(&ring), 0);
	CHECK(is_clean());
	buf_free(&out);
	fake_end();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(nothing_is_lost_between_threads),
		{0},
	});
}
