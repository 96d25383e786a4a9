// SPDX-License-Identifier: Apache-2.0
/* perfetto: small Go traces and the Perfetto traces that they become, as text. All obey the rules of perfetto_check.h. */
#define _GNU_SOURCE
#include "unit.h"

#include "perfetto/perfetto.h"
#include "perfetto_check.h"
#include "trace_text.h"

/* Strings 1 to 9 and stacks 1 to 2. */
#define TABLES \
	"batch\nStrings\n" \
	"String id=1\n\tdata=\"main.f1\"\nString id=2\n\tdata=\"main.main\"\nString id=3\n\tdata=\"x.go\"\n" \
	"String id=4\n\tdata=\"chan receive\"\nString id=5\n\tdata=\"preempted\"\n" \
	"String id=6\n\tdata=\"gotap: not recorded\"\nString id=7\n\tdata=\"a\\xff\\xe2\\x82z\"\n" \
	"String id=8\n\tdata=\"gotap\"\nString id=9\n\tdata=\"\"\n" \
	"batch\nStacks\n" \
	"Stack id=1 nframes=2\n\tpc=16 func=1 file=3 line=11\n\tpc=32 func=2 file=3 line=70\n" \
	"Stack id=2 nframes=1\n\tpc=48 func=1 file=3 line=22\n"

/* Keeps lines of events, which begin with a digit, or all others. Counters that change with each event are left out. */
static void keep(struct buf *out, const char *text, bool events)
{
	const char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		bool is_event = *text >= '0' && *text <= '9';

		if (is_event == events && !memmem(text, (size_t)(end - text), " count on ", 10))
			buf_add(out, text, (size_t)(end + 1 - text));
	}
	buf_add_byte(out, 0);
}

static void (*while_open)(struct perfetto *p);

/* Compares the events, or all other lines, of the Perfetto trace made of @text. */
static void check_shown(const char *text, bool events, const char *expected)
{
	const struct perfetto_process process = { .pid = 42, .name = "prog" };
	struct buf bytes, kept = {0};
	struct trace_reader *r = trace_of_text(text, &bytes);
	struct pcheck check;
	struct raw_sink sink;
	struct perfetto *p;
	struct error err;

	sink_open(&sink, -1, NULL);
	p = perfetto_new(&sink, &process);
	CHECK_EQ(perfetto_read(p, r, &err), 0);
	if (while_open)
		while_open(p);
	perfetto_free(p);
	trace_reader_close(r);
	CHECK_EQ(pcheck_read(&check, sink.buf.data, sink.buf.len), 0);
	keep(&kept, (const char *)check.shown.data, events);
	CHECK_STR((const char *)kept.data, expected);
	pcheck_free(&check);
	buf_free(&kept);
	buf_free(&sink.buf);
	buf_free(&bytes);
}

/* Goroutine 1 runs from the begin, on thread 1 with P 0. */
#define RUNS \
	"batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n"

static const char life[] = TABLES RUNS
	"GoCreate dt=3 new_g=2 new_stack=1 stack=2\n"
	"GoBlock dt=5 reason_string=4 stack=2\nGoStart dt=2 g=2 g_seq=1\n"
	"GoUnblock dt=8 g=1 g_seq=1 stack=1\nGoDestroy dt=1\nGoStart dt=1 g=1 g_seq=2\n"
	"GoStop dt=5 reason_string=5 stack=2\n";

static void states_of_goroutines(void)
{
	check_shown(life, true,
		"0 begin running on 5 \"running\" open_begin=1\n"
		"5 instant create on 5 \"GoCreate\" @2 ->\n"
		"5 begin runnable on 7 \"runnable\" @1 <-\n"
		"0 begin running on 9 \"goroutine\" goroutine=1\n"
		"10 end on 9\n"
		"0 begin running on 10 \"goroutine\"\n"
		"10 end on 10\n"
		"10 end on 5\n"
		"10 begin waiting on 5 \"chan receive\" @2\n"
		"12 end on 7\n"
		"12 begin running on 7 \"running\"\n"
		"12 begin running on 9 \"main.main\" goroutine=2\n"
		"12 begin running on 10 \"main.main\"\n"
		"20 end on 5\n"
		"20 instant wake on 7 \"GoUnblock\" @1 ->\n"
		"20 begin runnable on 5 \"runnable\" @2 <-\n"
		"21 end on 7\n"
		"21 end on 9\n"
		"21 end on 10\n"
		"22 end on 5\n"
		"22 begin running on 5 \"running\"\n"
		"22 begin running on 9 \"main.f1\" goroutine=1\n"
		"22 begin running on 10 \"main.f1\"\n"
		"27 end on 5\n"
		"27 begin runnable on 5 \"runnable\" @2 reason=preempted\n"
		"27 end on 9\n"
		"27 end on 10\n"
		"28 end on 5 open_end=1\n");
}

