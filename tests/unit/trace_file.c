// SPDX-License-Identifier: Apache-2.0
/* tracefile: the bytes of small traces, by hand from the format's rules. */
#define _GNU_SOURCE
#include "unit.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <signal.h>
#include <errno.h>
#include <unistd.h>

#include "base/vec.h"
#include "trace/tracefile.h"

static const struct trace_clock CLOCK = { .time = 0x90, .mono_ns = 0x91, .wall_sec = 5, .wall_nsec = 6 };

static size_t two_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	out[0] = (struct trace_frame){ key, "f", "a.go", 10 };
	out[1] = (struct trace_frame){ key + 1, "main", "a.go", 20 };
	return 2;
}

static struct tracefile *begin(int version, int *fd)
{
	struct tracefile_opts opts = { .version = version, .frames = two_frames };
	struct tracefile *tf = NULL;
	struct error err;

	*fd = memfd_create("trace", MFD_CLOEXEC);
	CHECK_EQ(tracefile_new(&tf, *fd, &opts, &err), 0);
	return tf;
}

static struct buf content(int fd)
{
	struct buf b = {0};
	size_t n = (size_t)lseek(fd, 0, SEEK_END);

	buf_reserve(&b, n + 1);
	b.len = (size_t)pread(fd, b.data, n, 0);
	return b;
}

static void check_bytes(int fd, const uint8_t *want, size_t n)
{
	struct buf b = content(fd);
	size_t i;

	CHECK_EQ(b.len, n);
	for (i = 0; i < n && i < b.len; i++)
		if (b.data[i] != want[i]) {
			printf("# byte %zu is %02x, expected %02x\n", i, b.data[i], want[i]);
			unit_failures++;
			break;
		}
	buf_free(&b);
}

#define NO_M 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01

/* One generation: thread 7 blocks at time 0x100 for "r" with a stack of two frames. */
static void write_small(struct tracefile *tf)
{
	struct trace_stream *s;
	struct error err;

	tracefile_gen_begin(tf);
	s = tracefile_stream(tf, 7);
	trace_emit(s, 0x100, EV_GoStart, 1, 1);
	trace_emit(s, 0x103, EV_GoBlock, tracefile_string(tf, "r"), tracefile_stack(tf, 0x40));
	CHECK_EQ(tracefile_gen_end(tf, &CLOCK, &err), 0);
}

/* What is the same under every header: the tables and the one batch of events. */
#define STACKS 0x01, 0x01, NO_M, 0x80, 0x02, 12,                                         \
	0x02, 0x03, 0x01, 0x02, 0x40, 0x02, 0x03, 10, 0x41, 0x04, 0x03, 20
#define STRINGS 0x01, 0x01, NO_M, 0x80, 0x02, 23,                                        \
	0x04, 0x05, 0x01, 0x01, 'r', 0x05, 0x02, 0x01, 'f', 0x05, 0x03, 0x04, 'a', '.', 'g', 'o', \
	0x05, 0x04, 0x04, 'm', 'a', 'i', 'n'
#define EVENTS 0x01, 0x01, 0x07, 0x80, 0x02, 8,                                          \
	0x10, 0x00, 0x01, 0x01, 0x14, 0x03, 0x01, 0x01
#define FREQUENCY 0x08, 0x80, 0x94, 0xeb, 0xdc, 0x03

static void header_22_and_23_begin_with_a_frequency(void)
{
	static const uint8_t want[] = {
		'g', 'o', ' ', '1', '.', '2', '2', ' ', 't', 'r', 'a', 'c', 'e', 0, 0, 0,
		0x01, 0x01, NO_M, 0x90, 0x01, 6, FREQUENCY,
		STACKS, STRINGS, EVENTS,
	};
	uint8_t want_23[sizeof(want)];
	struct tracefile *tf;
	int fd;

	tf = begin(22, &fd);
	write_small(tf);
	check_bytes(fd, want, sizeof(want));
	tracefile_free(tf);
	close(fd);
	memcpy(want_23, want, sizeof(want));
	want_23[6] = '3';
	tf = begin(23, &fd);
	write_small(tf);
	check_bytes(fd, want_23, sizeof(want));
	tracefile_free(tf);
	close(fd);
}

