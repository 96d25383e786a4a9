// SPDX-License-Identifier: Apache-2.0
/*
 * rings: the order of stores, on the hardware that this runs on: `make stress`. Threads reserve and
 * submit records as bpf/ring.h and bpf/emit.h do, beside user/rings/ring.c, which drains them. Each
 * record has a checksum: one that is read before it is whole, or that a drain has cleared too late,
 * is counted. Some records name a key that another thread has announced after it had submitted a
 * record of it, as the keys of stacks in bpf/stack_walk.h: a key of which there is no record in the
 * round after is counted, too. With --plain a record is submitted by the store of amd64, which arm64
 * may show too early: the faults that this finds there are the proof that the others would be found.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "rings/ring.h"

enum {
	CHUNK_UNITS = RING_CHUNK / RING_UNIT,
	SIZE = 8 * RING_CHUNK,
	UNITS = sizeof(struct rec_long) / RING_UNIT,
	KEYS = 1 << 12,
	MOST = 64,		/* threads */
};

struct producer {
	pthread_t thread;
	struct ring ring;
	uint64_t made, full, keys;
	uint64_t random;
};

static struct ring_memory memory;
static struct producer producers[MOST];
static unsigned int n_producers;
static bool plain, stop;
static uint64_t seen[KEYS];	/* announced keys */
static uint64_t next_key = 1;

/* --- a producer, as a program of bpf/ --- */

static uint64_t stress_mix(uint64_t h)
{
	h = (h ^ h >> 31) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

static uint64_t sum_of(const struct rec_long *l)
{
	return stress_mix(l->r.id ^ stress_mix(l->r.ptr ^ stress_mix(l->stack ^ l->r.time))) | 1;
}

static struct rec_long *stress_reserve(struct ring *ring)
{
	uint64_t old = *(volatile uint64_t *)&ring->state->position, was;
	uint32_t tail, at, rest;

	for (;; old = was) {
		tail = (uint32_t)(old >> 32);
		at = tail % CHUNK_UNITS;
		rest = at > CHUNK_UNITS - UNITS ? CHUNK_UNITS - at : 0;
		if (tail + rest + UNITS - (uint32_t)old > SIZE / RING_UNIT)
			return NULL;
		was = __sync_val_compare_and_swap(&ring->state->position, old,
						  old + ((uint64_t)(rest + UNITS) << 32));
		if (was == old)
			break;
	}
	if (rest >= sizeof(struct rec) / RING_UNIT)
		*(volatile uint8_t *)(ring->data + (size_t)(tail % (SIZE / RING_UNIT)) * RING_UNIT +
				      offsetof(struct rec, kind)) = REC_SKIP;
	tail = (tail + rest) % (SIZE / RING_UNIT);
	return (struct rec_long *)(ring->data + (size_t)tail * RING_UNIT);
}

static void stress_submit(struct rec_long *l)
{
	uint32_t *word = (uint32_t *)((uint8_t *)l + offsetof(struct rec, kind));

	__asm__ volatile("" : : : "memory");
#ifdef __aarch64__
	if (!plain) {
		__atomic_exchange_n(word, *word & ~(uint32_t)REC_BUSY, __ATOMIC_SEQ_CST);
		return;
	}
#endif
	*(volatile uint8_t *)word = l->r.kind & (uint8_t)~REC_BUSY;
}

/* A record about @key; 0: none. @defines: the key is announced after it. */
static void stress_record(struct producer *p, uint64_t key, bool defines)
{
	struct rec_long *l = stress_reserve(&p->ring);

	if (!l) {
		p->full++;
		return;
	}
	l->r.time = now_ns();
	l->r.tid = (uint32_t)(p - producers);
	*(volatile uint8_t *)&l->r.kind = REC_GO_PARK | REC_BUSY;
	__asm__ volatile("" : : : "memory");
	l->r.sub = defines;
	l->r.flags = 0;
	l->r.id = ++p->made;
	l->r.ptr = p->random;
	l->stack = key;
	l->arg = sum_of(l);
	stress_submit(l);
	if (defines)
		*(volatile uint64_t *)&seen[key % KEYS] = key;
}

static void *produce_records(void *arg)
{
	struct producer *p = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		p->random = stress_mix(p->random + 1);
		if (p->random % 16 == 0)
			stress_record(p, __atomic_fetch_add(&next_key, 1, __ATOMIC_RELAXED), true);
		else
			stress_record(p, *(volatile uint64_t *)&seen[p->random >> 16 & (KEYS - 1)],
				      false);
		if (p->random % 4096 == 0)
			usleep(100);
	}
	return NULL;
}

/* --- the drain --- */

