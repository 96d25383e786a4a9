// SPDX-License-Identifier: Apache-2.0
/* guard: see guard.h. */
#define _GNU_SOURCE
#include "capture/guard.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/priority.h"
#include "proc/privilege.h"

enum {
	GUARD_HIGH = -10,
	GUARD_LOW = 10,
	GUARD_NS = 10 * 1000 * 1000,
	/*
	 * A program that makes the most records fills a smaller ring to a half between two looks
	 * that are so far apart: 2 threads made 440 MB/s.
	 */
	GUARD_SMALL = 8 << 20,
	GUARD_SMALL_NS = GUARD_NS / 2,
};

static unsigned int guard_part(size_t n, size_t of)
{
	return of ? (unsigned int)(n * PACE_WHOLE / of) : 0;
}

/* Returns the fill of the fullest ring, of those that the program's records are in. */
static unsigned int guard_fill(const struct ring_set *set)
{
	unsigned int most = 0, fill;
	size_t i;

	for (i = 0; i < set->rings.len; i++) {
		const struct ring *r = vec_at(&set->rings, struct ring, i);

		fill = guard_part(ring_fill(r), r->size);
		most = fill > most ? fill : most;
	}
	return most;
}

static uint64_t guard_since(uint64_t then, uint64_t now)
{
	return then && now > then ? now - then : 0;
}

static struct pace_look guard_look(const struct guard *g)
{
	struct chunk_queue_load queue = chunk_queue_load(g->queue);
	unsigned int chunks = guard_part(queue.chunks, QUEUE_CHUNKS);
	unsigned int bytes = guard_part(queue.bytes, QUEUE_BYTES);
	uint64_t now = now_ns();

	return (struct pace_look){
		.now = now,
		.ring = guard_fill(g->rings),
		.rate = __atomic_load_n(&g->rate, __ATOMIC_RELAXED),
		.drain_late = guard_since(__atomic_load_n(&g->round, __ATOMIC_RELAXED), now),
		.queue = chunks > bytes ? chunks : bytes,
		.caller_late = guard_since(queue.since, now),
	};
}

static void guard_set(pid_t thread, bool *is, bool low)
{
	if (thread && *is != low)
		priority_set(thread, low ? GUARD_LOW : GUARD_HIGH);
	*is = low;
}

static void guard_apply(struct guard *g)
{
	/* the caller first: the drain may wait for a lock that it has */
	guard_set(g->caller, &g->caller_low, g->pace.caller.low);
	guard_set(__atomic_load_n(&g->drain, __ATOMIC_ACQUIRE), &g->drain_low, g->pace.drain.low);
}

static void guard_watch(struct guard *g)
{
	long interval = g->rings->size < GUARD_SMALL ? GUARD_SMALL_NS : GUARD_NS;
	struct pace_look look;

	while (!__atomic_load_n(&g->held, __ATOMIC_ACQUIRE)) {
		look = guard_look(g);
		pace_step(&g->pace, &look);
		guard_apply(g);
		sleep_ns(interval);
	}
	g->pace = (struct pace){0};
	guard_apply(g);
}

static void *guard_run(void *arg)
{
	struct guard *g = arg;

	pthread_setname_np(pthread_self(), "gotap-guard");
	g->failure = privilege_keep(PRIVILEGE_NICE, &g->why);
	if (!g->failure)
		g->failure = privilege_filter(false, &g->why);
	sem_post(&g->ready);
	if (!g->failure)
		guard_watch(g);
	return NULL;
}

int guard_begin(struct guard *g, const struct ring_set *rings, const struct chunk_queue *queue,
		struct error *err)
{
	int r;

	if (!priority_raise(GUARD_HIGH))
		return 0;
	g->rings = rings;
	g->queue = queue;
	g->caller = gettid();
	sem_init(&g->ready, 0, 0);
	r = thread_start(&g->thread, guard_run, g);
	if (r)
		return error_set(err, -r, "cannot start a thread: %s", strerror(r));
	g->runs = true;
	while (sem_wait(&g->ready))
		;
	if (g->failure)
		*err = g->why;
	return g->failure;
}

void guard_drain_begins(struct guard *g)
{
	__atomic_store_n(&g->drain, gettid(), __ATOMIC_RELEASE);
}

void guard_round(struct guard *g, uint64_t now)
{
	__atomic_store_n(&g->round, now, __ATOMIC_RELAXED);
}

void guard_round_found(struct guard *g, unsigned int fill, uint64_t elapsed)
{
	__atomic_store_n(&g->rate, pace_rate(fill, elapsed), __ATOMIC_RELAXED);
}

void guard_hold(struct guard *g)
{
	__atomic_store_n(&g->held, true, __ATOMIC_RELEASE);
}

void guard_end(struct guard *g)
{
	if (!g->runs)
		return;
	guard_hold(g);
	pthread_join(g->thread, NULL);
	g->runs = false;
	priority_reset(g->caller);
}
