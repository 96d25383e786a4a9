// SPDX-License-Identifier: Apache-2.0
/* oncpu: stays of goroutines on threads, split by the states of the threads, from a trace and a file of threads. */
#define _GNU_SOURCE
#include "unit.h"

#include <malloc.h>

#include "oncpu_story.h"

enum { FUTEX = 202, FAULT = -1, SYSTEM_CALL = 17 };

static const char calls[] =
	"batch\nStrings\nString id=1\n\tdata=\"main.f\"\nString id=2\n\tdata=\"x.go\"\n"
	"batch\nStacks\nStack id=1 nframes=1\n\tpc=16 func=1 file=2 line=11\n"
	TRACE_TEXT_CALLS;

static struct buf shown;

/* "g1 Running 3-5: on_cpu 3-4, queued 4-5 by other": times count from the first event. */
static void show_span(void *ctx, const struct span *span)
{
	struct oncpu *o = ctx;
	size_t i, n;
	const struct oncpu_part *parts;

	if (span->state != GO_RUNNING && span->state != GO_SYSCALL)
		return;
	parts = oncpu_parts(o, span->m, span->from, span->to, &n);
	buf_printf(&shown, "g%lu %s %ld-%ld:", span->g->id, go_state_name(span->state), span->from - 1000, span->to - 1000);
	for (i = 0; i < n; i++)
		buf_printf(&shown, "%s %s %ld-%ld%s%s", i ? "," : "", thread_state_name(parts[i].state), parts[i].from - 1000,
			   parts[i].to - 1000, parts[i].queued ? " by " : "", parts[i].queued ? parts[i].by.comm : "");
	buf_printf(&shown, "\n");
}

/* The trace of @text beside the file of @s; frees the latter. */
static const char *split(struct thread_story *s, const char *text, bool *matches)
{
	struct oncpu_story both;

	shown.len = 0;
	oncpu_story_open(&both, s);
	CHECK_EQ(oncpu_info(both.oncpu)->pid, 77);
	spans_visit(both.spans, &(struct spans_visitor){ .ctx = both.oncpu, .span = show_span });
	oncpu_story_read(&both, text);
	*matches = oncpu_matches(both.oncpu);
	CHECK_EQ(oncpu_dropped(both.oncpu), 0);
	oncpu_story_close(&both, s);
	buf_add_byte(&shown, 0);
	return (const char *)shown.data;
}

static void parts_of_each_span(void)
{
	struct thread_story s;
	bool matches;

	thread_story_begin(&s);
	thread_on(&s, 1, 990, 0);
	thread_off(&s, 1, 1003, REC_OFF_RUNNABLE, FAULT);
	thread_on(&s, 1, 1004, 0);
	thread_off(&s, 1, 1007, REC_OFF_SLEEP, FUTEX);
	thread_wake(&s, 1, 1008);
	thread_on(&s, 1, 1009, 0);
	thread_off(&s, 1, 1011, REC_OFF_IO, FAULT);
	thread_wake(&s, 1, 1013);
	thread_on(&s, 1, 1014, 0);
	thread_off(&s, 1, 1016, REC_OFF_IO, SYSTEM_CALL);
	thread_wake(&s, 1, 1026);
	thread_on(&s, 1, 1028, 0);
	thread_story_end(&s, 1040);
	CHECK_STR(split(&s, calls, &matches),
	       "g1 Running 0-5: on_cpu 0-3, queued 3-4 by other, on_cpu 4-5\n"
	       "g1 Syscall 5-10: on_cpu 5-7, sleeping 7-8, queued 8-9 by waker, on_cpu 9-10\n"
	       "g1 Running 10-15: on_cpu 10-11, page_fault 11-13, queued 13-14 by waker, on_cpu 14-15\n"
	       "g1 Syscall 15-30: on_cpu 15-16, io 16-26, queued 26-28 by waker, on_cpu 28-30\n");
	CHECK(matches);
}

