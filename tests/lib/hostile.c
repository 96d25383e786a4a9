// SPDX-License-Identifier: Apache-2.0
/*
 * hostile KIND BYTES: a v2 trace of about that size that makes a reader
 * remember or do as much as it can for each byte: nothing but the smallest
 * strings, stacks, threads... To standard output; Go's reader takes it. Without
 * arguments it names the kinds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracev2.h"

enum { FULL = TRACEV2_MAX_BATCH - 64 };	/* a batch with less room is done */

static struct {
	uint8_t data[TRACEV2_MAX_BATCH];
	size_t len;
} body;
static uint64_t written, serial, generation = 1, start = 1;

static void put(uint8_t c)
{
	putchar(c);
	written++;
}

static void put_number(uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put((uint8_t)(v | 0x80));
	put((uint8_t)v);
}

static void add(uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		body.data[body.len++] = (uint8_t)(v | 0x80);
	body.data[body.len++] = (uint8_t)v;
}

/* Writes the batch as one of @m and begins the next. */
static void flush(uint64_t m)
{
	size_t i;

	put(EV_EventBatch);
	put_number(generation);
	put_number(m);
	put_number(start);
	put_number(body.len);
	for (i = 0; i < body.len; i++)
		put(body.data[i]);
	body.len = 0;
}

static void add_string(void) { add(EV_String), add(serial), add(0); }
static void add_stack(void) { add(EV_Stack), add(serial), add(0); }
static void add_sample(void) { add(EV_CPUSample), add(1), add(0), add(0), add(1), add(0); }
static void add_g(void) { add(EV_GoStatus), add(1), add(serial), add(0), add(G_WAITING); }
static void add_p(void) { add(EV_ProcStatus), add(1), add(serial), add(P_IDLE); }
static void add_task(void) { add(EV_UserTaskBegin), add(1), add(serial), add(0), add(0), add(0); }
static void add_region(void) { add(EV_UserRegionBegin), add(1), add(0), add(0), add(0); }
static void add_empty_batch(void) { flush(0); }
static void add_empty_thread(void) { flush(serial); }

static void add_frame(void)
{
	add(EV_Stack), add(serial), add(1);
	add(serial), add(0), add(0), add(0);
}

/* Goroutines that have something open. */
static void add_assist(void)
{
	add_g();
	add(EV_GCMarkAssistActive), add(1), add(serial);
}

static void add_created_g(void)
{
	add(EV_GoCreate), add(1), add(serial), add(0), add(0);
}

/* The goroutine that runs ends, and one that nothing else is known of runs in its place. */
static void add_dead_g(void)
{
	add_created_g();
	add(EV_GoDestroy), add(1);
	add(EV_GoStart), add(1), add(serial), add(1);
}

static void add_thread(void)
{
	add(EV_ProcStatus), add(1), add(serial), add(P_RUNNING);
	flush(serial);
}

static void add_experiment(void)
{
	put(EV_ExperimentalBatch);
	put(1);
	put_number(1), put_number(0), put_number(1), put_number(0);
}

/*
 * What costs time rather than memory. Ids that begin at one slot of a hash
 * table whose hash is id * the golden ratio.
 */
static void add_colliding(void)
{
	uint64_t y = serial * 0xf1de83e19937733d;

	add(EV_GoStatus), add(1), add(y ^ y >> 32), add(0), add(G_WAITING);
}

/* A P in a syscall, of which another thread says over and over that it was abandoned. */
static void add_abandoned(void)
{
	if (serial < 100000) {
		add_thread();
		return;
	}
	if (serial == 100000) {
		start = 2;
		add(EV_ProcStatus), add(1), add(1), add(P_SYSCALL);
		flush(serial);
		start = 4;
	}
	add(EV_ProcStatus), add(1), add(1), add(P_SYSCALL_ABANDONED);
}

static void add_empty_generation(void)
{
	if (body.len)
		flush(0);
	generation++;
	add(EV_Frequency), add(1000000000);
	flush(0);
}

/* A generation with many strings, then generations with nothing. */
static void add_generation(void)
{
	if (serial < 200000) {
		if (!body.len)
			add(EV_Strings);
		add_string();
		return;
	}
	add_empty_generation();
}

/* Goroutines, then generations that say nothing: who writes states the goroutines in each. */
static void add_restated(void)
{
	if (serial < 70000)
		add_g();
	else
		add_empty_generation();
}

/* Many goroutines, a stop of the world by the youngest that never ends, and events behind it. */
static void add_stopped(void)
{
	if (serial < 100000) {
		add_g();
		return;
	}
	if (serial == 100000) {
		add_dead_g();
		add(EV_STWBegin), add(1), add(0), add(0);
	}
	add(EV_HeapAlloc), add(1), add(1);
}

static const struct kind {
	const char *name;
	void (*add)(void);
	uint8_t opens;		/* first byte of its batches, 0 = they hold events */
} kinds[] = {
	{ "strings", add_string, EV_Strings },
	{ "stacks", add_stack, EV_Stacks },
	{ "frames", add_frame, EV_Stacks },
	{ "samples", add_sample, EV_CPUSamples },
	{ "goroutines", add_g, 0 },
	{ "assists", add_assist, 0 },
	{ "created", add_created_g, 0 },
	{ "dead", add_dead_g, 0 },
	{ "procs", add_p, 0 },
	{ "tasks", add_task, 0 },
	{ "regions", add_region, 0 },
	{ "threads", add_thread, 0 },
	{ "empty-threads", add_empty_thread, 0 },
	{ "empty-batches", add_empty_batch, 0 },
	{ "experiments", add_experiment, 0 },
	{ "colliding", add_colliding, 0 },
	{ "abandoned", add_abandoned, 0 },
	{ "generations", add_generation, 0 },
	{ "restated", add_restated, 0 },
	{ "stopped", add_stopped, 0 },
};

/* A generation needs a clock; and the one thread whose events follow has P 0 and G 1. */
static void begin(void)
{
	fwrite("go 1.23 trace\0\0", 1, TRACEV2_HEADER_SIZE, stdout);
	add(EV_Frequency), add(1000000000);
	flush(0);
	add(EV_ProcStatus), add(1), add(0), add(P_RUNNING);
	add(EV_GoStatus), add(1), add(1), add(0), add(G_RUNNING);
	flush(0);
}

static void make(const struct kind *kind, uint64_t bytes)
{
	begin();
	for (serial = 2; written < bytes; serial++) {
		if (kind->opens && !body.len)
			add(kind->opens);
		kind->add();
		if (body.len > FULL)
			flush(0);
	}
	if (body.len)
		flush(0);
}

int main(int argc, char **argv)
{
	size_t i, n = sizeof(kinds) / sizeof(kinds[0]);

	for (i = 0; i < n && argc == 1; i++)
		puts(kinds[i].name);
	for (i = 0; i < n && argc == 3; i++)
		if (!strcmp(kinds[i].name, argv[1]))
			make(&kinds[i], strtoull(argv[2], NULL, 10));
	return argc == 2 || ferror(stdout) || fflush(stdout);
}