static void header_25_has_a_sync_with_both_clocks(void)
{
	static const uint8_t want[] = {
		'g', 'o', ' ', '1', '.', '2', '5', ' ', 't', 'r', 'a', 'c', 'e', 0, 0, 0,
		0x01, 0x01, NO_M, 0x90, 0x01, 13, 0x32, FREQUENCY, 0x33, 0x00, 0x91, 0x01, 5, 6,
		STACKS, STRINGS, EVENTS,
	};
	struct tracefile *tf;
	int fd;

	tf = begin(25, &fd);
	write_small(tf);
	check_bytes(fd, want, sizeof(want));
	CHECK_EQ(tracefile_counts(tf)->bytes, sizeof(want));
	CHECK_EQ(tracefile_counts(tf)->generations, 1);
	CHECK_EQ(tracefile_counts(tf)->events[EV_GoBlock], 1);
	tracefile_free(tf);
	close(fd);
}

static void header_26_ends_each_generation(void)
{
	static const uint8_t want[] = {
		'g', 'o', ' ', '1', '.', '2', '6', ' ', 't', 'r', 'a', 'c', 'e', 0, 0, 0,
		0x01, 0x01, NO_M, 0x90, 0x01, 13, 0x32, FREQUENCY, 0x33, 0x00, 0x91, 0x01, 5, 6,
		STACKS, STRINGS, EVENTS, 0x34,
	};
	struct tracefile *tf;
	int fd;

	tf = begin(26, &fd);
	write_small(tf);
	check_bytes(fd, want, sizeof(want));
	tracefile_free(tf);
	close(fd);
}

static void there_are_no_other_headers(void)
{
	static const int versions[] = { 0, 21, 24, 27 };
	struct tracefile_opts opts = {0};
	struct tracefile *tf = NULL;
	struct error err;
	size_t i;

	for (i = 0; i < 4; i++) {
		opts.version = versions[i];
		CHECK_EQ(tracefile_new(&tf, 1, &opts, &err), -EINVAL);
	}
}

static uint64_t uv(const uint8_t **p)
{
	uint64_t v = 0;
	int shift = 0;

	do
		v |= (uint64_t)(**p & 0x7f) << shift, shift += 7;
	while (*(*p)++ & 0x80);
	return v;
}

struct batch {
	uint64_t gen, m, time, size;
	const uint8_t *body;
};

static const uint8_t *next_batch(const uint8_t *p, struct batch *b)
{
	CHECK_EQ(*p, EV_EventBatch);
	p++;
	b->gen = uv(&p);
	b->m = uv(&p);
	b->time = uv(&p);
	b->size = uv(&p);
	b->body = p;
	return p + b->size;
}

static void batches_end_before_64_kib(void)
{
	struct tracefile *tf;
	struct trace_stream *s;
	struct error err;
	struct batch b;
	struct buf all;
	const uint8_t *p, *end;
	uint64_t i, events = 0, time = 0;
	int fd, batches = 0;

	tf = begin(25, &fd);
	tracefile_gen_begin(tf);
	s = tracefile_stream(tf, 7);
	for (i = 0; i < 40000; i++)
		trace_emit(s, 1000 + i * 5, EV_GoUnblock, UINT64_MAX - i, 1, 0);
	CHECK(*tracefile_gen_size(tf) > 65536);
	CHECK_EQ(tracefile_gen_end(tf, &CLOCK, &err), 0);
	all = content(fd);
	end = all.data + all.len;
	for (p = all.data + 16; p < end;) {
		p = next_batch(p, &b);
		CHECK(b.size <= TRACEV2_MAX_BATCH);
		if (b.m != 7)
			continue;
		batches++;
		CHECK(b.size > TRACEV2_MAX_BATCH - 100 || p == end);
		time = b.time;
		while (b.body < p) {
			CHECK_EQ(*b.body++, EV_GoUnblock);
			time += uv(&b.body);
			CHECK_EQ(time, 1000 + events * 5);
			CHECK_EQ(uv(&b.body), UINT64_MAX - events);
			uv(&b.body);
			uv(&b.body);
			events++;
		}
	}
	CHECK_EQ(events, 40000);
	CHECK(batches > 7);
	buf_free(&all);
	tracefile_free(tf);
	close(fd);
}

