// SPDX-License-Identifier: Apache-2.0
/*
 * v1write_sink: each record of the formats that are written, by the event of v2 that makes it. A row
 * gives events to the sink, behind one beginning, and says which records come of them.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"
#include "v1/record.h"
#include "v1write/sink.h"
#include "v1/trace.h"

static struct sink sink;
static uint64_t now;

#define THREAD 7
#define OTHER 8

static void put(uint64_t thread, enum tracev2_event kind, int n, const uint64_t *args)
{
	struct sink_event e = { .time = now, .thread = thread, .kind = kind, .nargs = n, .args = args };

	now += 64;
	sink.ops->event(sink.ctx, &e);
}

#define EVENT_OF(thread, kind, ...)                                                    \
	put(thread, kind, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (const uint64_t[]){ __VA_ARGS__ })
#define EVENT(kind, ...) EVENT_OF(THREAD, kind, __VA_ARGS__)
#define NOBODY TRACEV2_NO_ID

static size_t frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	*out = (struct trace_frame){ key, "f", "f.go", 9 };
	return 1;
}

/* P 0 runs goroutine 1; 2 waits, 3 is runnable, 4 in a system call that holds P 1. */
static void begin(void)
{
	sink.ops->gen_begin(sink.ctx);
	EVENT(EV_ProcStatus, 0, P_RUNNING);
	EVENT_OF(OTHER, EV_ProcStatus, 1, P_SYSCALL);
	EVENT(EV_GoStatus, 1, THREAD, G_RUNNING);
	EVENT_OF(NOBODY, EV_GoStatus, 2, NOBODY, G_WAITING);
	EVENT_OF(NOBODY, EV_GoStatus, 3, NOBODY, G_RUNNABLE);
	EVENT_OF(OTHER, EV_GoStatus, 4, OTHER, G_SYSCALL);
	EVENT(EV_ProcsChange, 2, 0);
}

static void say(struct buf *to, const struct v1_record *r)
{
	size_t i;

	if (r->type == V1_BATCH)
		buf_printf(to, "P%lld:", (long long)r->values[0]);
	else
		buf_printf(to, "%s", r->spec->name);
	for (i = r->ndeltas; i < r->nvalues && r->type != V1_BATCH; i++)
		buf_printf(to, " %llu", (unsigned long long)r->values[i]);
	if (r->data_len)
		buf_printf(to, " '%.*s'", (int)r->data_len, r->data);
	buf_printf(to, r->type == V1_BATCH ? " " : "; ");
}

/* The records of the file at @data, and all of Go's rules hold for it. */
static char *records(const uint8_t *data, size_t n)
{
	struct v1_summary summary;
	struct v1_reader reader;
	struct v1_record record;
	struct buf text = {0};
	struct error err;

	CHECK(!v1_check(data, n, &summary, &err));
	CHECK(!v1_reader_init(&reader, data, n, &err));
	while (v1_reader_next(&reader, &record, &err) > 0)
		say(&text, &record);
	v1_reader_release(&reader);
	buf_add_byte(&text, 0);
	return (char *)text.data;
}

struct row {
	const char *name;
	int version;
	void (*feed)(void);
	const char *want;	/* is part of the records */
	enum v1_left left;	/* counted once; V1_LEFT_KINDS: nothing to look at */
};

static char *write_trace(const struct row *row, struct v1_sink_counts *counts)
{
	struct v1_sink_opts opts = { .version = row->version, .frames = frames };
	struct trace_clock clock = {0};
	int fd = memfd_create("v1_sink", 0);
	struct v1_sink *v;
	struct error err;
	uint8_t *data;
	char *text;
	size_t n;

	now = 1 << 20;
	CHECK(!v1_sink_new(&v, fd, &opts, &err));
	sink = v1_sink(v);
	begin();
	row->feed();
	CHECK(!sink.ops->gen_end(sink.ctx, &clock, &err));
	CHECK(!v1_sink_finish(v, &err));
	v1_sink_counts(v, counts);
	n = counts->trace.bytes;
	data = xcalloc(1, n);
	CHECK_EQ(pread(fd, data, n, 0), n);
	text = records(data, n);
	v1_sink_free(v);
	free(data);
	close(fd);
	return text;
}

static void run_row(const void *at)
{
	const struct row *row = at;
	struct v1_sink_counts counts;
	char *text = write_trace(row, &counts);

	if (!strstr(text, row->want))
		printf("# wanted: %s\n# got: %s\n", row->want, text);
	CHECK(strstr(text, row->want));
	if (row->left < V1_LEFT_KINDS)
		CHECK_EQ(counts.left[row->left], 1);
	free(text);
}

