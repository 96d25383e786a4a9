// SPDX-License-Identifier: Apache-2.0
/* goids: of goroutines in our own memory, which are created before they have their goid. */
#define _GNU_SOURCE
#include "unit.h"

#include <unistd.h>

#include "capture/goids.h"

enum { GOID_AT = 8, MOST = 1 << 16, WAITING = 1 << 10 };

static struct process proc = PROCESS_CLOSED;
static struct plan plan;
static struct goids goids;
static struct ring_set rings;
static struct chunk chunk;

/* A runtime.g, as far as it matters. */
static struct {
	uint64_t stack, goid;
} g;

static void begin(uint64_t goid)
{
	g.goid = goid;
	goids_init(&goids, &plan, &proc);
}

static void end(void)
{
	goids_free(&goids);
	chunk_free(&chunk);
}

/* A round of the drain with @n creations of goroutines at g @at, which had goid @before. */
static size_t round_of(size_t n, const void *at, uint64_t before)
{
	const struct rec_long l = { .r = { .kind = REC_GO_CREATE, .ptr = (uintptr_t)at, .flags = (uint16_t)before } };
	size_t from, i;

	chunk_reset(&chunk);
	from = chunk_segment_begin(&chunk, 0);
	for (i = 0; i < n; i++)
		buf_add(&chunk.data, &l, sizeof(l));
	chunk_segment_end(&chunk, from);
	from = chunk.data.len;
	rings.probes.of_kind[REC_GO_CREATE] += n;
	goids_add(&goids, &rings, &chunk, from);
	return (chunk.data.len - from) / sizeof(struct rec_long);
}

static void a_creation_gets_the_goid_of_its_g(void)
{
	const struct rec_long *l;

	begin(17);
	CHECK_EQ(round_of(1, &g, 16), 1);
	l = (const void *)(chunk.data.data + chunk.data.len - sizeof(*l));
	CHECK_EQ(l->r.kind, REC_GOID);
	CHECK_EQ(l->r.id, 17);
	CHECK_EQ(l->r.ptr, (uintptr_t)&g);
	CHECK_EQ(round_of(0, &g, 0), 0);
	end();
}

/* The thread was interrupted between the change of the status and the store of the goid. */
static void a_g_with_the_goid_of_before_is_read_again(void)
{
	begin(16);
	CHECK_EQ(round_of(1, &g, 16), 0);
	CHECK_EQ(round_of(0, &g, 0), 0);
	g.goid = 18;
	CHECK_EQ(round_of(0, &g, 0), 1);
	end();
}

static void a_g_that_cannot_be_read_is_not_read_again(void)
{
	begin(17);
	CHECK_EQ(round_of(1, NULL, 16), 0);
	CHECK_EQ(goids.unnamed.len, 0);
	end();
}

/* Each round reads all that wait: a program that forges creations makes any number of them. */
static void what_a_round_reads_is_bounded(void)
{
	int i;

	begin(16);
	for (i = 0; i < 4; i++) {
		CHECK_EQ(round_of(MOST, &g, 16), 0);
		CHECK_EQ(goids.unnamed.len, WAITING);
	}
	CHECK_EQ(round_of(2 * MOST, &g, 15), MOST - WAITING);
	end();
}

int main(void)
{
	proc.pid = getpid();
	plan.offsets.g_goid = GOID_AT;
	return unit_main((struct unit_case[]){
		UNIT(a_creation_gets_the_goid_of_its_g),
		UNIT(a_g_with_the_goid_of_before_is_read_again),
		UNIT(a_g_that_cannot_be_read_is_not_read_again),
		UNIT(what_a_round_reads_is_bounded),
		{0} });
}
