// SPDX-License-Identifier: Apache-2.0
/*
 * v1_check: every consistency rule of the v1 formats, each with a trace that
 * breaks it and the message that must follow, and the traces next to them that
 * are fine. Traces are made from text, see tests/v1/make.h.
 */
#include "../v1/make.h"
#include "unit.h"

#include "base/vec.h"
#include "v1/trace.h"

struct rule {
	int version;
	const char *text;
	const char *error;	/* part of the message, NULL: the trace is fine */
};

#define FREQ "; Frequency 1000000000"
/* P 0 runs goroutine 1; 2 is runnable. */
#define G "Batch 0 100; ProcStart; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 1; "
#define V5 "Batch 0 1 100; ProcStart 7; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 1; "
#define V7 "Batch 0 100; ProcStart 7; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 1 1; "

static void check_rule(const struct rule *r)
{
	struct make m = make_trace(r->version, r->text);
	struct v1_summary summary;
	struct error err = { .text = "" };
	int ret = v1_check(m.data, m.len, &summary, &err);
	int good = r->error ? ret < 0 && strstr(err.text, r->error) : ret == 0;

	if (!good)
		printf("# version %d: %s\n#   got \"%s\", expected \"%s\"\n", r->version, r->text,
		       err.text, r->error ? r->error : "no error");
	unit_failures += !good;
	free(m.data);
}

static void headers(void)
{
	static const struct { const char *bytes; size_t n; const char *error; } cases[] = {
		{ "", 0, "failed to read header" },
		{ "gotrac", 6, "failed to read header" },
		{ "gotrace\0", 8, "no Frequency event" },
		{ "gotracf\0gotracf\0", 16, "not a trace file" },
		{ "go 1.11 trace\0\0\0", 16, "no Frequency event" },
		{ "go 1.11 trace\0\0x", 16, "not a trace file" },
		{ "go 1.5 trace\0\0\0\0", 16, "no Frequency event" },
		{ "go 1.6 trace\0\0\0\0", 16, "unsupported trace file version go 1.6" },
		{ "go 1.22 trace\0\0\0", 16, "unsupported trace file version go 1.22" },
		{ "go 1.x trace\0\0\0\0", 16, "not a trace file" },
		{ "go 2.5 trace\0\0\0\0", 16, "not a trace file" },
	};
	struct v1_summary summary;
	struct error err;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(v1_check((const uint8_t *)cases[i].bytes, cases[i].n, &summary, &err) < 0);
		if (!strstr(err.text, cases[i].error))
			CHECK_STR(err.text, cases[i].error);
	}
}

static const struct rule records_before_go15[] = {
	{ 4, G "GoEnd" FREQ, NULL },
	{ 4, G "GoEnd; hex 00" FREQ, "unknown event type 0" },
	{ 4, G "GoEnd; hex 24 01" FREQ, "unknown event type 36" },
	{ 4, G "hex 0f ff ff ff ff ff ff ff ff ff ff 01" FREQ, "bad value at offset" },
	{ 4, G "GoEnd" FREQ "; hex 0f", "failed to read trace at offset" },
	{ 4, G "hex cd 03 01 03 80 01" FREQ, "event has wrong length" },
	{ 4, G "hex cd 20 01 03" FREQ, "failed to read trace at offset" },
	{ 4, G "hex 4f 01 02" FREQ, "wrong number of arguments" },
	{ 4, G "GoEnd; Frequency 0", "invalid frequency" },
	{ 4, G "GoEnd; Frequency -5", "invalid frequency" },
	{ 4, G "GoEnd", "no Frequency event" },
	{ 4, G "GoEnd" FREQ "; Stack 1 10 20", NULL },
	{ 4, G "GoEnd" FREQ "; hex c3 04 01 01 10 20", NULL },
	{ 4, G "GoEnd" FREQ "; hex c3 03 00 00 10", NULL },
	{ 5, V5 "Frequency 1000 0; hex c3 04 01 01 10 20", "wrong number of arguments" },
	{ 4, G "GoEnd" FREQ "; hex c3 01 01", "wrong number of arguments" },
	{ 4, G "GoEnd" FREQ "; hex c3 03 01 e9 07", "bad number of frames" },
	{ 4, G "GoEnd" FREQ "; hex c3 03 01 02 10", "wrong number of arguments" },
	{ 4, "Frequency 1", "trace is empty" },
};