static void tracks_of_goroutines(void)
{
	check_shown(life, false,
		"clocks 1000 of 3\n"
		"track 1 ordered 3 \"\"\n"
		"track 2 in 1 \"goroutines\"\n"
		"track 3 in 1 \"runnable goroutines\"\n"
		"track 4 in 1 \"running goroutines\"\n"
		"track 6 in 1 ordered 3 rank 1 \"Goroutines\"\n"
		"track 5 in 6 rank 1 apart 2 \"goroutine 1\"\n"
		"track 7 in 6 rank 2 apart 2 \"main.main 2\"\n"
		"track 8 in 1 ordered 3 rank 0 \"Ps\"\n"
		"track 9 in 8 rank 0 apart 2 \"P 0\"\n"
		"track 10 \"\"\n"
		"track 5 in 6 rank 1 apart 2 \"main.f1 1\"\n");
}

static void system_calls(void)
{
	check_shown(TABLES RUNS
		"GoSyscallBegin dt=3 p_seq=1 stack=1\nGoSyscallEnd dt=5\n"
		"GoSyscallBegin dt=5 p_seq=2 stack=1\n"
		"batch m=2\nProcSteal dt=20 p=0 p_seq=3 m=1\n"
		"batch m=1 time=1030\nGoSyscallEndBlocked dt=0\n", true,
		"0 begin running on 5 \"running\" open_begin=1\n"
		"0 begin running on 8 \"goroutine\" goroutine=1\n"
		"5 end on 8\n"
		"0 begin running on 9 \"goroutine\"\n"
		"5 end on 9\n"
		"5 end on 5\n"
		"5 begin syscall on 5 \"syscall\" @1\n"
		"5 begin running on 8 \"main.main\" goroutine=1\n"
		"5 begin running on 9 \"main.main\"\n"
		"10 end on 5\n"
		"10 begin running on 5 \"running\"\n"
		"15 end on 5\n"
		"15 begin syscall on 5 \"syscall\" @1\n"
		"20 end on 8\n"
		"30 end on 5 lost_p=5\n"
		"30 begin runnable on 5 \"runnable\" @1\n"
		"30 end on 9\n"
		"31 end on 5 open_end=1\n");
}

static void what_is_not_recorded(void)
{
	check_shown(TABLES RUNS
		"UserLog dt=1 task=0 key_string=8 value_string=7 stack=0\n"
		"UserLog dt=1 task=5 key_string=4 value_string=7 stack=0\n"
		"GoBlock dt=5 reason_string=6 stack=2\nProcStop dt=1\nProcStart dt=10 p=0 p_seq=1\n"
		"GoUnblock dt=1 g=1 g_seq=1 stack=0\n", true,
		"0 begin running on 5 \"running\" open_begin=1\n"
		"3 instant loss on 7 'a���z'\n"
		"4 instant log on 5 category=chan receive task=5 'a���z'\n"
		"0 begin running on 9 \"goroutine\" goroutine=1\n"
		"9 end on 9\n"
		"0 begin running on 10 \"goroutine\"\n"
		"9 end on 10\n"
		"9 end on 5\n"
		"9 begin gap on 5 \"gotap: not recorded\" @1\n"
		"9 begin gap on 7 \"not recorded\"\n"
		"21 end on 5\n"
		"21 end on 7\n"
		"21 begin runnable on 5 \"runnable\" @1\n"
		"22 end on 5 open_end=1\n");
}

static void ranges_regions_and_tasks(void)
{
	check_shown(TABLES RUNS
		"UserTaskBegin dt=1 task=3 parent_task=0 name_string=1 stack=1\n"
		"UserRegionBegin dt=1 task=3 name_string=2 stack=1\nUserRegionBegin dt=1 task=0 name_string=1 stack=1\n"
		"UserRegionEnd dt=1 task=0 name_string=1 stack=0\nUserRegionEnd dt=1 task=3 name_string=2 stack=0\n"
		"UserTaskEnd dt=1 task=3 stack=0\nSTWBegin dt=1 kind_string=5 stack=1\nSTWEnd dt=1\n"
		"GCMarkAssistBegin dt=1 stack=1\nGCMarkAssistEnd dt=1\n"
		"GCSweepBegin dt=1 stack=1\nGCSweepEnd dt=1 swept_value=7 reclaimed_value=8\n"
		"HeapAlloc dt=1 heapalloc_value=4096\n", true,
		"0 begin running on 5 \"running\" open_begin=1\n"
		"4 begin region on 7 \"main.main\" @1 task=3\n"
		"5 begin region on 7 \"main.f1\" @1\n"
		"6 end on 7\n"
		"7 end on 7\n"
		"3 begin task on 9 \"main.f1\" task=3 goroutine=1\n"
		"8 end on 9\n"
		"9 begin stop-the-world on 11 \"stop-the-world\" @1 reason=preempted goroutine=1\n"
		"10 end on 11\n"
		"11 begin assist on 12 \"GC mark assist\" @1 goroutine=1\n"
		"12 end on 12\n"
		"13 begin sweep on 15 \"GC incremental sweep\" @1 goroutine=1 bytes_swept=7 bytes_reclaimed=8\n"
		"14 end on 15\n"
		"0 begin running on 14 \"goroutine\" goroutine=1\n"
		"16 end on 14\n"
		"0 begin running on 17 \"goroutine\"\n"
		"16 end on 17\n"
		"16 end on 5 open_end=1\n");
}