struct judge {
	uint64_t records, torn, out_of_order, unknown;
	uint64_t last[MOST];		/* the number of the last record of a producer */
	uint8_t *defined;		/* by key: has a record */
	uint64_t defined_size;
	struct vec waiting;		/* keys without a record in this round */
};

static bool is_defined(const struct judge *j, uint64_t key)
{
	return key < j->defined_size && j->defined[key];
}

static void define(struct judge *j, uint64_t key)
{
	uint64_t size = j->defined_size;

	while (key >= j->defined_size)
		j->defined_size = j->defined_size ? 2 * j->defined_size : 1 << 20;
	if (size != j->defined_size) {
		j->defined = xrealloc(j->defined, j->defined_size, 1);
		memset(j->defined + size, 0, j->defined_size - size);
	}
	j->defined[key] = 1;
}

static void judge_record(struct judge *j, const struct rec_long *l)
{
	j->records++;
	if (l->r.kind != REC_GO_PARK || l->arg != sum_of(l) || l->r.tid >= n_producers) {
		j->torn++;
		return;
	}
	if (l->r.id <= j->last[l->r.tid])
		j->out_of_order++;
	j->last[l->r.tid] = l->r.id;
	if (l->r.sub)
		define(j, l->stack);
	else if (l->stack && !is_defined(j, l->stack))
		*(uint64_t *)vec_push(&j->waiting, sizeof(uint64_t)) = l->stack;
}

/* One round over all rings. A key that an earlier round has waited for must have its record now. */
static void drain_round(struct judge *j, struct buf *out)
{
	size_t before = j->waiting.len, i, at;

	for (i = 0; i < n_producers; i++) {
		out->len = 0;
		ring_drain(&producers[i].ring, out);
		for (at = 0; at + sizeof(struct rec_long) <= out->len; at += sizeof(struct rec_long))
			judge_record(j, (const struct rec_long *)(out->data + at));
	}
	for (i = 0; i < before; i++)
		j->unknown += !is_defined(j, *vec_at(&j->waiting, uint64_t, i));
	memmove(j->waiting.data, (uint64_t *)j->waiting.data + before,
		(j->waiting.len - before) * sizeof(uint64_t));
	j->waiting.len -= before;
}

static void make_rings(void)
{
	unsigned int i;

	memory.n_states = n_producers;
	for (i = 0; i < n_producers; i++)
		producers[i].ring = ring_plan(&memory, i, SIZE);
	memory.data = xcalloc(memory.chunks, RING_CHUNK);
	memory.states = xcalloc(memory.n_states, sizeof(*memory.states));
	for (i = 0; i < n_producers; i++) {
		producers[i].random = i * 7919 + 1;
		ring_open(&producers[i].ring, &memory, true);
	}
}

static int report(const struct judge *j)
{
	uint64_t full = 0;
	unsigned int i;

	for (i = 0; i < n_producers; i++)
		full += producers[i].full;
	printf("%llu records of %u threads, %llu found no room; torn %llu, out of order %llu, "
	       "keys without a record %llu\n",
	       (unsigned long long)j->records, n_producers, (unsigned long long)full,
	       (unsigned long long)j->torn, (unsigned long long)j->out_of_order,
	       (unsigned long long)j->unknown);
	return j->records && !j->torn && !j->out_of_order && !j->unknown ? 0 : 1;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "threads", required_argument, NULL, 't' },
		{ "plain", no_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 },
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), seconds = 10;
	struct judge judge = {0};
	struct buf out = {0};
	uint64_t end;
	unsigned int i;
	int c;

	n_producers = cpus > 2 ? (unsigned int)(cpus < MOST ? cpus - 1 : MOST) : 2;
	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (c == 's')
			seconds = strtol(optarg, NULL, 10);
		else if (c == 't')
			n_producers = (unsigned int)strtoul(optarg, NULL, 10);
		else if (c == 'p')
			plain = true;
		else
			return 2;
	}
	if (seconds < 1 || n_producers < 1 || n_producers > MOST || optind < argc) {
		fprintf(stderr, "usage: rings [--seconds N] [--threads 1..%d] [--plain]\n", MOST);
		return 2;
	}
	make_rings();
	end = now_ns() + (uint64_t)seconds * 1000000000;
	for (i = 0; i < n_producers; i++)
		pthread_create(&producers[i].thread, NULL, produce_records, &producers[i]);
	while (now_ns() < end)
		drain_round(&judge, &out);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < n_producers; i++)
		pthread_join(producers[i].thread, NULL);
	drain_round(&judge, &out);
	drain_round(&judge, &out);
	return report(&judge);
}