static const struct rule procs_and_collector_before_go15[] = {
	{ 4, G "ProcStart" FREQ, "p 0 is running before start" },
	{ 4, G "Batch 1 200; ProcStop" FREQ, "p 1 is not running before stop" },
	{ 4, G "ProcStop" FREQ, "p 0 is running a goroutine 1 during stop" },
	{ 4, G "GCStart 0; GCStart 0" FREQ, "previous GC is not ended before a new one" },
	{ 4, G "GCStart 0; Batch 1 300; GCStart 0" FREQ, NULL },
	{ 4, G "GCDone" FREQ, "bogus GC end" },
	{ 4, G "GCStart 0; Batch 1 300; GCDone" FREQ, "bogus GC end" },
	{ 4, G "STWStart; STWStart" FREQ, "previous scanning is not ended" },
	{ 4, G "STWDone" FREQ, "bogus scanning end" },
	{ 4, G "GCSweepStart 0; GCSweepStart 0" FREQ, "previous sweeping is not ended" },
	{ 4, G "GCSweepDone" FREQ, "bogus sweeping end" },
	{ 4, G "GCStart 0; STWStart; STWDone; GCDone; GCSweepStart 0; GCSweepDone" FREQ,
	  NULL },
	{ 4, G "Gomaxprocs 4 0; HeapAlloc 10; NextGC 20; TimerGoroutine 1" FREQ, NULL },
};

static const struct rule goroutines_before_go15[] = {
	{ 4, G "GoWaiting 2; GoUnblock 2 0" FREQ, NULL },
	{ 4, G "GoWaiting 1" FREQ, "g 1 is not runnable before GoWaiting" },
	{ 4, G "GoInSyscall 1; GoInSyscall 99" FREQ, NULL },
	{ 4, G "GoEnd; @0 Batch 1 300; GoCreate 3 0 0" FREQ, NULL },
	{ 4, G "GoCreate 2 0 0" FREQ, "g 2 already exists" },
	{ 4, G "Batch 1 300; ProcStart; GoStart 1" FREQ, "g 1 is not runnable before start" },
	{ 4, G "GoStart 2" FREQ, "p 0 is already running g 1 while start g 2" },
	{ 4, G "GoEnd; GoStart 1" FREQ, "g 1 is not runnable before start" },
	{ 4, G "GoStop 0; GoStart 1" FREQ, "g 1 is not runnable before start" },
	{ 4, G "GoSched 0; GoStart 1; GoPreempt 0; GoStart 1" FREQ, NULL },
	{ 4, G "GoUnblock 2 0" FREQ, "g 2 is not waiting before unpark" },
	{ 4, G "GoSleep 0; GoStart 1" FREQ, "g 1 is not runnable before start" },
	{ 4, G "GoBlock 0; GoUnblock 1 0; GoStart 1" FREQ, NULL },
	{ 4, G "GoSysCall 0; GoSysBlock 0; GoSysExit 1; GoStart 1" FREQ, NULL },
	{ 4, G "GoSysExit 1" FREQ, "g 1 is not runnable during syscall exit" },
	{ 4, G "GoBlock 0; GoSysExit 1" FREQ, "g 1 is not runnable during syscall exit" },
	/* A P's goroutine is remembered across its batches; times order the rest. */
	{ 4, G "GoBlock 0; Batch 1 102; GoStart 2; GoUnblock 1 0; Batch 0 900; GoStart 1"
	  FREQ, "g 1 is not waiting before unpark" },
	{ 4, G "GoBlock 0; Batch 1 200; GoStart 2; GoUnblock 1 0; Batch 0 900; GoStart 1"
	  FREQ, NULL },
};