/* A thread that has records for a part of the time only, and one that has none. */
static void no_record_is_unknown(void)
{
	struct thread_story s;
	bool matches;

	thread_story_begin(&s);
	thread_on(&s, 2, 1000, 0);
	thread_off(&s, 2, 1003, REC_OFF_SLEEP, FUTEX);
	thread_story_end(&s, 1012);
	CHECK_STR(split(&s, calls, &matches),
	       "g1 Running 0-5: unknown 0-5\n"
	       "g1 Syscall 5-10: unknown 5-10\n"
	       "g1 Running 10-15: unknown 10-15\n"
	       "g1 Syscall 15-30: unknown 15-30\n");
}

static void times_of_another_recording(void)
{
	struct thread_story s;
	bool matches;

	thread_story_begin(&s);
	thread_on(&s, 1, 990, 0);
	thread_story_end(&s, 995);
	CHECK_STR(split(&s, "batch m=1 time=9000000000\n"
		     "ProcStatus dt=1 p=0 pstatus=1\n"
		     "GoStatus dt=1 g=1 m=1 gstatus=2\n", &matches),
	       "g1 Running 0-8999999003: unknown 0-8999999003\n");
	CHECK(!matches);
}

/* The time of day at time 0 of the traces of trace_text.h. */
static const uint64_t WALL = 1700000000ULL * 1000000000 + 5 - 1000;

/* A file with the times of the trace, whose time of day differs by @ns from the trace's. */
static bool split_with_clock(int64_t ns, const char **text)
{
	struct thread_story s;
	bool matches;

	thread_story_begin(&s);
	threads_writer_clock(s.writer, 500, 500 + WALL + (uint64_t)ns);
	thread_on(&s, 1, 990, 0);
	thread_story_end(&s, 1040);
	*text = split(&s, calls, &matches);
	return matches;
}

static void times_of_another_boot(void)
{
	const char *text;

	CHECK(split_with_clock(0, &text));
	CHECK(strstr(text, "g1 Running 0-5: on_cpu 0-5\n"));
	CHECK(split_with_clock(900000000, &text));
	CHECK(!split_with_clock(1100000000, &text));
	CHECK(!strstr(text, "on_cpu"));
	CHECK(!split_with_clock(-1100000000, &text));
	CHECK(!strstr(text, "on_cpu"));
}

/* A file that begins 150 ms after the trace is of another recording, though it has most of the trace's time. */
static void a_later_recording(void)
{
	struct thread_story s;
	bool matches;

	thread_story_begin_at(&s, 150000000);
	thread_on(&s, 1, 150000001, 0);
	thread_story_end(&s, 9000000000);
	CHECK_STR(split(&s, "batch m=1 time=9000000000\n"
		     "ProcStatus dt=1 p=0 pstatus=1\n"
		     "GoStatus dt=1 g=1 m=1 gstatus=2\n", &matches),
	       "g1 Running 0-8999999003: unknown 0-8999999003\n");
	CHECK(!matches);
}

/* A file of the same time, without the threads of the trace. */
static void another_program(void)
{
	struct thread_story s;
	bool matches;

	thread_story_begin(&s);
	thread_on(&s, 3, 1000, 0);
	thread_story_end(&s, 1040);
	split(&s, calls, &matches);
	CHECK(!matches);
}

/* The trace has only gotap's stand-in, a goroutine on thread 0: no thread of it can be in the file. */
static void an_idle_program(void)
{
	struct thread_story s;
	bool matches;

	thread_story_begin(&s);
	thread_story_end(&s, 1040);
	split(&s, "batch m=0\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=0 gstatus=2\nGoDestroy dt=3\n", &matches);
	CHECK(matches);
}

/*
 * A thread with more stays than oncpu keeps, all in one question: the stays that it drops are unknown, and no other
 * time is.
 */
