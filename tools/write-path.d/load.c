// SPDX-License-Identifier: Apache-2.0
/*
 * load: gives the assembler chunks of a program that does not exist, always the same.
 *
 *	load park N	N goroutines run on N threads; in the chunk between path_begin() and path_end()
 *			each of them blocks. All texts, stacks and threads are known before.
 *	load serve N	two threads of a server handle N requests
 *
 * The trace goes to /dev/null. `load serve` prints the number of records.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assemble/assembler.h"
#include "base/map64.h"
#include "rings.h"
#include "waits.h"

enum {
	CPUS = 2,
	CONNECTIONS = 32,
	CHUNK_REQUESTS = 200,	/* those of 10 ms */
	SECOND = 1000000000,
	G_RUNS = 2, G_WAITS = 4,	/* runtime: _Grunning, _Gwaiting */
	WAIT_IO = 2, WAIT_CHAN = 14,	/* runtime.waitReason of Go 1.25 */
};

/* tools/write-path links these; nothing happens without them. */
void path_begin(void) __attribute__((weak));
void path_end(void) __attribute__((weak));

struct load {
	struct assembler *assembler;
	struct chunk chunks[CPUS];	/* a segment each, of records that are in no ring */
	struct chunk all;
	uint64_t now[CPUS];
	uint64_t records;
};

static void die(const struct error *err)
{
	fprintf(stderr, "load: %s\n", err->text);
	exit(1);
}

static uint64_t g_of(uint64_t goid) { return 0xc000000000 + goid * 0x200; }
static uint64_t p_of(uint64_t p) { return 0xd000000000 + p * 0x2800; }
static uint64_t channel_of(uint64_t n) { return (0xc001000000 + n * 0x60) | 1ULL << WAIT_ADDRESS_BITS; }
static uint32_t tid_of(uint64_t thread) { return 1000 + (uint32_t)thread; }

/* Adds a record to the ring of a CPU, or to its segment. */
static void add(struct load *l, unsigned int cpu, const struct rec *r)
{
	size_t n = record_size(r, SIZE_MAX);

	if (rings_put && rec_family(r->kind) != REC_FAMILY_SNAPSHOT)
		rings_put(cpu, r, n);
	else
		buf_add(&l->chunks[cpu].data, r, n);
	l->records++;
}

/* Adds a record that happens on @thread. */
static void put(struct load *l, unsigned int cpu, uint64_t thread, struct rec_long r)
{
	r.r.time = l->now[cpu];
	r.r.tid = tid_of(thread);
	l->now[cpu] += 640;
	add(l, cpu, &r.r);
}