/*
 * Whoever acts must run, and on its own P. Formats without an order of their
 * own can say otherwise: a batch with later times, earlier in the file, makes
 * 1 the goroutine of P 0 before it has been started.
 */
static void goroutines_must_run_to_act(void)
{
	static const struct { const char *event, *name; } acts[] = {
		{ "GoEnd", "GoEnd" }, { "GoStop 0", "GoStop" }, { "GoSched 0", "GoSched" },
		{ "GoPreempt 0", "GoPreempt" }, { "GoSleep 0", "GoSleep" },
		{ "GoBlock 0", "GoBlock" }, { "GoBlockSend 0", "GoBlockSend" },
		{ "GoBlockRecv 0", "GoBlockRecv" }, { "GoBlockSelect 0", "GoBlockSelect" },
		{ "GoBlockSync 0", "GoBlockSync" }, { "GoBlockCond 0", "GoBlockCond" },
		{ "GoBlockNet 0", "GoBlockNet" }, { "GoSysCall 0", "GoSysCall" },
		{ "GoSysBlock 0", "GoSysBlock" }, { "GoCreate 9 0 0", "GoCreate" },
		{ "GoUnblock 2 0", "unpark" },
	};
	char text[512], message[64];
	struct rule r = { .version = 4, .text = text, .error = message };
	size_t i;

	for (i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
		snprintf(text, sizeof(text), "Batch 2 100; GoCreate 1 0 0; GoCreate 2 0 0; "
			 "GoWaiting 2; Batch 0 300; GoStart 1; Batch 0 200; %s" FREQ,
			 acts[i].event);
		snprintf(message, sizeof(message), "g 1 is not running while %s", acts[i].name);
		check_rule(&r);
		snprintf(text, sizeof(text), "Batch 2 100; GoCreate 1 0 0; GoCreate 2 0 0; "
			 "GoWaiting 2; Batch 0 300; GoStart 1; Batch 0 200; %s; Batch 1 150; "
			 "GoStart 1" FREQ, acts[i].event);
		snprintf(message, sizeof(message), "p 0 is not running g 1 while %s",
			 acts[i].name);
		check_rule(&r);
	}
	/* A goroutine that runs timers wakes others from wherever it is. */
	strcpy(text, "Batch 2 100; GoCreate 1 0 0; GoCreate 2 0 0; GoWaiting 2; Batch 0 300; "
	       "GoStart 1; Batch 0 200; GoUnblock 2 0; Batch 1 150; GoStart 1; @99 GoSched 0"
	       FREQ "; TimerGoroutine 1");
	r.error = NULL;
	check_rule(&r);
}

static const struct rule order_and_clock_of_go15[] = {
	{ 5, V5 "GoEnd; Frequency 1000 0", NULL },
	{ 5, V5 "GoEnd; Frequency 0 0", "time stamps out of order" },
	{ 5, "Batch 0 1 100; GoCreate 1 0 0; Batch 1 2 50; GoStart 1; Frequency 1000 0",
	  "time stamps out of order" },
	/* The sequence number decides, not the time and not the place in the file. */
	{ 5, "Batch 1 2 101; GoStart 1; Batch 0 1 100; GoCreate 1 0 0; Frequency 1000 0",
	  NULL },
	{ 5, V5 "GoSysCall 0; GoSysBlock; GoSysExit 1 20 120; Frequency 1000 0", NULL },
	{ 5, V5 "GoSysCall 0; GoSysExit 1 20 120; Frequency 1000 0",
	  "g 1 is not waiting during syscall exit" },
	{ 5, V5 "FutileWakeup; TimerGoroutine 2 0; Frequency 1000 0", NULL },
	{ 5, V5 "hex 26 01 01; Frequency 1000 0", "unknown event type 38" },
};