/* A million log events may have a million texts of a kilobyte. */
static void texts_and_stacks_count_for_the_size_of_a_generation(void)
{
	enum { TEXTS = 500, STACKS_USED = 500 };
	char text[1000];
	struct tracefile *tf;
	struct error err;
	size_t before;
	uint64_t i;
	int fd;

	tf = begin(25, &fd);
	tracefile_gen_begin(tf);
	memset(text, 'x', sizeof(text));
	for (i = 0; i < TEXTS; i++) {
		memcpy(text, &i, sizeof(i));
		tracefile_bytes(tf, text, sizeof(text));
		tracefile_bytes(tf, text, sizeof(text));	/* known by now */
	}
	before = *tracefile_gen_size(tf);
	CHECK(before >= TEXTS * sizeof(text));
	CHECK(before <= TEXTS * (sizeof(text) + 128));
	for (i = 0; i < STACKS_USED; i++)
		tracefile_stack(tf, i + 1);
	before = *tracefile_gen_size(tf);
	CHECK(before >= TEXTS * sizeof(text) + STACKS_USED * 100);
	trace_emit(tracefile_stream(tf, 1), 5, EV_GoStart, 1, 1);
	CHECK_EQ(tracefile_gen_end(tf, &CLOCK, &err), 0);
	tracefile_gen_begin(tf);
	CHECK_EQ(*tracefile_gen_size(tf), 0);
	tracefile_free(tf);
	close(fd);
}

/* A text of one byte takes a hundred bytes of memory. */
static void short_texts_count_with_what_it_takes_to_keep_them(void)
{
	enum { TEXTS = 10000 };
	struct tracefile *tf;
	uint64_t i;
	int fd;

	tf = begin(25, &fd);
	tracefile_gen_begin(tf);
	for (i = 1; i <= TEXTS; i++)
		tracefile_bytes(tf, (const char *)&i, 2);
	CHECK(*tracefile_gen_size(tf) > TEXTS * 64);
	tracefile_free(tf);
	close(fd);
}

static size_t long_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	size_t i;

	for (i = 0; i < max; i++)
		out[i] = (struct trace_frame){ UINT64_MAX - i, "function", "file", UINT64_MAX };
	return max;
}

static void tables_are_split_between_records(void)
{
	struct tracefile_opts opts = { .version = 25, .frames = long_frames };
	struct tracefile *tf;
	struct error err;
	struct batch b;
	struct buf all;
	char text[1100];
	const uint8_t *p, *end;
	uint64_t i, strings = 0, stacks = 0;
	int fd = memfd_create("trace", MFD_CLOEXEC);

	CHECK_EQ(tracefile_new(&tf, fd, &opts, &err), 0);
	tracefile_gen_begin(tf);
	memset(text, 'x', sizeof(text));
	text[1000] = 0;
	for (i = 0; i < 200; i++) {
		text[0] = (char)('A' + i % 64);
		text[1] = (char)('A' + i / 64);
		CHECK_EQ(tracefile_string(tf, text), i + 1);
		CHECK_EQ(tracefile_stack(tf, i + 1), i + 1);
	}
	trace_emit(tracefile_stream(tf, 1), 5, EV_GoStart, 1, 1);
	CHECK_EQ(tracefile_gen_end(tf, &CLOCK, &err), 0);
	all = content(fd);
	end = all.data + all.len;
	for (p = all.data + 16; p < end;) {
		p = next_batch(p, &b);
		CHECK(b.size <= TRACEV2_MAX_BATCH);
		if (*b.body == EV_Strings)
			for (b.body++; b.body < p; strings++) {
				CHECK_EQ(*b.body++, EV_String);
				uv(&b.body);
				i = uv(&b.body);
				CHECK(i <= TRACEV2_MAX_STRING);
				b.body += i;
			}
		else if (*b.body == EV_Stacks)
			for (b.body++; b.body < p; stacks++) {
				CHECK_EQ(*b.body++, EV_Stack);
				uv(&b.body);
				for (i = uv(&b.body) * 4; i--;)
					uv(&b.body);
			}
	}
	CHECK_EQ(stacks, 200);
	CHECK_EQ(strings, 202);
	CHECK_EQ(tracefile_counts(tf)->stacks, 200);
	buf_free(&all);
	tracefile_free(tf);
	close(fd);
}