static void put_states(struct perfetto *p)
{
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		1005, 1009, 1, "prog", LINUX_RUNNING, 3, 0, NULL, "", 0 });
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		1009, 1019, 1, "prog", LINUX_SLEEPING, 3, 0, NULL, "", 0 });
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		1019, 1024, 1, "prog", LINUX_RUNNABLE, 2, 77, "throttled", "other 5", 0 });
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		1024, 1030, 1, "prog", LINUX_RUNNING, 2, 0, NULL, "", 0 });
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		1030, 1030, 1, "prog", LINUX_GONE, 0, 0, NULL, "", 0 });
	/* the stay ends on its own CPU, and only by a state: a sleep of no length came between */
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		1031, 1032, 1, "prog", LINUX_RUNNING, 3, 0, NULL, "", 0 });
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		1032, 1033, 1, "prog", LINUX_RUNNABLE, 2, 77, NULL, "", 0 });
	/* another program: its process is described once, and again when its name is known */
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		1005, 1009, 90, "", LINUX_RUNNING, 1, 0, NULL, "", 9 });
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		1009, 1009, 90, "", LINUX_SLEEPING, 1, 0, NULL, "", 9 });
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		1010, 1012, 90, "it", LINUX_RUNNING, 1, 0, NULL, "", 9 });
}

static void states_of_threads(void)
{
	while_open = put_states;
	check_shown(TABLES RUNS "GoStop dt=5 reason_string=5 stack=2\n", false,
		"clocks 1000 of 3\n"
		"track 1 ordered 3 \"\"\n"
		"track 2 in 1 \"goroutines\"\n"
		"track 3 in 1 \"runnable goroutines\"\n"
		"track 4 in 1 \"running goroutines\"\n"
		"track 6 in 1 ordered 3 rank 1 \"Goroutines\"\n"
		"track 5 in 6 rank 1 apart 2 \"goroutine 1\"\n"
		"track 7 in 1 ordered 3 rank 0 \"Ps\"\n"
		"track 8 in 7 rank 0 apart 2 \"P 0\"\n"
		"track 9 \"\"\n"
		"track 5 in 6 rank 1 apart 2 \"main.f1 1\"\n"
		"processes\n"
		"thread 1=3 [2] 3=1 4=3 5=120\n"
		"thread 1=3 [2] 3=1 4=4 5=120\n"
		"ftrace\n"
		"track 10 in 9 \"off CPU\"\n"
		"thread 1=2 [2] 3=1 4=3 5=120\n"
		"thread 1=2 [2] 3=1 4=8 5=120\n"
		"processes\n"
		"thread 1=3 [2] 3=1 4=3 5=120\n"
		"thread 1=3 [2] 3=1 4=2 5=120\n"
		"processes\n"
		"thread 1=1 [2] 3=90 4=3 5=120\n"
		"thread 1=1 [2] 3=90 4=4 5=120\n"
		"processes\n"
		"thread 1=1 [2] 3=90 4=3 5=120\n");
	while_open = NULL;
}

/* A stay of thread @tid in a state. @other: the thread's process; 0: the program. */
static void put_state(struct perfetto *p, uint32_t tid, uint32_t other, enum perfetto_linux_state state, int64_t from, int64_t to)
{
	perfetto_thread_span(p, &(struct perfetto_thread_span){
		from, to, tid, "prog", state, 3, 0, state == LINUX_UNKNOWN && to > from ? "not recorded" : NULL, "", other });
}

/*
 * The main threads of processes 42 and 9 end: the trace has them as zombies. If it had them as ended,
 * trace_processor would end the process with all of its threads.
 */
