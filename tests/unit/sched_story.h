/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_story: records in, events out, as text: the frame of unit tests of the
 * model. What the trace says of a story is "thread:Event arguments" in order of
 * time, without strings and stacks; "/" begins another generation. Statuses are
 * compared apart, sorted, because they come in no particular order.
 */
#ifndef GOTAP_TESTS_SCHED_STORY_H
#define GOTAP_TESTS_SCHED_STORY_H

#include "unit.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"
#include "release/release.h"
#include "sched/model.h"
#include "trace/v2_sink.h"

/* --- the trace as text --- */

static const struct spec {
	const char *name, *args;
	unsigned int stacks, strings;
} specs[256] = {
#define EV(number, name, version, class, args, stacks, strings) [number] = { #name, args, stacks, strings },
#include "tracev2.def"
#undef EV
};

struct line {
	uint64_t gen, time;
	char text[80];
};

static uint64_t uv(const uint8_t **p)
{
	uint64_t v = 0;
	int shift = 0;

	do
		v |= (uint64_t)(**p & 0x7f) << shift, shift += 7;
	while (*(*p)++ & 0x80);
	return v;
}

static int args_of(const struct spec *s)
{
	const char *c;
	int n = s->args[0] != 0;

	for (c = s->args; *c; c++)
		n += *c == ' ';
	return n;
}

static void decode_event(const uint8_t **p, uint64_t m, struct line *l)
{
	const struct spec *s = &specs[*(*p)++];
	int i, n = args_of(s), at;

	l->time += uv(p);
	at = snprintf(l->text, sizeof(l->text), "%lld:%s", (long long)m, s->name);
	for (i = 1; i < n; i++) {
		long long v = (long long)uv(p);

		if (!(s->stacks >> i & 1) && !(s->strings >> i & 1))
			at += snprintf(l->text + at, sizeof(l->text) - (size_t)at, " %lld", v);
	}
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = compare(x->gen, y->gen);

	return c ? c : compare(x->time, y->time);
}

static int by_text(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = compare(x->gen, y->gen);

	return c ? c : strcmp(x->text, y->text);
}

static void decode(int trace, struct vec *lines, bool statuses)
{
	size_t n = (size_t)lseek(trace, 0, SEEK_END), size;
	uint8_t *data = calloc(1, n + 1);
	const uint8_t *p = data + 16, *end = data + pread(trace, data, n, 0);

	while (p < end && (*p == EV_EventBatch || *p == EV_ExperimentalBatch)) {
		bool experiment = *p++ == EV_ExperimentalBatch && p++;
		struct line l = { .gen = uv(&p) };
		uint64_t m = uv(&p);
		const uint8_t *stop;

		l.time = uv(&p);
		size = uv(&p);
		stop = p + size;
		if (experiment || *p == EV_Stacks || *p == EV_Strings || *p == EV_Sync || *p == EV_Frequency)
			p = stop;
		while (p < stop) {
			decode_event(&p, m, &l);
			if (!strstr(l.text, "Status") == !statuses)
				*(struct line *)vec_push(lines, sizeof(l)) = l;
		}
	}
	free(data);
}

static void check_text(int trace, bool statuses, const char *want)
{
	struct vec lines = {0};
	struct buf text = {0};
	uint64_t gen = 1;
	size_t i;

	decode(trace, &lines, statuses);
	if (lines.len)
		qsort(lines.data, lines.len, sizeof(struct line), statuses ? by_text : by_time);
	for (i = 0; i < lines.len; i++) {
		const struct line *l = vec_at(&lines, struct line, i);

		buf_printf(&text, "%s%s%s", i ? ", " : "", l->gen == gen ? "" : "/ ", l->text);
		gen = l->gen;
	}
	buf_add_byte(&text, 0);
	CHECK_STR((char *)text.data, want);
	vec_free(&lines);
	buf_free(&text);
}

/* --- a story --- */

enum { P0 = 0x1000, P1 = 0x2000, GEN_NS = 1000 };