/* Deep stacks take more than the estimate of the first generation: the next ones count what these took. */
static void stacks_count_with_what_earlier_ones_took(void)
{
	enum { STACKS_USED = 300 };
	struct tracefile_opts opts = { .version = 25, .frames = long_frames };
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct tracefile *tf;
	struct error err;
	uint64_t i, took;

	CHECK_EQ(tracefile_new(&tf, fd, &opts, &err), 0);
	tracefile_gen_begin(tf);
	for (i = 1; i <= STACKS_USED; i++)
		tracefile_stack(tf, i);
	trace_emit(tracefile_stream(tf, 1), 5, EV_GoStart, 1, 1);
	CHECK_EQ(tracefile_gen_end(tf, &CLOCK, &err), 0);
	took = tracefile_counts(tf)->bytes;
	CHECK(took > STACKS_USED * 1000);
	tracefile_gen_begin(tf);
	for (i = 1; i <= STACKS_USED; i++)
		tracefile_stack(tf, i);
	CHECK(*tracefile_gen_size(tf) > took * 9 / 10);
	CHECK(*tracefile_gen_size(tf) < took * 11 / 10);
	tracefile_free(tf);
	close(fd);
}

static void a_generation_without_events_is_left_out(void)
{
	struct tracefile *tf;
	struct error err;
	struct batch b;
	struct buf all;
	int fd;

	tf = begin(25, &fd);
	tracefile_gen_begin(tf);
	tracefile_string(tf, "unused");
	CHECK_EQ(tracefile_gen_end(tf, &CLOCK, &err), 0);
	all = content(fd);
	CHECK_EQ(all.len, 16);
	buf_free(&all);
	write_small(tf);
	all = content(fd);
	next_batch(all.data + 16, &b);
	CHECK_EQ(b.gen, 1);	/* numbers have no gap */
	CHECK_EQ(tracefile_counts(tf)->generations, 1);
	buf_free(&all);
	tracefile_free(tf);
	close(fd);
}

static void ids_begin_anew_with_each_generation(void)
{
	struct tracefile *tf;
	struct error err;
	int fd;

	tf = begin(25, &fd);
	tracefile_gen_begin(tf);
	CHECK_EQ(tracefile_string(tf, "a"), 1);
	CHECK_EQ(tracefile_string(tf, "b"), 2);
	CHECK_EQ(tracefile_string(tf, "a"), 1);
	CHECK_EQ(tracefile_string(tf, ""), 0);
	CHECK_EQ(tracefile_string(tf, NULL), 0);
	CHECK_EQ(tracefile_stack(tf, 77), 1);
	CHECK_EQ(tracefile_stack(tf, 0), 0);
	trace_emit(tracefile_stream(tf, 1), 5, EV_GoStart, 1, 1);
	CHECK_EQ(tracefile_gen_end(tf, &CLOCK, &err), 0);
	tracefile_gen_begin(tf);
	CHECK_EQ(tracefile_string(tf, "b"), 1);
	CHECK_EQ(tracefile_stack(tf, 78), 1);
	tracefile_free(tf);
	close(fd);
}

static void times_of_a_thread_never_go_back(void)
{
	struct tracefile *tf;
	struct trace_stream *s;
	struct error err;
	struct buf all;
	int fd;

	tf = begin(23, &fd);
	tracefile_gen_begin(tf);
	s = tracefile_stream(tf, 7);
	trace_emit(s, 0x100, EV_GoStart, 1, 1);
	trace_emit(s, 0x90, EV_GoUnblock, 2, 1, 0);
	CHECK_EQ(tracefile_gen_end(tf, &CLOCK, &err), 0);
	all = content(fd);
	CHECK_EQ(all.data[all.len - 4], 0);	/* dt of the second event */
	buf_free(&all);
	tracefile_free(tf);
	close(fd);
}