static const struct rule order_since_go17[] = {
	{ 7, V7 "GoEnd" FREQ, NULL },
	{ 7, "Batch 0 100; GoStart 1 1" FREQ, "no consistent ordering of events possible" },
	{ 7, "Batch 0 100; GoCreate 1 0 0; GoStart 1 2" FREQ, "no consistent ordering" },
	{ 7, "Batch 0 100; GoCreate 1 0 0; GoCreate 1 0 0" FREQ, "no consistent ordering" },
	{ 7, V7 "GCStart 0 0; GCDone; GCStart 2 0" FREQ, "no consistent ordering" },
	/* Wrong clocks do not spoil the order, but the trace. */
	{ 7, "Batch 1 50; GoStart 1 1; Batch 0 100; GoCreate 1 0 0" FREQ,
	  "time stamps out of order" },
	{ 7, "Batch 1 150; GoStart 1 1; Batch 0 100; GoCreate 1 0 0" FREQ, NULL },
	{ 7, V7 "GoSysCall 0; GoSysBlock; GoSysExit 1 2 107" FREQ, NULL },
	{ 7, V7 "GoSysCall 0; GoSysBlock; GoSysExit 1 2 10" FREQ, "time stamps out of" },
	{ 7, V7 "GoBlock 0; GoSysExit 1 2 107" FREQ, "stray syscall exit" },
	{ 7, V7 "GoBlock 0; GoUnblockLocal 1 0; GoStartLocal 1" FREQ, NULL },
	/* The parsers look at the goroutine that the P ran last: it never waits. */
	{ 7, V7 "GoSysCall 0; GoSysBlock; GoSysExitLocal 1 0" FREQ, "g 0 is not waiting during syscall exit" },
	{ 8, V7 "GoSysCall 0; GoSysBlock; GoSysExitLocal 1 0" FREQ, "g 0 is not waiting during syscall exit" },
	{ 11, V7 "GoSysCall 0; GoSysBlock; GoSysExitLocal 1 120" FREQ, "g 0 is not waiting during syscall exit" },
	{ 11, V7 "GoSysCall 0; GoSysBlock; GoStart 2 1; GoSysExitLocal 1 0" FREQ,
	  "g 2 is not waiting during syscall exit" },
	{ 10, V7 "FutileWakeup" FREQ, NULL },
	{ 11, V7 "FutileWakeup" FREQ, "unexpected event FutileWakeup" },
	{ 21, V7 "FutileWakeup" FREQ, "unexpected event FutileWakeup" },
	{ 7, V7 "hex 29 01" FREQ, "unknown event type 41" },
	{ 10, V7 "hex 2d 01" FREQ, "unknown event type 45" },
	{ 11, V7 "hex 31 01" FREQ, "unknown event type 49" },
	{ 21, V7 "hex 32 01" FREQ, "unknown event type 50" },
	{ 10, "Gomaxprocs 4 0" FREQ, NULL },
	{ 11, "Gomaxprocs 4 0" FREQ, "P has no batches yet" },
	{ 11, "Batch 0x80000000 1; Gomaxprocs 4 0" FREQ, "processor ID 2147483648 is larger than maximum of 2147483647" },
	{ 11, "Batch 0x7fffffff 1; Gomaxprocs 4 0" FREQ, NULL },
	{ 10, "Batch 0x80000000 1; ProcStart 1; Batch 0x180000000 2; ProcStart 1" FREQ, NULL },
	{ 10, "Batch 0x80000000 1; ProcStart 1; Batch 0x80000000 2; ProcStart 1" FREQ,
	  "p 2147483648 is running before start" },
	{ 19, V7 "CPUSample 110 0x80000000 0 0" FREQ, NULL },
	{ 11, "Batch -1 1; Gomaxprocs 4 0" FREQ, NULL },
};

