// SPDX-License-Identifier: Apache-2.0
/* wait_table: the reader finds the objects that tracefile.c has written; other bytes give no objects, or objects within the limits. */
#define _GNU_SOURCE
#include "unit.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "read/v2_reader.h"
#include "trace/tracefile.h"
#include "trace_text.h"
#include "unit_random.h"

enum { OBJECTS = 5000 };

static struct trace_wait object_of(uint64_t i)
{
	struct trace_wait w = { .kind = WAIT_CHANNEL, .n = 1 };

	w.of[0] = (0xc000000000 + i * 0x1f0) | (i % 9) << WAIT_ADDRESS_BITS;
	if (i % 7)
		return w;
	w.kind = WAIT_SELECT;
	w.n = 2;
	w.of[1] = 0x7fffffffffff | 5ULL << WAIT_ADDRESS_BITS;
	return w;
}

static bool same(const struct trace_wait *a, const struct trace_wait *b)
{
	return a->kind == b->kind && a->n == b->n && a->more == b->more &&
	       !memcmp(a->of, b->of, a->n * sizeof(*a->of));
}

/* Goroutine 1 blocks for each object; those from 2 on have waited before. */
static void write_objects(struct tracefile *tf)
{
	struct trace_stream *s = tracefile_stream(tf, 7);
	struct trace_wait w;
	uint64_t reason, i;

	trace_emit(s, 100, EV_ProcStatus, 0, P_RUNNING);
	trace_emit(s, 101, EV_GoStatus, 1, 7, G_RUNNING);
	for (i = 0; i < OBJECTS; i++) {
		w = object_of(i);
		trace_emit(s, 102, EV_GoStatus, 2 + i, TRACEV2_NO_ID, G_WAITING);
		tracefile_waiting(tf, 2 + i, &w);
	}
	for (i = 0; i < 2 * OBJECTS; i++) {
		w = object_of(i % OBJECTS);
		reason = tracefile_reason(tf, tracefile_string(tf, "chan receive"), &w);
		trace_emit(s, 200 + 4 * i, EV_GoBlock, reason, 0);
		trace_emit(s, 201 + 4 * i, EV_GoUnblock, 1, 1 + 2 * i, 0);
		trace_emit(s, 202 + 4 * i, EV_GoStart, 1, 2 + 2 * i);
	}
	trace_emit(s, 200 + 4 * i, EV_GoBlock, tracefile_string(tf, "chan receive"), 0);
}

static struct buf trace_of_objects(int version)
{
	struct tracefile_opts opts = { .version = version };
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct tracefile *tf;
	struct error err;
	struct buf b = {0};
	size_t n;

	CHECK_EQ(tracefile_new(&tf, fd, &opts, &err), 0);
	tracefile_gen_begin(tf);
	write_objects(tf);
	CHECK_EQ(tracefile_gen_end(tf, &(struct trace_clock){ .time = 90, .mono_ns = 90, .wall_sec = 5 }, &err), 0);
	tracefile_free(tf);
	n = (size_t)lseek(fd, 0, SEEK_END);
	buf_reserve(&b, n + 1);
	b.len = (size_t)pread(fd, b.data, n, 0);
	close(fd);
	return b;
}

static void check_reason(const struct trace_reader *r, const struct trace_event *ev)
{
	size_t len;
	const char *text = trace_reader_string(r, ev->args[0], &len);

	CHECK(len == 12 && !memcmp(text, "chan receive", len));
}

static void objects_are_read_again(int version)
{
	struct buf b = trace_of_objects(version);
	const struct trace_event *ev;
	struct trace_wait w, want;
	struct trace_reader *r;
	struct error err;
	size_t blocks = 0, statuses = 0, bare = 0;

	r = trace_reader_open_memory(b.data, b.len, &err);
	while (trace_reader_next(r, &ev) > 0) {
		bool known = trace_reader_wait(r, ev, &w);

		if (ev->type == EV_GoStatus && ev->args[2] == G_WAITING) {
			want = object_of(ev->args[0] - 2);
			CHECK(known && same(&w, &want));
			statuses++;
		} else if (ev->type == EV_GoBlock && known) {
			want = object_of(blocks++ % OBJECTS);
			check_reason(r, ev);
			CHECK(same(&w, &want));
		} else {
			CHECK(!known);
			bare += ev->type == EV_GoBlock;
		}
	}
	CHECK_EQ(trace_reader_stopped(r, &err), 0);
	CHECK_EQ(blocks, 2 * OBJECTS);
	CHECK_EQ(statuses, OBJECTS);
	CHECK_EQ(bare, 1);
	trace_reader_close(r);
	buf_free(&b);
}