/* A disk of 40,000 bytes: a limit on the file's size has the same effect. */
static void a_write_error_leaves_whole_generations(void)
{
	struct rlimit old, small;
	char path[] = "/tmp/gotap-trace-XXXXXX";
	struct tracefile_opts opts = { .version = 25, .name = path };
	struct tracefile *tf;
	struct trace_stream *s;
	struct error err = {0};
	uint64_t whole = 0, i, gen;
	int fd = mkstemp(path), r = 0;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){ 40000, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	CHECK_EQ(tracefile_new(&tf, fd, &opts, &err), 0);
	for (gen = 0; gen < 10 && !r; gen++) {
		whole = tracefile_counts(tf)->bytes;
		tracefile_gen_begin(tf);
		s = tracefile_stream(tf, 1);
		for (i = 0; i < 3000; i++)
			trace_emit(s, 5 + i, EV_GoStart, 1, 1);
		r = tracefile_gen_end(tf, &CLOCK, &err);
	}
	setrlimit(RLIMIT_FSIZE, &old);
	CHECK_EQ(r, -EFBIG);
	CHECK(strstr(err.text, path));
	CHECK(gen > 2);
	CHECK_EQ(lseek(fd, 0, SEEK_END), whole);
	CHECK_EQ(tracefile_counts(tf)->bytes, whole);
	CHECK_EQ(tracefile_counts(tf)->generations, gen - 1);
	tracefile_free(tf);
	close(fd);
	unlink(path);
}

static void an_experiment_has_batches_of_its_own(void)
{
	static const uint8_t body[] = { 1, 2, 3 };
	/* exp, gen, m (ten bytes: -1), time, size, body */
	static const uint8_t want[] = { EV_ExperimentalBatch, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 1, 7, 3, 1, 2, 3 };
	struct tracefile_opts opts = { .version = 25 };
	struct tracefile *tf;
	struct error err;
	struct buf all;
	int fd = memfd_create("trace", MFD_CLOEXEC);

	CHECK_EQ(tracefile_new(&tf, fd, &opts, &err), 0);
	tracefile_gen_begin(tf);
	tracefile_experiment(tf, 1, TRACEV2_NO_ID, 7, body, sizeof(body));
	trace_emit(tracefile_stream(tf, 1), 8, EV_SpanFree, 4);
	CHECK_EQ(tracefile_gen_end(tf, &CLOCK, &err), 0);
	all = content(fd);
	CHECK(memmem(all.data, all.len, want, sizeof(want)));
	buf_free(&all);
	tracefile_free(tf);
	close(fd);
}

/* Bytes that malloc() has given out. */
static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void generation(struct tracefile *tf, uint64_t threads, int events)
{
	struct error err;
	uint64_t m;
	int i;

	tracefile_gen_begin(tf);
	for (m = 1; m <= threads; m++)
		for (i = 0; i < events; i++)
			trace_emit(tracefile_stream(tf, m), 1000 + (uint64_t)i, EV_GoStart, 1ULL << 40, 1ULL << 40);
	CHECK_EQ(tracefile_gen_end(tf, &CLOCK, &err), 0);
}

/*
 * The memory for the largest generation, and for the buffers of threads that write no more, is given back while the
 * recording goes on.
 */
static void the_room_of_a_burst_goes(void)
{
	struct tracefile_opts opts = { .version = 26, .frames = two_frames };
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC), i;
	struct tracefile *tf = NULL;
	struct error err;
	size_t before = in_use();

	CHECK_EQ(tracefile_new(&tf, fd, &opts, &err), 0);
	generation(tf, 100, 3000);
	CHECK(in_use() > before + 3000000);
	for (i = 0; i < 100; i++)
		generation(tf, 1, 10);
	CHECK(in_use() < before + 300000);
	generation(tf, 2, 30000);
	tracefile_free(tf);
	close(fd);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(header_22_and_23_begin_with_a_frequency),
		UNIT(header_25_has_a_sync_with_both_clocks),
		UNIT(header_26_ends_each_generation),
		UNIT(there_are_no_other_headers),
		UNIT(batches_end_before_64_kib),
		UNIT(texts_and_stacks_count_for_the_size_of_a_generation),
		UNIT(short_texts_count_with_what_it_takes_to_keep_them),
		UNIT(tables_are_split_between_records),
		UNIT(stacks_count_with_what_earlier_ones_took),
		UNIT(a_generation_without_events_is_left_out),
		UNIT(ids_begin_anew_with_each_generation),
		UNIT(times_of_a_thread_never_go_back),
		UNIT(an_experiment_has_batches_of_its_own),
		UNIT(a_write_error_leaves_whole_generations),
		UNIT(the_room_of_a_burst_goes),
		{0} });
}