/* What an event needs of its goroutine, and what it gives (since 1.7). */
static const struct rule needs_since_go17[] = {
	{ 7, "Batch 0 100; GoCreate 1 0 0; GoWaiting 1; GoUnblock 1 2 0; GoStart 1 3" FREQ, NULL },
	{ 7, "Batch 0 100; GoCreate 1 0 0; GoInSyscall 1; GoSysExit 1 2 0; GoStart 1 3" FREQ, NULL },
	{ 7, "Batch 0 100; GoCreate 1 0 0; GoStart 1 1; GoWaiting 1" FREQ, "stuck at GoWaiting" },
	{ 7, "Batch 0 100; GoCreate 1 0 0; GoStart 1 1; GoInSyscall 1" FREQ, "stuck at GoInSyscall" },
	{ 8, "Batch 0 100; GoCreate 1 0 0; GoStartLabel 1 2 0" FREQ, "stuck at GoStartLabel" },
	{ 8, "Batch 0 100; GoCreate 1 0 0; GoStartLabel 1 1 0" FREQ, NULL },
	{ 7, "Batch 0 100; GoStartLocal 1" FREQ, "stuck at GoStartLocal" },
	{ 7, V7 "GoSleep 0; GoSleep 0" FREQ, "no consistent ordering" },
	{ 7, V7 "GoBlockSend 0; GoUnblock 1 3 0" FREQ, "stuck at GoUnblock" },
	{ 7, V7 "GoBlockSend 0; GoUnblock 1 2 0; GoStart 1 3" FREQ, NULL },
	{ 7, V7 "GoSched 0; GoStart 1 2; GoPreempt 0; GoStart 1 3" FREQ, NULL },
	{ 7, V7 "GoSched 0; GoUnblock 1 2 0" FREQ, "stuck at GoUnblock" },
	{ 7, V7 "GoSysCall 0; GoSysBlock; GoSysExit 1 3 107" FREQ, "stuck at GoSysExit" },
	{ 7, V7 "GoUnblockLocal 2 0" FREQ, "stuck at GoUnblockLocal" },
	{ 7, V7 "GoSysExitLocal 2 0" FREQ, "stuck at GoSysExitLocal" },
	{ 8, V7 "GoBlockGC 0; GoUnblock 1 2 0; GoStart 1 3" FREQ, NULL },
	{ 7, V7 "GCStart 0 0; GCDone; GCStart 1 0; GCDone" FREQ, NULL },
	{ 7, V7 "GCStart 1 0" FREQ, "stuck at GCStart" },
	{ 7, V7 "GoEnd; ProcStop; ProcStart 3; HeapAlloc 1; NextGC 2; FutileWakeup" FREQ, NULL },
};

static const struct rule strings_and_stacks[] = {
	{ 7, V7 "String 1 \"a\"; String 2 \"a\"; Stack 1 16 1 2 3" FREQ, NULL },
	{ 7, V7 "String 0 \"a\"" FREQ, "invalid id 0" },
	{ 7, V7 "String 1 \"a\"; String 1 \"b\"" FREQ, "duplicate id 1" },
	{ 7, V7 "String 1 \"\"" FREQ, "invalid length 0" },
	{ 7, V7 "hex 25 01 c1 84 3d" FREQ, "too large length 1000001" },
	{ 7, V7 "hex 25 01 7f 01" FREQ, "failed to read trace at offset" },
	{ 7, V7 "hex c3 03 01 01 10" FREQ, "wrong number of arguments" },
	{ 7, V7 "GoBlock 77" FREQ, NULL },
};

static void goroutine_zero_does(const char *event, int version, const char *error)
{
	char text[256];
	struct rule r = { .version = version, .text = text, .error = error };

	snprintf(text, sizeof(text), "Batch 0 100; HeapAlloc 1; %s" FREQ, event);
	check_rule(&r);
}

/* Before 1.5 it may begin a system call, which writes nothing down that the parser misses. */
static void goroutine_zero_does_nothing(void)
{
	static const char *const events[] = {
		"GoEnd", "GoStop 0", "GoSched 0", "GoPreempt 0", "GoSleep 0", "GoBlock 0", "GoBlockSend 0",
		"GoBlockRecv 0", "GoBlockSelect 0", "GoBlockSync 0", "GoBlockCond 0", "GoBlockNet 0",
	};
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		goroutine_zero_does(events[i], 4, "g 0 did Go");
		goroutine_zero_does(events[i], 7, i < 2 ? "g 0 did Go" : "no consistent ordering");
	}
	goroutine_zero_does("GoSysBlock 0", 4, "g 0 did GoSysBlock");
	goroutine_zero_does("GoSysBlock", 11, "no consistent ordering");
	goroutine_zero_does("GoSysCall 0", 4, NULL);
	goroutine_zero_does("GoSysCall 0", 7, "g 0 did GoSysCall");
	goroutine_zero_does("GoCreate 1 0 0", 4, NULL);
	goroutine_zero_does("GoCreate 1 0 0", 7, NULL);
}