#define PUT(l, cpu, thread, k, ...) put(l, cpu, thread, \
	(struct rec_long){ .r = { .kind = REC_##k, __VA_ARGS__ } })
#define PUT_STACK(l, cpu, thread, k, key, ...) put(l, cpu, thread, \
	(struct rec_long){ .r = { .kind = REC_##k, __VA_ARGS__ }, .stack = key })
#define GO(goid) .id = goid, .ptr = g_of(goid)

/* @object: the word of include/waits.h */
static void put_park(struct load *l, unsigned int cpu, uint64_t thread, uint64_t goid,
		     uint8_t reason, uint64_t stack, uint64_t object)
{
	put(l, cpu, thread, (struct rec_long){
		.r = { .kind = REC_GO_PARK, .sub = reason, GO(goid) }, .stack = stack, .arg = object });
}

static void put_stack(struct load *l, uint64_t key)
{
	struct { struct rec_stack s; uint64_t pcs[8]; } r = {
		.s = { .r = { .time = l->now[0]++, .kind = REC_STACK, .id = key, .sub = STACK_PARK },
		       .n = 8, .room = 8 } };
	unsigned int i;

	for (i = 0; i < 8; i++)
		r.pcs[i] = 0x401000 + key * 64 + i;
	add(l, 0, &r.s.r);
}

/* Gives the records so far to the assembler; with @followed between path_begin() and path_end(). */
static void take(struct load *l, bool followed)
{
	struct chunk *all = &l->all;
	struct error err;
	unsigned int cpu;
	size_t at;
	int r;

	chunk_reset(all);
	if (rings_drain)
		rings_drain(all);
	for (cpu = 0; cpu < CPUS; cpu++) {
		at = chunk_segment_begin(all, cpu);
		buf_add(&all->data, l->chunks[cpu].data.data, l->chunks[cpu].data.len);
		chunk_segment_end(all, at);
		l->chunks[cpu].data.len = 0;
		if (l->now[cpu] > all->watermark)
			all->watermark = l->now[cpu];
	}
	all->mono_ns = all->wall_ns = all->watermark;
	if (followed && path_begin)
		path_begin();
	r = assembler_chunk(l->assembler, all, &err);
	if (followed && path_end)
		path_end();
	if (r)
		die(&err);
	for (cpu = 0; cpu < CPUS; cpu++)	/* the CPUs take turns */
		l->now[cpu] = all->watermark + 320 * (cpu + 1);
}

/* Threads 0 to @n - 1 run goroutines 1 to @n, with a P each. Others up to @waiting wait. */
static void snapshot(struct load *l, unsigned int n, unsigned int waiting)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		PUT(l, 0, 0, SNAP_P_NAME, .id = i, .ptr = p_of(i));
	for (i = 0; i < n + waiting; i++)
		PUT(l, 0, i, SNAP_G, .sub = i < n ? G_RUNS : G_WAITS, GO(i + 1));
	for (i = 0; i < n; i++)
		PUT(l, 0, i, SNAP_P, .id = i, .ptr = p_of(i));
	PUT(l, 0, 0, SNAP_END, 0);
	for (i = 1; i < 16; i++)
		put_stack(l, i);
	take(l, false);
}

static void park_all(struct load *l, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		put_park(l, i % CPUS, i, i + 1, WAIT_CHAN, 1, channel_of(i + 1));
}

static void load_park(struct load *l, unsigned int n)
{
	unsigned int i;

	snapshot(l, n, 0);
	park_all(l, n);
	take(l, false);
	for (i = 0; i < n; i++) {
		PUT(l, i % CPUS, i, GO_READY, GO(i + 1));
		PUT(l, i % CPUS, i, GO_START, GO(i + 1));
	}
	take(l, false);
	park_all(l, n);
	take(l, true);
}

static void put_syscall(struct load *l, unsigned int cpu, uint64_t goid, uint64_t stack)
{
	PUT_STACK(l, cpu, cpu, SYS_ENTER, stack, GO(goid));
	put(l, cpu, cpu, (struct rec_long){
		.r = { .kind = REC_SYS_EXIT, .sub = REC_EXIT_SAME_P, GO(goid) }, .arg = p_of(cpu) });
}

/*
 * The netpoller wakes the goroutine of a connection. It reads, hands work to another goroutine, which
 * blocks when it is done, and writes.
 */
static void put_request(struct load *l, unsigned int cpu, unsigned int i)
{
	uint64_t conn = CPUS + 1 + (i % (CONNECTIONS / CPUS) * CPUS + cpu) * 2, other = conn + 1;
	uint64_t new = 1000 + i * CPUS + cpu;

	PUT(l, cpu, cpu, GO_READY, GO(conn));
	PUT(l, cpu, cpu, GO_START, GO(conn));
	put_syscall(l, cpu, conn, 2);
	PUT_STACK(l, cpu, cpu, GO_READY, 3, GO(other));
	if (i % 8 == 0)
		put(l, cpu, cpu, (struct rec_long){
			.r = { .kind = REC_HEAP_ALLOC, .ptr = (i + 1) << 13 } });
	if (i % 16 == 0)
		put(l, cpu, cpu, (struct rec_long){ .r = { .kind = REC_GO_CREATE, GO(new) },
						    .stack = 4, .arg = 0x401000 });
	PUT_STACK(l, cpu, cpu, GO_STOP, 5, .sub = REC_STOP_GOSCHED, GO(conn));
	PUT(l, cpu, cpu, GO_START, GO(other));
	put_park(l, cpu, cpu, other, WAIT_CHAN, 6, channel_of(other));
	PUT(l, cpu, cpu, GO_START, GO(conn));
	put_syscall(l, cpu, conn, 7);
	put_park(l, cpu, cpu, conn, WAIT_IO, 8, conn + 1);
	if (i % 16 == 0) {
		PUT(l, cpu, cpu, GO_START, GO(new));
		PUT(l, cpu, cpu, GO_DEAD, GO(new));
	}
}

static void load_serve(struct load *l, unsigned int n)
{
	unsigned int cpu, i;

	snapshot(l, CPUS, 2 * CONNECTIONS);
	for (cpu = 0; cpu < CPUS; cpu++)
		put_park(l, cpu, cpu, cpu + 1, WAIT_CHAN, 1, channel_of(cpu + 1));
	for (i = 0; i < n / CPUS; i++) {
		for (cpu = 0; cpu < CPUS; cpu++)
			put_request(l, cpu, i);
		if (i % CHUNK_REQUESTS == 0)
			take(l, false);
	}
	take(l, false);
	printf("%llu\n", (unsigned long long)l->records);
}

int main(int argc, char **argv)
{
	static struct capture_info info = { .go_minor = 25 };
	struct assembler_opts opts = { .version = 25, .info = &info };
	struct assembler_result result;
	struct load l = { .now = { SECOND, SECOND + 320 } };
	struct error err;
	int fd = open("/dev/null", O_WRONLY);
	unsigned int i;

	/* numbers that do not change, in place of random ones: the same steps in each run */
	hash64_seed[0] = 0x9e3779b97f4a7c15;
	hash64_seed[1] = 0xd1b54a32d192ed03;
	if (rings_begin) {
		rings_begin(tid_of(0), CPUS);
		opts.has_goids = true;
	}
	if (argc != 3 || fd < 0 || assembler_new(&l.assembler, fd, &opts, &err))
		return 1;
	if (!strcmp(argv[1], "park"))
		load_park(&l, (unsigned int)atoi(argv[2]));
	else
		load_serve(&l, (unsigned int)atoi(argv[2]));
	if (path_begin)
		path_begin();
	if (assembler_finish(l.assembler, &err))
		die(&err);
	if (path_end)
		path_end();
	assembler_result(l.assembler, &result);
	for (i = 0; i < REPAIR_KINDS; i++)
		if (result.model.repairs[i]) {
			fprintf(stderr, "load: %s\n", repair_text(i));
			return 1;
		}
	assembler_free(l.assembler);
	return 0;
}