/* --- what is given --- */

static void nothing(void) { EVENT(EV_HeapAlloc, 1); }
static void heap(void) { EVENT(EV_HeapAlloc, 4096); EVENT(EV_HeapGoal, 8192); }
static void procs(void) { EVENT(EV_ProcsChange, 2, 0); EVENT(EV_ProcsChange, 3, 5); }
static void create(void) { EVENT(EV_GoCreate, 9, 50, 60); }
static void create_blocked(void) { EVENT(EV_GoCreateBlocked, 9, 50, 60); }
static void end(void) { EVENT(EV_GoDestroy, 0); }
static void sched(void) { EVENT(EV_GoStop, SINK_CONSTANT("runtime.Gosched"), 5); }
static void preempt(void) { EVENT(EV_GoStop, SINK_CONSTANT("preempted"), 5); }
static void block(const char *why) { EVENT(EV_GoBlock, SINK_TEXT(why, strlen(why)), 5); }
static void forever(void) { block("forever"); }
static void sleeps(void) { block("sleep"); }
static void waits(void) { block(""); }
static void waits_else(void) { block("GC background sweeper wait"); }
static void sends(void) { block("chan send"); }
static void receives(void) { block("chan receive"); }
static void selects(void) { block("select"); }
static void syncs(void) { block("sync"); }
static void cond(void) { block("sync.(*Cond).Wait"); }
static void net(void) { block("network"); }
static void gc_wait(void) { block("GC mark assist wait for work"); }
static void unblock(void) { EVENT(EV_GoUnblock, 2, 1, 5); }
static void unblock_without_p(void) { EVENT_OF(99, EV_GoUnblock, 2, 1, 0); }
static void start(void) { sched(); EVENT(EV_GoStart, 3, 1); }
static void restart(void) { sched(); EVENT(EV_GoStart, 1, 2); }

static void start_elsewhere(void)
{
	sched();
	EVENT_OF(99, EV_ProcStart, 2, 1);
	EVENT_OF(99, EV_GoStart, 1, 2);
	EVENT_OF(99, EV_GoBlock, SINK_CONSTANT("sync"), 0);
	EVENT(EV_GoUnblock, 1, 3, 0);
}

static void label(void) { start(); EVENT(EV_GoLabel, SINK_CONSTANT("GC (idle)")); }
static void late_label(void) { start(); heap(); EVENT(EV_GoLabel, SINK_CONSTANT("GC (idle)")); }

static void next_generation(void)
{
	struct trace_clock clock = {0};
	struct error err;

	CHECK(!sink.ops->gen_end(sink.ctx, &clock, &err));
	sink.ops->gen_begin(sink.ctx);
}

static void label_in_the_next_generation(void) { start(); next_generation(); EVENT(EV_GoLabel, SINK_CONSTANT("GC (idle)")); }
static void fast_call(void) { EVENT(EV_GoSyscallBegin, 1, 5); EVENT(EV_GoSyscallEnd, 0); }

static void stolen(void)
{
	EVENT(EV_GoSyscallBegin, 1, 5);
	EVENT_OF(99, EV_ProcSteal, 0, 2, THREAD);
}

static void exit_with_p(void)
{
	stolen();
	EVENT(EV_ProcStart, 0, 3);
	EVENT(EV_GoSyscallEndBlocked, 0);
	EVENT(EV_GoStart, 1, 1);
}

static void exit_without_p(void)
{
	stolen();
	EVENT(EV_GoSyscallEndBlocked, 0);
	EVENT_OF(99, EV_ProcStart, 0, 3);
	EVENT_OF(99, EV_GoStart, 1, 1);
}

/* Of one that was not seen to be in a call. */
static void exit_of_no_call(void)
{
	EVENT_OF(99, EV_GoStart, 3, 1);
	EVENT_OF(99, EV_GoSyscallEndBlocked, 0);
	EVENT_OF(99, EV_ProcStart, 2, 3);
	EVENT_OF(99, EV_GoStart, 3, 2);
}

