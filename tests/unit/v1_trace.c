// SPDX-License-Identifier: Apache-2.0
/*
 * v1_trace: what a reader gives besides its verdict: times,
 * rows, threads, stacks, strings, and the text form.
 */
#include "../v1/make.h"
#include "unit.h"

#include "v1/text.h"
#include "v1/trace.h"

#define FREQ "; Frequency 1000000000"

struct fixture {
	struct make file;
	struct v1_trace *t;
};

static int open_trace(struct fixture *f, int version, const char *text)
{
	struct error err;

	f->file = make_trace(version, text);
	if (!v1_trace_open(&f->t, f->file.data, f->file.len, &err))
		return 1;
	printf("# %s\n", err.text);
	unit_failures++;
	free(f->file.data);
	return 0;
}

static void close_trace(struct fixture *f)
{
	v1_trace_free(f->t);
	free(f->file.data);
}

static const struct v1_event *event_of(const struct fixture *f, size_t i)
{
	static struct v1_event found;
	const struct v1_event *ev;
	struct v1_iter it;

	memset(&found, 0, sizeof(found));
	v1_iter_init(&it, f->t);
	while ((ev = v1_iter_next(&it)) && i--)
		;
	CHECK(ev != NULL);
	if (ev)
		found = *ev;
	v1_iter_release(&it);
	return &found;
}

static void a_syscall_exit_moves_to_its_real_time(void)
{
	struct fixture f;

	if (!open_trace(&f, 7, "Batch 0 1000; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 1 1; GoSysCall 0; "
			"GoSysBlock; @10 GoStart 2 1; @10 GoBlock 0; @10 GoSysExit 1 2 1010"
			"; Frequency 500000000"))
		return;
	CHECK(event_of(&f, 3)->sys_blocks);
	CHECK_EQ(event_of(&f, 5)->type, V1_GO_SYSEXIT);
	CHECK_EQ(event_of(&f, 5)->row, V1_ROW_SYSCALL);
	CHECK_EQ(event_of(&f, 5)->time, 18);	/* 9 ticks of 2 ns */
	CHECK_EQ(event_of(&f, 6)->type, V1_GO_START);
	close_trace(&f);
}

/* In 1.5 the exit's number is that of an event written before it: the file's order decides. */
static void an_exit_of_1_5_follows_the_event_of_its_number(void)
{
	struct fixture f;

	if (!open_trace(&f, 5, "Batch 0 1 100; GoCreate 1 4096 0; GoCreate 2 4096 0; GoStart 1; "
			"GoSysCall 0; GoSysBlock; GoStart 2; GoBlock 0; GoSysExit 1 6 105; GoStart 1"
			"; Frequency 1000000000 0"))
		return;
	CHECK_EQ(event_of(&f, 5)->type, V1_GO_SYSEXIT);
	CHECK_EQ(event_of(&f, 4)->type, V1_GO_SYSBLOCK);
	close_trace(&f);
}

static void rows_of_unblocks(void)
{
	struct fixture f;

	if (!open_trace(&f, 7, "Batch 0 100; GoCreate 1 0 0; GoCreate 2 0 0; GoCreate 3 0 0; GoStart 2 1; "
			"GoBlockNet 0; GoStart 3 1; GoBlock 0; GoStart 1 1; GoUnblock 2 2 0; "
			"GoUnblock 3 2 0; GoBlock 0; GoStart 2 3; GoUnblock 1 2 0; TimerGoroutine 2"
			FREQ))
		return;
	CHECK_EQ(event_of(&f, 8)->row, V1_ROW_NETPOLL);
	CHECK_EQ(event_of(&f, 9)->row, V1_ROW_P);
	CHECK_EQ(event_of(&f, 12)->row, V1_ROW_TIMER);
	close_trace(&f);
}

static void threads_follow_proc_starts(void)
{
	const struct v1_event *ev;
	struct v1_iter it;
	struct fixture f;
	char threads[64] = "";

	if (!open_trace(&f, 7, "Batch 3 100; HeapAlloc 1; ProcStart 42; HeapAlloc 1; ProcStop; "
			"HeapAlloc 1" FREQ))
		return;
	v1_iter_init(&it, f.t);
	while ((ev = v1_iter_next(&it)))
		snprintf(threads + strlen(threads), sizeof(threads) - strlen(threads), "%lld ",
			 (long long)it.thread);
	CHECK_STR(threads, "-1 42 42 42 -1 ");
	v1_iter_release(&it);
	close_trace(&f);
}

