// SPDX-License-Identifier: Apache-2.0
/* rings: see rings.h. */
#define _GNU_SOURCE
#include "rings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/budget_meter.h"
#include "rings/inline_rings.h"

enum { CPUS = 2, SIZE = 1 << 20, UNITS = SIZE / RING_UNIT, CHUNK_UNITS = RING_CHUNK / RING_UNIT };

static struct process proc = PROCESS_CLOSED;
static struct ring_set set = { .cpus = CPUS };
static struct inline_rings rings;
static struct budget_meter meter;

static void rings_die(const char *what)
{
	fprintf(stderr, "load: %s\n", what);
	exit(1);
}

/* The ids need not be threads of this process: they count as found. */
static void rings_add_threads(uint32_t tid, unsigned int threads)
{
	for (; threads; threads--, tid++)
		rings.door.threads.now[tid / 64] |= 1ULL << (tid % 64);
}

void rings_begin(uint32_t tid, unsigned int threads)
{
	int fd = memfd_create("load", MFD_CLOEXEC);
	struct error err;
	unsigned int i;

	for (i = 0; i < CPUS; i++)
		*(struct ring *)vec_push(&set.rings, sizeof(struct ring)) =
			ring_plan(&set.memory, i, SIZE);
	inline_rings_plan(&rings, &set, &proc, true);
	if (fd < 0 || ftruncate(fd, (off_t)rings.plan.size) || inline_rings_open(&rings, fd, &err))
		rings_die("no memory for rings");
	close(fd);
	/* the counter is the clock */
	rings.clock = (struct tsc_clock){ .n = 1, .next = 1,
					  .pairs = { { .rate = 1ULL << TSC_SHIFT } } };
	foreign_round(&rings.door, 1000000000);
	rings_add_threads(tid, threads);
	budget_meter_init(&meter);
}

static struct ring *rings_of(unsigned int cpu)
{
	return vec_at(&set.rings, struct ring, CPUS + cpu);
}

void rings_put(unsigned int cpu, const void *record, size_t n)
{
	struct ring *r = rings_of(cpu);
	uint32_t head = (uint32_t)r->state->position, tail = (uint32_t)(r->state->position >> 32);
	uint32_t units = (uint32_t)n / RING_UNIT, left = CHUNK_UNITS - tail % CHUNK_UNITS;
	struct rec *at = (struct rec *)(r->data + tail % UNITS * RING_UNIT);

	if (units > left) {
		if (left * RING_UNIT >= sizeof(*at))
			at->kind = REC_SKIP;
		tail += left;
		at = (struct rec *)(r->data + tail % UNITS * RING_UNIT);
	}
	tail += units;
	if (tail - head > UNITS)
		rings_die("a ring is full");
	memcpy(at, record, n);
	r->state->position = (uint64_t)tail << 32 | head;
}

void rings_drain(struct chunk *c)
{
	unsigned int i;

	for (i = 0; i < CPUS; i++)
		inline_rings_take(&rings, rings_of(i), c, 0);
	budget_meter_count(&meter, &set, c, c->data.len);
}