static void parts_without_room(void)
{
	struct thread_story s;
	struct oncpu_story both;
	int64_t ns[THREAD_STATES] = {0};
	const struct oncpu_part *parts;
	uint64_t i, n = 2 * ONCPU_PARTS_MAX;
	size_t k, nparts;

	thread_story_begin(&s);
	for (i = 0; i < n; i++) {
		thread_on(&s, 1, 1000 + 2 * i, 0);
		thread_off(&s, 1, 1001 + 2 * i, REC_OFF_SLEEP, FUTEX);
	}
	thread_story_end(&s, 1000 + 2 * n);
	oncpu_story_open(&both, &s);
	parts = oncpu_parts(both.oncpu, 1, 1000, (int64_t)(1000 + 2 * n), &nparts);
	for (k = 0; k < nparts; k++)
		ns[parts[k].state] += parts[k].to - parts[k].from;
	CHECK(oncpu_dropped(both.oncpu) >= ONCPU_PARTS_MAX);
	CHECK_EQ(ns[THREAD_UNKNOWN] + ns[THREAD_RUNNING] + ns[THREAD_SLEEPING] + ns[THREAD_QUEUED], 2 * n);
	CHECK(ns[THREAD_UNKNOWN] >= (int64_t)oncpu_dropped(both.oncpu) - 2);
	oncpu_story_close(&both, &s);
}

static void add_parts(void *ctx, const struct span *span)
{
	size_t n;

	if (span->state == GO_RUNNING || span->state == GO_SYSCALL)
		oncpu_parts(ctx, span->m, span->from, span->to, &n);
}

/*
 * 20,000 threads, one after the other, and a trace of that time: oncpu keeps no states of threads that ended before the
 * span that it splits.
 */
static void threads_that_ended(void)
{
	enum { THREADS = 20000, STEP = 1000000 };
	struct buf text = {0}, bytes;
	struct thread_story s;
	struct oncpu_story both;
	struct trace_reader *r;
	struct error err;
	size_t before;
	uint32_t i;

	thread_story_begin(&s);
	for (i = 0; i < THREADS; i++) {
		thread_on(&s, 1000 + i, 1000 + (uint64_t)i * STEP, 0);
		thread_off(&s, 1000 + i, 1000 + (uint64_t)i * STEP + STEP / 2, REC_OFF_DEAD, FUTEX);
	}
	thread_story_end(&s, 1000 + (uint64_t)THREADS * STEP);
	buf_printf(&text, "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n");
	for (i = 1; i < THREADS / 10; i++)
		buf_printf(&text, "GoSyscallBegin dt=%d p_seq=%u stack=0\nGoSyscallEnd dt=%d\n", 5 * STEP, i, 5 * STEP);
	buf_add_byte(&text, 0);
	r = trace_of_text((const char *)text.data, &bytes);
	oncpu_story_open(&both, &s);
	spans_visit(both.spans, &(struct spans_visitor){ .ctx = both.oncpu, .span = add_parts });
	before = mallinfo2().uordblks;
	CHECK(!spans_read(both.spans, r, &err));
	CHECK(mallinfo2().uordblks - before < 4 << 20);
	CHECK(!oncpu_finish(both.oncpu, &err));
	CHECK_EQ(oncpu_dropped(both.oncpu), 0);
	trace_reader_close(r);
	oncpu_story_close(&both, &s);
	buf_free(&bytes);
	buf_free(&text);
}

int main(void)
{
	static const struct unit_case cases[] = {
		UNIT(parts_of_each_span),
		UNIT(no_record_is_unknown),
		UNIT(times_of_another_recording),
		UNIT(times_of_another_boot),
		UNIT(a_later_recording),
		UNIT(another_program),
		UNIT(an_idle_program),
		UNIT(parts_without_room),
		UNIT(threads_that_ended),
		{0},
	};
	int r = unit_main(cases);

	buf_free(&shown);
	return r;
}
