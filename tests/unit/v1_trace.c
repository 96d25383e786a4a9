// SPDX-License-Identifier: Apache-2.0
/*
 * v1_trace: what a reader gives besides its verdict: times, links between
 * events, rows, threads, stacks, strings, and the text form.
 */
#include "../v1/make.h"
#include "unit.h"

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

/* Name and time of the event that event @i links to, "-" if it has no link. */
static const char *link_of(const struct fixture *f, size_t i)
{
	static char text[64];
	const struct v1_event *ev = v1_trace_event(f->t, i);

	if (ev->link == V1_NO_LINK)
		return "-";
	ev = v1_trace_event(f->t, ev->link);
	snprintf(text, sizeof(text), "%s %lld", v1_trace_type_name(f->t, ev->type),
		 (long long)ev->time);
	return text;
}

static void check_links(const struct fixture *f, const char *const *want, size_t n)
{
	size_t i;

	CHECK_EQ(v1_trace_count(f->t), n);
	for (i = 0; i < n && i < v1_trace_count(f->t); i++)
		CHECK_STR(link_of(f, i), want[i]);
}

static void scheduling_links(void)
{
	static const char *const want[] = {
		"GoStart 2",	/* 0 GoCreate */
		"-",		/* 1 ProcStart */
		"GoSched 3",	/* 2 GoStart */
		"GoStart 4",	/* 3 GoSched */
		"GoBlock 5",	/* 4 GoStart */
		"GoUnblock 6",	/* 5 GoBlock */
		"GoStart 7",	/* 6 GoUnblock */
		"GoSysBlock 9",	/* 7 GoStart */
		"GoSysExit 10",	/* 8 GoSysCall */
		"-",		/* 9 GoSysBlock */
		"GoStart 11",	/* 10 GoSysExit */
		"GoEnd 12",	/* 11 GoStart */
		"-",		/* 12 GoEnd */
	};
	static const char text[] =
		"%s 100; GoCreate 1 0 0; ProcStart%s; GoStart 1; GoSched 0; GoStart 1; GoBlock 0; "
		"GoUnblock 1 0; GoStart 1; GoSysCall 0; GoSysBlock%s; GoSysExit 1%s; GoStart 1; "
		"GoEnd; Frequency 1000000000%s";
	char made[512];
	struct fixture f;

	snprintf(made, sizeof(made), text, "Batch 0", "", " 0", "", "");
	if (open_trace(&f, 4, made)) {
		check_links(&f, want, 13);
		close_trace(&f);
	}
	snprintf(made, sizeof(made), text, "Batch 0 1", " 5", "", " 12 0", " 0");
	if (open_trace(&f, 5, made)) {
		check_links(&f, want, 13);
		close_trace(&f);
	}
}

static void range_links(void)
{
	static const char *const want[] = {
		"GoStart 1", "GoEnd 14", "GCDone 5", "GCSTWDone 4", "-", "-",
		"GCSweepDone 7", "-", "GCMarkAssistDone 9", "-", "UserTaskEnd 13",
		"UserRegion 12", "-", "-", "-",
	};
	struct fixture f;

	if (!open_trace(&f, 11,
			"Batch 0 100; GoCreate 1 0 0; GoStart 1 1; GCStart 0 0; STWStart 1; STWDone; "
			"GCDone; GCSweepStart 0; GCSweepDone 1 2; GCMarkAssistStart 0; "
			"GCMarkAssistDone; UserTaskCreate 1 0 0 0; UserRegion 1 0 0 0; "
			"UserRegion 1 1 0 0; UserTaskEnd 1 0; GoEnd" FREQ))
		return;
	check_links(&f, want, 15);
	close_trace(&f);
}

static void an_open_region_ends_with_its_goroutine(void)
{
	struct fixture f;

	if (!open_trace(&f, 11, "Batch 0 100; GoCreate 1 0 0; GoStart 1 1; UserRegion 1 0 0 0; "
			"UserRegion 1 0 0 0; GoEnd" FREQ))
		return;
	CHECK_STR(link_of(&f, 2), "GoEnd 4");
	CHECK_STR(link_of(&f, 3), "GoEnd 4");
	close_trace(&f);
}

static void a_syscall_exit_moves_to_its_real_time(void)
{
	struct fixture f;

	if (!open_trace(&f, 7, "Batch 0 1000; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 1 1; GoSysCall 0; "
			"GoSysBlock; @10 GoStart 2 1; @10 GoBlock 0; @10 GoSysExit 1 2 1010"
			"; Frequency 500000000"))
		return;
	CHECK(v1_trace_event(f.t, 3)->sys_blocks);
	CHECK_EQ(v1_trace_event(f.t, 5)->type, V1_GO_SYSEXIT);
	CHECK_EQ(v1_trace_event(f.t, 5)->row, V1_ROW_SYSCALL);
	CHECK_EQ(v1_trace_event(f.t, 5)->time, 18);	/* 9 ticks of 2 ns */
	CHECK_EQ(v1_trace_event(f.t, 6)->type, V1_GO_START);
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
	CHECK_EQ(v1_trace_event(f.t, 8)->row, V1_ROW_NETPOLL);
	CHECK_EQ(v1_trace_event(f.t, 9)->row, V1_ROW_P);
	CHECK_EQ(v1_trace_event(f.t, 12)->row, V1_ROW_TIMER);
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
	CHECK_STR(v1_trace_text(f.t, v1_trace_event(f.t, 2)), "text");
	CHECK_EQ(v1_trace_event(f.t, 1)->stack, 7);	/* a GoStart shows where it begins */
	close_trace(&f);
}

static void a_start_pc_is_a_stack(void)
{
	struct v1_frame frame;
	struct fixture f;

	if (!open_trace(&f, 5, "Batch 0 1 100; GoCreate 1 4096 0; GoStart 1; Frequency 1000 0"))
		return;
	CHECK_EQ(v1_trace_stack(f.t, v1_trace_event(f.t, 0)->args[1], &frame, 1), 1);
	CHECK_EQ(frame.pc, 4096);
	CHECK_STR(frame.func, "");
	close_trace(&f);
}

static void text_is(int version, const char *made, const char *want)
{
	struct make m = make_trace(version, made);
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct error err = { .text = "" };

	if (v1_text(m.data, m.len, out, &err))
		fprintf(out, "error: %s\n", err.text);
	fclose(out);
	CHECK_STR(text, want);
	free(text);
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

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(scheduling_links),
		UNIT(range_links),
		UNIT(an_open_region_ends_with_its_goroutine),
		UNIT(a_syscall_exit_moves_to_its_real_time),
		UNIT(rows_of_unblocks),
		UNIT(threads_follow_proc_starts),
		UNIT(stacks_and_strings),
		UNIT(a_start_pc_is_a_stack),
		UNIT(text_form),
		{ 0 },
	});
}