static void put_ends(struct perfetto *p)
{
	put_state(p, 42, 0, LINUX_RUNNING, 1001, 1002);
	put_state(p, 42, 0, LINUX_GONE, 1002, 1002);
	put_state(p, 42, 0, LINUX_GONE, 1003, 1003);
	put_state(p, 42, 0, LINUX_UNKNOWN, 1003, 1003);
	put_state(p, 42, 0, LINUX_SLEEPING, 1004, 1005);	/* an exec */
	put_state(p, 42, 0, LINUX_UNKNOWN, 1005, 1005);		/* the recording ends */
	put_state(p, 9, 9, LINUX_RUNNING, 1001, 1002);
	put_state(p, 9, 9, LINUX_GONE, 1002, 1002);
	put_state(p, 9, 9, LINUX_RUNNING, 1003, 1004);
	put_state(p, 90, 9, LINUX_RUNNING, 1005, 1006);
	put_state(p, 90, 9, LINUX_GONE, 1006, 1006);
	put_state(p, 90, 9, LINUX_RUNNING, 1007, 1008);
}

/* After LINUX_UNKNOWN the states go on for the same thread: trace_processor does not make a second thread of them. */
static void put_unknown(struct perfetto *p)
{
	put_state(p, 1, 0, LINUX_UNKNOWN, 1001, 1003);
	put_state(p, 1, 0, LINUX_RUNNABLE, 1003, 1004);
	put_state(p, 1, 0, LINUX_UNKNOWN, 1004, 1005);		/* too short for two states */
	put_state(p, 1, 0, LINUX_RUNNABLE, 1005, 1006);
	put_state(p, 1, 0, LINUX_UNKNOWN, 1006, 1008);
	put_state(p, 1, 0, LINUX_UNKNOWN, 1008, 1010);
	put_state(p, 1, 0, LINUX_RUNNING, 1010, 1011);
	put_state(p, 1, 0, LINUX_UNKNOWN, 1011, 1011);		/* the recording ends */
}

#define TRACKS_OF_RUNS \
	"clocks 1000 of 3\n" \
	"track 1 ordered 3 \"\"\n" \
	"track 2 in 1 \"goroutines\"\n" \
	"track 3 in 1 \"runnable goroutines\"\n" \
	"track 4 in 1 \"running goroutines\"\n" \
	"track 6 in 1 ordered 3 rank 1 \"Goroutines\"\n" \
	"track 5 in 6 rank 1 apart 2 \"goroutine 1\"\n" \
	"track 7 in 1 ordered 3 rank 0 \"Ps\"\n" \
	"track 8 in 7 rank 0 apart 2 \"P 0\"\n" \
	"track 9 \"\"\n" \
	"track 5 in 6 rank 1 apart 2 \"main.f1 1\"\n"

static void threads_that_end(void)
{
	while_open = put_ends;
	check_shown(TABLES RUNS "GoStop dt=5 reason_string=5 stack=2\n", false, TRACKS_OF_RUNS
		"processes\n"
		"thread 1=3 [2] 3=42 4=3 5=120\n"
		"thread 1=3 [2] 3=42 4=7 5=120\n"
		"thread 1=3 [2] 3=42 4=8 5=120\n"
		"processes\n"
		"thread 1=3 [2] 3=42 4=4 5=120\n"
		"processes\n"
		"thread 1=3 [2] 3=9 4=3 5=120\n"
		"thread 1=3 [2] 3=9 4=7 5=120\n"
		"thread 1=3 [2] 3=9 4=8 5=120\n"
		"processes\n"
		"thread 1=3 [2] 3=9 4=3 5=120\n"
		"processes\n"
		"thread 1=3 [2] 3=90 4=3 5=120\n"
		"thread 1=3 [2] 3=90 4=8 5=120\n"
		"processes\n"
		"thread 1=3 [2] 3=90 4=3 5=120\n");
	while_open = NULL;
}

static void states_that_are_not_known(void)
{
	while_open = put_unknown;
	check_shown(TABLES RUNS "GoStop dt=5 reason_string=5 stack=2\n", false, TRACKS_OF_RUNS
		"processes\n"
		"track 10 in 9 \"off CPU\"\n"
		"thread 1=3 [2] 3=1 4=2 5=120\n"
		"thread 1=3 [2] 3=1 4=2 5=120\n"
		"thread 1=3 [2] 3=1 4=3 5=120\n"
		"thread 1=3 [2] 3=0 4=3 5=120\n"
		"thread 1=3 [2] 3=0 4=2 5=120\n"
		"thread 1=3 [2] 3=1 4=3 5=120\n"
		"thread 1=3 [2] 3=0 4=3 5=120\n"
		"thread 1=3 [2] 3=0 4=2 5=120\n");
	while_open = NULL;
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(states_of_goroutines), UNIT(tracks_of_goroutines), UNIT(system_calls),
		UNIT(what_is_not_recorded), UNIT(ranges_regions_and_tasks), UNIT(states_of_threads),
		UNIT(threads_that_end), UNIT(states_that_are_not_known), {0} });
}