static void procs_are_counted(void)
{
	struct make m = make_trace(11, "Batch -1 1; GoCreate 1 0 0; Batch 0 5; ProcStart 1; Batch 3 9; ProcStart 1" FREQ);
	struct v1_summary summary = {0};
	struct error err;

	CHECK(!v1_check(m.data, m.len, &summary, &err));
	CHECK_EQ(summary.procs, 2);
	free(m.data);
}

static const struct rule states_since_go15[] = {
	{ 5, V5 "GoWaiting 1; Frequency 1000 0", "g 1 is not runnable before GoWaiting" },
	{ 5, V5 "GoInSyscall 1; Frequency 1000 0",
	  "g 1 is not runnable before GoInSyscall" },
	{ 5, V5 "GoInSyscall 2; GoSysExit 2 9 0; Frequency 1000 0", NULL },
	{ 7, V7 "ProcStart 8" FREQ, "p 0 is running before start" },
	{ 7, V7 "ProcStop" FREQ, "p 0 is running a goroutine 1 during stop" },
	{ 7, V7 "Batch 1 300; ProcStop" FREQ, "p 1 is not running before stop" },
	{ 7, V7 "GoStart 2 1" FREQ, "p 0 is already running g 1 while start g 2" },
	{ 7, V7 "GoUnblock 2 1 0" FREQ, "no consistent ordering" },
	{ 5, V5 "GoUnblock 2 0; Frequency 1000 0", "g 2 is not waiting before unpark" },
	{ 5, V5 "GoCreate 2 0 0; Frequency 1000 0", "g 2 already exists" },
	{ 5, V5 "Batch 1 20 200; GoStart 1; Frequency 1000 0",
	  "g 1 is not runnable before start" },
	{ 7, V7 "GCStart 0 0; Batch 1 300; GCStart 1 0" FREQ, "previous GC is not ended" },
	{ 7, V7 "GCDone" FREQ, "bogus GC end" },
};

static const struct rule stop_the_world[] = {
	/* Per P up to 1.9, of the program since. */
	{ 9, V7 "STWStart; Batch 1 300; STWStart; STWDone" FREQ, NULL },
	{ 9, V7 "STWStart; STWStart" FREQ, "previous STW is not ended before a new one" },
	{ 9, V7 "STWStart; Batch 1 300; STWDone" FREQ, "bogus STW end" },
	{ 10, V7 "STWStart 0; Batch 1 300; STWStart 1" FREQ, "previous STW is not ended" },
	{ 10, V7 "STWStart 0; Batch 1 300; STWDone" FREQ, NULL },
	{ 10, V7 "STWDone" FREQ, "bogus STW end" },
	{ 10, V7 "STWStart" FREQ, "wrong number of arguments" },
	{ 9, V7 "STWStart 0" FREQ, "wrong number of arguments" },
	{ 21, V7 "STWStart 16; STWDone" FREQ, NULL },
	{ 21, V7 "STWStart 99; STWDone" FREQ, NULL },
	{ 10, V7 "STWStart 1; STWDone" FREQ, NULL },
	{ 10, V7 "STWStart 2; STWDone" FREQ, "unknown STW kind 2" },
	{ 11, V7 "STWStart 2; STWDone" FREQ, "unknown STW kind 2" },
	{ 19, V7 "STWStart 2; STWDone" FREQ, "unknown STW kind 2" },
};