static struct v2_sink *trace;
static struct observers observers;	/* of the trace; none after open_trace() */
static struct model *model;
static uint64_t now;
static int fd;

static void open_trace(int version)
{
	struct tracefile_opts opts = { .version = version };
	struct error err;

	fd = memfd_create("trace", MFD_CLOEXEC);
	observers = (struct observers){0};
	CHECK_EQ(v2_sink_new(&trace, fd, &opts, &observers, &err), 0);
}

static void begin_into(struct sink sink, int minor, int version, bool notes)
{
	struct model_opts opts = { .minor = minor, .version = version, .gen_ns = GEN_NS,
				   .gen_bytes = 1 << 20, .notes = notes };

	model = model_new(sink, &opts);
	now = 100000;
}

static void begin_as(int minor, int version, bool notes)
{
	open_trace(version);
	begin_into(v2_sink(trace), minor, version, notes);
}

static inline void begin(int minor, int version)
{
	begin_as(minor, version, false);
}

static inline void begin_with_notes(int minor, int version)
{
	begin_as(minor, version, true);
}

static void put(uint8_t kind, uint8_t sub, uint32_t tid, uint64_t id, uint64_t ptr, uint64_t stack,
		uint64_t arg)
{
	struct rec_long l = {
		.r = { .time = now, .tid = tid, .kind = kind, .sub = sub, .id = id, .ptr = ptr },
		.stack = stack, .arg = arg,
	};
	struct error err = {0};

	now += 10;
	CHECK_EQ(model_record(model, &l.r, &err), 0);
}

static inline void go(uint8_t kind, uint32_t tid, uint64_t goid)
{
	put(kind, 0, tid, goid, 0x9000 + goid, 0, 0);
}

static inline void proc(uint8_t kind, uint32_t tid, uint64_t id)
{
	put(kind, 0, tid, id, id ? P1 : P0, 0, 0);
}

/* Two Ps; thread 7 runs goroutine 1 on P 0; 2 waits, 3 is runnable. */
static void snapshot(void)
{
	put(REC_SNAP_P_NAME, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_P_NAME, 0, 0, 1, P1, 0, 0);
	put(REC_SNAP_G, 2, 7, 1, 0x9001, 0, 0);
	put(REC_SNAP_G, 4, 0, 2, 0x9002, 0, 0);
	put(REC_SNAP_G, 1, 0, 3, 0x9003, 0, 0);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_P, 0, 0, 1, P1, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
}

/* The number of the waitReason of Go 1.27 with this text. */
static inline uint8_t reason_number(const char *reason)
{
	unsigned int i;
	const char *text;

	for (i = 0; i < 256; i++) {
		text = release_block_reason(27, i);
		if (text && !strcmp(text, reason))
			return (uint8_t)i;
	}
	CHECK(!"no such reason");
	return 0;
}

/* A goroutine of a snapshot that waits. */
static inline void snap_waiting(uint64_t goid, const char *why, uint64_t stack, uint64_t start_pc)
{
	struct rec_snap_g g = {
		.r = { .time = now, .kind = REC_SNAP_G, .sub = 4, .flags = reason_number(why), .id = goid, .ptr = 0x9000 + goid },
		.stack = stack, .start_pc = start_pc,
	};
	struct error err;

	CHECK_EQ(model_record(model, &g.r, &err), 0);
}

static uint64_t repairs(void)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < REPAIR_KINDS; i++)
		n += model_counts(model)->repairs[i];
	return n;
}

static void end_story(void)
{
	model_free(model);
	v2_sink_free(trace);
	close(fd);
}

/* Ends the story. @statuses may be NULL. */
static inline void check_story(const char *statuses, const char *want, uint64_t want_repairs)
{
	struct error err;

	CHECK_EQ(model_finish(model, 0, &err), 0);
	if (statuses)
		check_text(fd, true, statuses);
	check_text(fd, false, want);
	CHECK_EQ(repairs(), want_repairs);
	end_story();
}

#endif
