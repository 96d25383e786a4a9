// SPDX-License-Identifier: Apache-2.0
/* assembler: a generation that assembler_turn() ends has all records up to its end, also those that wait for a goid. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "assemble/assembler.h"
#include "unit.h"

enum { G1 = 0x9001, G2 = 0x9002, P0 = 0x1000, M = 7 };

static const uint64_t MS = 1000000;

static struct assembler *assembler;
static struct chunk chunk;
static size_t segment;
static uint64_t now;
static int fd;

static uint64_t seen;	/* the last time passed to on_seen(): all events up to it have come */

static void on_seen(void *ctx, uint64_t time)
{
	CHECK(time > seen);
	seen = time;
}

static const struct observer_ops observer_ops = { .seen = on_seen };

static void begin(void)
{
	static struct capture_info info = { .go_minor = 21 };
	struct assembler_opts opts = { .version = 22, .info = &info, .restate = true };
	struct error err;

	observers_add(&opts.observers, &observer_ops, NULL);
	fd = memfd_create("trace", MFD_CLOEXEC);
	CHECK_EQ(assembler_new(&assembler, fd, &opts, &err), 0);
	now = 1000 * MS;
	seen = 0;
	segment = chunk_segment_begin(&chunk, 0);
}

static void put(uint8_t kind, uint8_t sub, uint32_t tid, uint64_t id, uint64_t ptr)
{
	struct rec_snap_g all = { .r = { .time = now++, .tid = tid, .kind = kind, .sub = sub, .id = id, .ptr = ptr } };

	buf_add(&chunk.data, &all, rec_head_size(kind));
}

/* Passes on the chunk, whose watermark is @ns later than its last record. */
static void round_of(uint64_t ns)
{
	struct error err;

	chunk_segment_end(&chunk, segment);
	now += ns;
	chunk.watermark = chunk.mono_ns = chunk.wall_ns = now++;
	CHECK_EQ(assembler_chunk(assembler, &chunk, &err), 0);
	chunk_reset(&chunk);
	segment = chunk_segment_begin(&chunk, 0);
}

static int turn(void)
{
	struct error err;

	return assembler_turn(assembler, &err);
}

static void end(void)
{
	struct error err;

	chunk_reset(&chunk);
	CHECK_EQ(assembler_finish(assembler, &err), 0);
	assembler_free(assembler);
	chunk_free(&chunk);
	close(fd);
}

/* Goroutine 1 runs on thread M. */
static void snapshot(void)
{
	put(REC_SNAP_P_NAME, 0, 0, 0, P0);
	put(REC_SNAP_G, 2, M, 1, G1);
	put(REC_SNAP_P, 0, M, 0, P0);
	put(REC_SNAP_END, 0, 0, 0, 0);
	round_of(MS);
}

static void records_that_wait_for_a_goid(void)
{
	uint64_t before;

	begin();
	snapshot();
	CHECK_EQ(turn(), 0);
	CHECK_EQ(assembler_generations(assembler), 1);
	before = now;
	put(REC_GO_CREATE, 0, M, 0, G2);
	round_of(10 * MS);
	CHECK_EQ(assembler_seen(assembler), before - 1);
	CHECK_EQ(seen, before - 1);
	put(REC_GOID, 0, 0, 2, G2);
	round_of(10 * MS);
	CHECK_EQ(assembler_seen(assembler), now - 1);
	CHECK_EQ(seen, now - 1);
	CHECK_EQ(turn(), 0);
	CHECK_EQ(assembler_generations(assembler), 2);
	CHECK_EQ(assembler_goroutines(assembler), 2);
	end();
}

/* The record with the goid was lost: after half a second the assembler does not wait any more. */
static void a_goid_that_never_comes(void)
{
	uint64_t before;
	int i;

	begin();
	snapshot();
	before = now;
	put(REC_GO_CREATE, 0, M, 0, G2);
	for (i = 0; i < 49; i++) {
		round_of(10 * MS);
		CHECK_EQ(assembler_seen(assembler), before - 1);
	}
	round_of(10 * MS);
	CHECK_EQ(assembler_seen(assembler), now - 1);
	CHECK_EQ(seen, before - 1);	/* on_seen() gets no time after a record that still waits for its goid */
	end();
}

/*
 * While gotap takes probes away after REC_CAPTURE_END chunks still come. on_seen() does not get their time: nothing is
 * known of it.
 */
static void nothing_is_seen_behind_the_end(void)
{
	uint64_t last;

	begin();
	snapshot();
	round_of(10 * MS);
	put(REC_CAPTURE_END, 0, 0, 0, 0);
	last = now - 1;
	round_of(5000 * MS);
	CHECK_EQ(seen, last);
	CHECK_EQ(assembler_seen(assembler), last);
	round_of(5000 * MS);
	CHECK_EQ(seen, last);
	put(REC_GO_STOP, 0, M, 1, G1);	/* an event that came after REC_CAPTURE_END */
	round_of(10 * MS);
	CHECK(seen > last + 10000 * MS && seen < last + 10001 * MS);
	CHECK_EQ(turn(), 0);
	end();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(records_that_wait_for_a_goid),
		UNIT(a_goid_that_never_comes),
		UNIT(nothing_is_seen_behind_the_end),
		{0} });
}