static const struct rule ranges_and_annotations[] = {
	{ 8, V7 "GCSweepStart 0; GCSweepDone" FREQ, NULL },
	{ 9, V7 "GCSweepStart 0; GCSweepDone 1 2" FREQ, NULL },
	{ 9, V7 "GCSweepStart 0; GCSweepStart 0" FREQ, "previous sweeping is not ended" },
	{ 9, V7 "GCSweepDone 1 2" FREQ, "bogus sweeping end" },
	{ 9, V7 "GCMarkAssistStart 0; GCMarkAssistStart 0" FREQ, "previous mark assist" },
	{ 9, V7 "GCMarkAssistDone; GCMarkAssistDone" FREQ, NULL },
	{ 11, V7 "UserTaskCreate 1 0 0 0; UserTaskCreate 1 0 0 0" FREQ,
	  "task id conflicts (id:1)" },
	{ 11, V7 "UserTaskCreate 1 0 0 0; UserTaskEnd 1 0; UserTaskCreate 1 0 0 0" FREQ,
	  NULL },
	{ 11, V7 "UserTaskEnd 5 0" FREQ, NULL },
	{ 11, V7 "UserRegion 1 2 0 0" FREQ, "invalid user region mode: 2" },
	{ 11, V7 "UserRegion 1 1 0 0" FREQ, NULL },
	{ 11, V7 "String 3 \"a\"; UserRegion 1 0 3 0; UserRegion 1 1 0 0" FREQ,
	  "misuse of region in goroutine 1" },
	{ 11, V7 "UserRegion 1 0 0 0; UserRegion 2 1 0 0" FREQ, "misuse of region" },
	{ 11, V7 "UserRegion 1 0 0 0; UserRegion 1 0 0 0; UserRegion 1 1 0 0; GoEnd" FREQ,
	  NULL },
	{ 11, V7 "UserLog 1 0 0 \"text\"" FREQ, NULL },
	{ 11, V7 "UserLog 1 0 0" FREQ "; hex 0f", "failed to read" },
	{ 19, V7 "CPUSample 110 -1 0 0; CPUSample 105 0 1 0" FREQ, NULL },
	{ 19, V7 "GoCreate 9 0 0; CPUSample 150 0 9 0" FREQ, NULL },
	{ 19, V7 "@50 HeapAlloc 1; CPUSample 105 0 9 0; GoCreate 9 0 0" FREQ, "g 9 already exists" },
	{ 19, V7 "CPUSample 105 0" FREQ, "wrong number of arguments" },
};

static void rule_row(const void *row)
{
	check_rule(row);
}

/* A case of each row, named after the table, the format and the rule, in words of the message. */
static struct unit_case *add_rules(struct unit_case *at, const char *table, const struct rule *rules,
				   size_t n)
{
	size_t i;

	for (i = 0; i < n; i++, rules++, at++) {
		const char *of = rules->error ? rules->error : rules->text;

		char format[8] = "gotrace";

		if (rules->version != 4)
			snprintf(format, sizeof(format), "1.%d", rules->version);
		*at = (struct unit_case){ .run_row = rule_row, .row = rules };
		at->name = xasprintf("%s, %s: %s%.70s", table, format, rules->error ? "" : "fine: ", of);
	}
	return at;
}

#define RULES(at, table) add_rules(at, #table, table, sizeof(table) / sizeof(*(table)))

int main(void)
{
	static struct unit_case cases[300] = {
		UNIT(headers),
		UNIT(goroutines_must_run_to_act),
		UNIT(goroutine_zero_does_nothing),
		UNIT(procs_are_counted),
	};
	struct unit_case *at = cases + 4;

	at = RULES(at, records_before_go15);
	at = RULES(at, procs_and_collector_before_go15);
	at = RULES(at, goroutines_before_go15);
	at = RULES(at, order_and_clock_of_go15);
	at = RULES(at, order_since_go17);
	at = RULES(at, needs_since_go17);
	at = RULES(at, strings_and_stacks);
	at = RULES(at, states_since_go15);
	at = RULES(at, stop_the_world);
	at = RULES(at, ranges_and_annotations);
	return unit_main(cases);
}