static void first_call_ends(void) { EVENT_OF(OTHER, EV_GoSyscallEnd, 0); }
static void c_thread(void) { EVENT_OF(99, EV_GoCreateSyscall, 9); EVENT_OF(99, EV_GoDestroySyscall, 0); }
static void proc_stop(void) { sched(); EVENT(EV_ProcStop, 0); }
static void gc(void) { EVENT(EV_GCBegin, 1, 5); EVENT(EV_GCEnd, 2); EVENT(EV_GCBegin, 3, 5); }
static void gc_active(void) { EVENT_OF(THREAD, EV_GCActive, 1); EVENT(EV_GCEnd, 2); }
static void stw(const char *why) { EVENT(EV_STWBegin, SINK_TEXT(why, strlen(why)), 0); EVENT(EV_STWEnd, 0); }
static void stw_mark(void) { stw("GC mark termination"); }
static void stw_sweep(void) { stw("GC sweep termination"); }
static void stw_stats(void) { stw("read mem stats"); }
static void stw_stacks(void) { stw("all goroutines stack trace"); }
static void sweep(void) { EVENT(EV_GCSweepBegin, 5); EVENT(EV_GCSweepEnd, 300, 200); }
static void assist(void) { EVENT(EV_GCMarkAssistBegin, 5); EVENT(EV_GCMarkAssistEnd, 0); }
static void lone_assist_begin(void) { EVENT(EV_GCMarkAssistBegin, 5); }
static void task(void) { EVENT(EV_UserTaskBegin, 6, NOBODY, SINK_CONSTANT("t"), 5); EVENT(EV_UserTaskEnd, 6, 5); }
static void region(void) { EVENT(EV_UserRegionBegin, 6, SINK_CONSTANT("r"), 5); EVENT(EV_UserRegionEnd, 6, SINK_CONSTANT("r"), 5); }
static void logs(void) { EVENT(EV_UserLog, 6, SINK_CONSTANT("k"), SINK_CONSTANT("hello"), 5); }
static void switches(void) { EVENT(EV_GoSwitch, 2, 1); }
static void again(void) { end(); EVENT(EV_GoUnblock, 1, 1, 0); }
static void experiment(void) { EVENT(EV_SpanFree, 5); }

static void sample_of(uint64_t g, uint64_t time)
{
	struct sink_sample s = { .time = time, .thread = THREAD, .p = 0, .g = g, .stack = 5 };

	sink.ops->cpu_sample(sink.ctx, &s);
}

static void sample(void) { sample_of(1, now); }
/* Parsers refuse a GoCreate of whom they know by a sample: "already exists". */
static void sample_before_its_create(void) { create(); sample_of(9, now - 4096); }
static void sample_of_nobody(void) { sample_of(9, now); create(); }