static void all_headers_have_them(void)
{
	objects_are_read_again(22);
	objects_are_read_again(23);
	objects_are_read_again(25);
	objects_are_read_again(26);
}

/* "gotap.w1g", the entry of goroutine 2, and a batch of thread @m that has the string. */
#define STRING_BATCH(m) \
	"batch m=" m "\nStrings\nString id=1\n\tdata=\"gotap.w1g\\x04!\\x80\\x80\\x03\\x08\"\n"

static bool goroutine_2_is_known(const char *story, struct trace_wait *w)
{
	struct buf bytes = {0};
	struct trace_reader *r = trace_of_text(story, &bytes);
	const struct trace_event *ev;
	bool known = false;

	while (trace_reader_next(r, &ev) > 0)
		if (ev->type == EV_GoStatus && ev->args[0] == 2)
			known = trace_reader_wait(r, ev, w);
	trace_reader_close(r);
	buf_free(&bytes);
	return known;
}

#define STATUSES "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n" \
	"GoStatus dt=1 g=2 m=18446744073709551615 gstatus=4\n"

/* A program can write any text: only those of gotap's own batches count. */
static void a_text_of_the_program_is_no_object(void)
{
	struct trace_wait w;

	CHECK(!goroutine_2_is_known(STRING_BATCH("18446744073709551615") STATUSES, &w));
	CHECK(!goroutine_2_is_known(STRING_BATCH("1") STATUSES, &w));
	CHECK(goroutine_2_is_known(STRING_BATCH("512735409267") STATUSES, &w));
	CHECK_EQ(w.kind, WAIT_CHANNEL);
	CHECK_EQ(wait_address(&w, 0), 0x6000);
	CHECK_EQ(wait_capacity(&w, 0), 7);
}

/* Numbers that no writer makes: each answer is one that a writer could give. */
static void any_bytes_give_possible_objects(void)
{
	struct v2_tables t = {0};
	struct wait_table table = {0};
	uint64_t seed = 1, known = 0;
	struct v2_place place = {0};
	struct v2_fault fault = {0};
	struct trace_wait w;
	/* numbers of which many are heads of entries, and some go on in the next byte */
	static const uint8_t some[16] = { 33, 34, 35, 40, 66, 82, 98, 48, 0, 1, 2, 9, 0x7f, 0x80, 0x84, 0xff };
	unsigned int round, i, j;

	for (round = 0; round < 3000; round++) {
		uint8_t body[3 + 9 + 100] = { EV_String, 1, 9 + 100 };
		struct cursor c = cursor_of(body, sizeof(body), 0);

		memcpy(body + 3, round & 1 ? "gotap.w1g" : "gotap.w1r", 9);
		for (i = 12; i < sizeof(body); i++)
			body[i] = some[unit_random(&seed) >> 20 & (sizeof(some) - 1)];
		tables_clear(&t);
		wait_table_clear(&table);
		CHECK_EQ(tables_add_strings(&t, &c, &place, &fault), 0);
		wait_table_note(&table, &t, 0);
		for (i = 0; i < 200; i++) {
			if (!wait_table_of_goroutine(&table, &t, i, &w) && !wait_table_of_reason(&table, &t, i, &w))
				continue;
			known++;
			CHECK(w.kind && w.kind < WAIT_KINDS && w.n && w.n <= WAIT_CHANNELS);
			CHECK(w.kind == WAIT_SELECT || w.n == 1);
			for (j = 0; j < w.n; j++)
				CHECK(w.of[j] & WAIT_ADDRESS);
		}
	}
	CHECK(known > 100);
	tables_free(&t);
	wait_table_free(&table);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(all_headers_have_them),
		UNIT(a_text_of_the_program_is_no_object),
		UNIT(any_bytes_give_possible_objects),
		{0} });
}