static void stacks_and_strings(void)
{
	struct v1_frame frames[4];
	struct fixture f;

	if (!open_trace(&f, 11, "Batch 0 1; GoCreate 1 7 7; GoStart 1 1; UserLog 5 1 0 \"text\"; "
			"Stack 7 16 1 2 30 32 2 0 40; String 1 \"main.f\"; String 2 \"f.go\"" FREQ))
		return;
	CHECK_EQ(v1_trace_stack(f.t, 7, frames, 4), 2);
	CHECK_EQ(v1_trace_stack(f.t, 7, frames, 1), 1);
	CHECK_EQ(v1_trace_stack(f.t, 8, frames, 4), 0);
	CHECK_STR(frames[0].func, "main.f");
	CHECK_STR(frames[0].file, "f.go");
	CHECK_EQ(frames[0].line, 30);
	CHECK_STR(frames[1].file, "");
	CHECK_EQ(event_of(&f, 2)->text_len, 4);
	CHECK(!memcmp(event_of(&f, 2)->text, "text", 4));
	CHECK_EQ(event_of(&f, 1)->stack, 7);	/* a GoStart shows where it begins */
	close_trace(&f);
}

static void a_start_pc_is_a_stack(void)
{
	struct v1_frame frame;
	struct fixture f;

	if (!open_trace(&f, 5, "Batch 0 1 100; GoCreate 1 4096 0; GoStart 1; Frequency 1000 0"))
		return;
	CHECK_EQ(v1_trace_stack(f.t, event_of(&f, 0)->args[1], &frame, 1), 1);
	CHECK_EQ(frame.pc, 4096);
	CHECK_STR(frame.func, "");
	close_trace(&f);
}

static void text_is(int version, const char *made, const char *want)
{
	struct make m = make_trace(version, made);
	struct raw_sink out;
	struct error err = { .text = "" };

	sink_open(&out, -1, NULL);
	if (v1_text(m.data, m.len, NULL, &out, &err))
		buf_printf(&out.buf, "error: %s\n", err.text);
	buf_add_byte(&out.buf, 0);
	CHECK_STR((char *)out.buf.data, want);
	buf_free(&out.buf);
	free(m.data);
}

static void text_form(void)
{
	text_is(4, "Batch 0 100; ProcStart; GoCreate 1 4096 2; Stack 2 16 17; Frequency 9",
		"Trace gotrace\nBatch p=0 ticks=100\nProcStart dt=1\n"
		"GoCreate dt=1 g=1 start_pc=4096 stack=2\nStack id=2 n=2\n\tpc=16\n\tpc=17\n"
		"Frequency freq=9\n");
	text_is(5, "Batch 0 1 100; ProcStart 7; GoSysExit 1 2 3; Frequency 9 0; TimerGoroutine 4 0",
		"Trace Go1.5\nBatch p=0 seq=1 ticks=100\nProcStart dseq=1 dt=1 thread=7\n"
		"GoSysExit dseq=1 dt=1 g=1 seq=2 ticks=3\nFrequency freq=9 unused=0\n"
		"TimerGoroutine g=4 unused=0\n");
	text_is(11, "Batch -1 100; String 5 \"a\tb\\\"; UserLog 1 5 0 \"x\"; Stack 1 2 3 4 5",
		"Trace Go1.11\nBatch p=18446744073709551615 ticks=100\n"
		"String id=5\n\tdata=\"a\\tb\\\\\"\nUserLog dt=1 task=1 key=5 stack=0\n"
		"\tdata=\"x\"\nStack id=1 n=1\n\tpc=2 func=3 file=4 line=5\n");
	text_is(21, "Batch 0 1; STWStart 3; NextGC 5; CPUSample 1 2 3 4",
		"Trace Go1.21\nBatch p=0 ticks=1\nSTWStart dt=1 kind=3\nHeapGoal dt=1 bytes=5\n"
		"CPUSample dt=1 ticks=1 p=2 g=3 stack=4\n");
	text_is(11, "Batch 0 1; hex 00",
		"Trace Go1.11\nBatch p=0 ticks=1\n"
		"error: unknown event type 0 at offset 0x13\n");
}

/* Before damage, in a batch whose ticks leave no room above them. */
static void what_precedes_damage_stays_at_any_time(void)
{
	struct make file = make_trace(11, "Batch 0 1; Gomaxprocs 1 0; Batch 0 9000000000000000000; HeapAlloc 1; "
				      "HeapAlloc 2; hex 00; Batch 1 100; HeapAlloc 3; HeapAlloc 4; "
				      "HeapAlloc 5; HeapAlloc 6; HeapAlloc 7; HeapAlloc 8" FREQ);
	struct v1_trace *t = NULL;
	struct v1_cut cut;
	struct error err;

	CHECK(!v1_trace_open_cut(&t, file.data, file.len, &cut, &err));
	CHECK(cut.resumed);
	CHECK_EQ(cut.lost_events, 0);
	CHECK_EQ(v1_trace_count(t), 9);
	v1_trace_free(t);
	free(file.data);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_syscall_exit_moves_to_its_real_time),
		UNIT(an_exit_of_1_5_follows_the_event_of_its_number),
		UNIT(rows_of_unblocks),
		UNIT(threads_follow_proc_starts),
		UNIT(stacks_and_strings),
		UNIT(a_start_pc_is_a_stack),
		UNIT(text_form),
		UNIT(what_precedes_damage_stays_at_any_time),
		{ 0 },
	});
}