#define NONE V1_LEFT_KINDS
static const struct row rows[] = {
	{ "Batch", 19, nothing, "P0: ProcStart 7; GoCreate 1 ", NONE },
	{ "Batch_of_no_P", 19, unblock_without_p, "P-1: GoUnblock 2 2 0; ", NONE },
	{ "Frequency", 8, nothing, "Frequency 31250000; ", NONE },
	{ "Frequency_and_tables_with_a_batch_since_1_11", 11, create, "Frequency 31250000; P0: String ", NONE },
	{ "tables_without_a_batch_up_to_1_10", 8, create, "Frequency 31250000; String ", NONE },
	{ "Stack", 19, procs, " 1 5 1 2 9; ", NONE },
	{ "String", 19, procs, "String 1 'f'; String 2 'f.go'; Stack ", NONE },
	{ "the_beginning", 19, nothing, "GoWaiting 2; GoCreate 3 3 0; GoCreate 4 4 0; GoInSyscall 4; "
	  "GoStartLocal 1; Gomaxprocs 2 0; HeapAlloc 1; ", NONE },
	{ "Gomaxprocs", 19, procs, "Gomaxprocs 2 0; Gomaxprocs 3 5; ", NONE },
	{ "ProcStart", 19, start_elsewhere, "P2: ProcStart 99; ", NONE },
	{ "ProcStop", 19, proc_stop, "GoSched 5; ProcStop; ", NONE },
	{ "GCStart_and_GCDone", 19, gc, "GCStart 0 5; GCDone; GCStart 1 5; ", NONE },
	{ "GCStart_of_one_that_goes_on", 19, gc_active, "GCStart 0 0; GCDone; ", V1_ADDED_COLLECTIONS },
	{ "GCScanStart_up_to_1_9", 8, stw_mark, "GCScanStart; GCScanDone; ", NONE },
	{ "GCScanStart_only_for_mark_termination", 8, stw_sweep, "Gomaxprocs 2 0; Frequency", V1_LEFT_STOPS },
	{ "GCSTWStart_mark_termination", 11, stw_mark, "GCSTWStart 0; GCSTWDone; ", NONE },
	{ "GCSTWStart_sweep_termination", 19, stw_sweep, "GCSTWStart 1; GCSTWDone; ", NONE },
	{ "GCSTWStart_only_for_the_collector", 19, stw_stats, "Gomaxprocs 2 0; Frequency", V1_LEFT_STOPS },
	{ "STWStart_since_1_21", 21, stw_stats, "STWStart 7; STWDone; ", NONE },
	{ "STWStart_as_either_spells_it", 21, stw_stacks, "STWStart 6; STWDone; ", NONE },
	{ "GCSweepStart_and_GCSweepDone", 19, sweep, "GCSweepStart 5; GCSweepDone 300 200; ", NONE },
	{ "GCSweepDone_without_amounts_up_to_1_8", 8, sweep, "GCSweepStart 5; GCSweepDone; ", V1_LEFT_SWEPT },
	{ "GoCreate", 19, create, "GoCreate 9 5 6; ", NONE },
	{ "GoCreate_of_one_that_waits", 19, create_blocked, "GoCreate 9 5 6; GoWaiting 9; ", NONE },
	{ "GoStart", 19, start_elsewhere, "P2: ProcStart 99; GoStart 1 2; ", NONE },
	{ "GoStartLocal", 19, restart, "GoSched 5; GoStartLocal 1; ", NONE },
	{ "GoEnd", 19, end, "Gomaxprocs 2 0; GoEnd; ", NONE },
	{ "GoStop", 19, forever, "GoStop 5; ", NONE },
	{ "GoSched", 19, sched, "GoSched 5; ", NONE },
	{ "GoPreempt", 19, preempt, "GoPreempt 5; ", NONE },
	{ "GoSleep", 19, sleeps, "GoSleep 5; ", NONE },
	{ "GoBlock", 19, waits, "GoBlock 5; ", NONE },
	{ "GoBlock_for_reasons_without_an_event", 19, waits_else, "GoBlock 5; ", V1_LEFT_BLOCK_REASONS },
	{ "GoUnblock", 19, start_elsewhere, "GoUnblock 1 3 0; ", NONE },
	{ "GoUnblockLocal", 19, unblock, "GoUnblockLocal 2 5; ", NONE },
	{ "GoBlockSend", 19, sends, "GoBlockSend 5; ", NONE },
	{ "GoBlockRecv", 19, receives, "GoBlockRecv 5; ", NONE },
	{ "GoBlockSelect", 19, selects, "GoBlockSelect 5; ", NONE },
	{ "GoBlockSync", 19, syncs, "GoBlockSync 5; ", NONE },
	{ "GoBlockCond", 19, cond, "GoBlockCond 5; ", NONE },
	{ "GoBlockNet", 19, net, "GoBlockNet 5; ", NONE },
	{ "GoBlockGC", 8, gc_wait, "GoBlockGC 5; ", NONE },
	{ "GoSysCall", 19, fast_call, "GoSysCall 5; Frequency", V1_LEFT_SYSCALL_ENDS },
	{ "GoSysBlock", 19, stolen, "GoSysCall 5; GoSysBlock; ProcStop; ", NONE },
	{ "GoSysExit_at_once", 19, exit_with_p, "ProcStart 7; GoSysExit 1 2 0; GoStartLocal 1; ", NONE },
	{ "GoSysExit_with_the_real_time", 19, exit_without_p, "ProcStart 99; GoSysExit 1 2 3", NONE },
	{ "GoSysExit_behind_the_steps_that_were_missing", 19, exit_of_no_call, "ProcStart 99; GoSysExit 3 2 3", NONE },
	{ "GoWaiting_and_GoInSyscall_of_a_call_that_ends", 19, first_call_ends,
	  "P1: ProcStart 8; GoSysExit 4 2 0; GoStartLocal 4; ", NONE },
	{ "GoInSyscall_of_a_C_thread", 19, c_thread, "P-1: GoCreate 9 5 0; GoInSyscall 9; ", NONE },
	{ "HeapAlloc_and_NextGC", 11, heap, "HeapAlloc 4096; NextGC 8192; ", NONE },
	{ "HeapGoal", 19, heap, "HeapAlloc 4096; HeapGoal 8192; ", NONE },
	{ "GoStartLabel", 8, label, "GoSched 5; String 1 'GC (idle)'; GoStartLabel 3 1 1; ", NONE },
	{ "GoStartLabel_only_at_the_start", 19, late_label, "GoStartLocal 3; HeapAlloc 4096; ", V1_LEFT_LABELS },
	{ "GoStartLabel_only_in_the_generation_of_the_start", 19, label_in_the_next_generation,
	  "GoSched 5; GoStartLocal 3; ", V1_LEFT_LABELS },
	{ "GCMarkAssistStart_and_Done", 11, assist, "GCMarkAssistStart 5; GCMarkAssistDone; ", NONE },
	{ "GCMarkAssistStart_not_in_1_8", 8, lone_assist_begin, "Gomaxprocs 2 0; Frequency", V1_LEFT_ASSISTS },
	{ "UserTaskCreate_and_End", 11, task, "String 1 't'; UserTaskCreate 6 0 1 5; UserTaskEnd 6 5; ", NONE },
	{ "UserRegion", 11, region, "String 1 'r'; UserRegion 6 0 1 5; UserRegion 6 1 1 5; ", NONE },
	{ "UserLog", 11, logs, "String 1 'k'; UserLog 6 1 5 'hello'; ", NONE },
	{ "UserLog_not_in_1_8", 8, logs, "Gomaxprocs 2 0; Frequency", V1_LEFT_ANNOTATIONS },
	{ "CPUSample", 19, sample, "P0: CPUSample ", V1_LEFT_SAMPLE_THREADS },
	{ "CPUSample_not_before_its_GoCreate", 19, sample_before_its_create, " 0 9 7; ", V1_LEFT_SAMPLE_THREADS },
	{ "CPUSample_of_who_is_not_known_is_of_none", 19, sample_of_nobody, " 0 0 5; ", V1_LEFT_SAMPLE_THREADS },
	{ "CPUSample_not_in_1_11", 11, sample, "Gomaxprocs 2 0; Frequency", V1_LEFT_SAMPLES },
	{ "switches_in_three_steps", 19, switches, "GoUnblockLocal 2 0; GoBlock 0; GoStartLocal 2; ", V1_LEFT_SWITCHES },
	{ "events_of_who_has_ended", 19, again, "GoEnd; Frequency", V1_LEFT_AGAIN },
	{ "before_1_5_GoCreate_has_an_address", 4, create, "GoCreate 9 50 1; ", NONE },
	{ "before_1_5_Stack_has_addresses", 4, create, "Stack 1 1 60; ", V1_LEFT_NAMES },
	{ "before_1_5_ProcStart_has_no_thread", 4, nothing, "P0: ProcStart; ", V1_LEFT_THREADS },
	{ "before_1_5_GoStart_has_no_number", 4, restart, "GoSched 1; GoStart 1; ", NONE },
	{ "before_1_5_GoUnblock_has_no_number", 4, unblock, "GoUnblock 2 1; ", NONE },
	{ "before_1_5_GCStart_has_no_number", 4, gc, "GCStart 1; GCDone; GCStart 1; ", NONE },
	{ "before_1_5_GCScanStart", 4, stw_mark, "GCScanStart; GCScanDone; ", NONE },
	{ "before_1_5_GoSysBlock_has_a_stack", 4, stolen, "GoSysCall 1; GoSysBlock 0; ProcStop; ", NONE },
	{ "before_1_5_GoSysExit_comes_when_it_happens", 4, exit_without_p, "P-1: GoSysExit 1; ", NONE },
	{ "before_1_5_GoSysExit_of_who_was_in_a_call", 4, first_call_ends, "GoSysExit 4; ", NONE },
	{ "before_1_5_there_are_no_labels", 4, label, "GoSched 1; GoStart 3; ", V1_LEFT_LABELS },
	{ "before_1_5_GoBlockGC_is_GoBlock", 4, gc_wait, "GoBlock 1; ", V1_LEFT_BLOCK_REASONS },
	{ "before_1_5_there_are_no_assists", 4, lone_assist_begin, "Gomaxprocs 2 0; Frequency", V1_LEFT_ASSISTS },
	{ "before_1_5_there_are_no_annotations", 4, logs, "Gomaxprocs 2 0; Frequency", V1_LEFT_ANNOTATIONS },
	{ "before_1_5_there_are_no_samples", 4, sample, "Gomaxprocs 2 0; Frequency", V1_LEFT_SAMPLES },
	{ "experiments", 21, experiment, "Gomaxprocs 2 0; Frequency", V1_LEFT_EXPERIMENTS },
};

/* --- a file that takes no more --- */

/* Later there is room again, as another program has removed a file: what is missing stays missing. */
static void a_disk_that_is_full_once(void)
{
	struct v1_sink_opts opts = { .version = 19, .frames = frames, .name = "x" };
	int fd = memfd_create("v1_sink", 0), good = dup(fd), full = open("/dev/full", O_WRONLY);
	struct trace_clock clock = {0};
	struct v1_sink_counts counts;
	struct error err = {0};
	struct v1_sink *v;
	int i;

	CHECK(!v1_sink_new(&v, fd, &opts, &err));
	sink = v1_sink(v);
	begin();
	for (i = 0; i < 100000; i++)
		restart();
	CHECK(dup2(full, fd) == fd);
	CHECK_EQ(sink.ops->gen_end(sink.ctx, &clock, &err), -ENOSPC);
	CHECK(strstr(err.text, "cannot write 'x': No space left on device; a trace of go1.19 is read only with its end, so nothing of it is kept"));
	CHECK(dup2(good, fd) == fd);
	CHECK_EQ(v1_sink_finish(v, &err), -ENOSPC);
	v1_sink_counts(v, &counts);
	CHECK(!counts.whole);
	v1_sink_free(v);
	close(fd);
	close(good);
	close(full);
}

/* As gotap leaves it that is killed: what was in the generation is there, with the clock and the names. */
static void a_file_without_its_end(void)
{
	struct v1_sink_opts opts = { .version = 19, .frames = frames };
	int fd = memfd_create("v1_sink", 0);
	uint8_t data[1 << 10];
	struct error err;
	struct v1_sink *v;
	char *text;
	ssize_t n;

	CHECK(!v1_sink_new(&v, fd, &opts, &err));
	sink = v1_sink(v);
	begin();
	create();
	next_generation();
	n = pread(fd, data, sizeof(data), 0);
	CHECK(n > 0 && n < (ssize_t)sizeof(data));
	text = records(data, (size_t)n);
	CHECK(strstr(text, "GoCreate 9 5 6; "));
	CHECK(strstr(text, "Frequency 31250000; "));
	CHECK(strstr(text, "Stack 6 1 60 1 2 9; "));
	free(text);
	CHECK(!v1_sink_finish(v, &err));
	v1_sink_free(v);
	close(fd);
}

static void a_trace_without_events(void)
{
	struct v1_sink_opts opts = { .version = 8, .frames = frames };
	struct v1_sink_counts counts;
	struct error err = {0};
	struct v1_sink *v;
	int fd = memfd_create("v1_sink", 0);

	CHECK(!v1_sink_new(&v, fd, &opts, &err));
	CHECK_EQ(v1_sink_finish(v, &err), -ENODATA);
	v1_sink_counts(v, &counts);
	CHECK(!counts.whole);
	v1_sink_free(v);
	close(fd);
}

/* Their ids hold for the whole trace, and a program can give each of its regions another name. */
enum { NAME = 1000, NAMES = 80000, NAMES_KEPT = (64 << 20) / NAME, OTHERS = 8 };

static void regions_of_many_names(void)
{
	char name[NAME];
	int i;

	memset(name, 'n', sizeof(name));
	for (i = 0; i < NAMES; i++) {
		memcpy(name, &i, sizeof(i));
		EVENT(EV_UserRegionBegin, 6, SINK_TEXT(name, sizeof(name)), 5);
		EVENT(EV_UserRegionEnd, 6, SINK_TEXT(name, sizeof(name)), 5);
	}
}

static void names_are_bounded_and_those_beyond_are_counted(void)
{
	const struct row row = { "names", 21, regions_of_many_names, "", V1_LEFT_KINDS };
	struct v1_sink_counts counts;

	free(write_trace(&row, &counts));
	CHECK(counts.trace.strings > NAMES_KEPT * 9 / 10);
	CHECK(counts.trace.strings <= NAMES_KEPT + 1);
	/* few strings are no names of regions: "(a name too many)", those of frames */
	CHECK(counts.left[V1_LEFT_TEXTS] >= 2 * (NAMES - counts.trace.strings));
	CHECK(counts.left[V1_LEFT_TEXTS] <= 2 * (NAMES - counts.trace.strings + OTHERS));
}

int main(void)
{
	static struct unit_case cases[sizeof(rows) / sizeof(rows[0]) + 5] = {
		UNIT(a_disk_that_is_full_once), UNIT(a_trace_without_events), UNIT(a_file_without_its_end),
		UNIT(names_are_bounded_and_those_beyond_are_counted),
	};

	UNIT_ROWS(cases, rows, run_row);
	return unit_main(cases);
}
