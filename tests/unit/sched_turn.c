// SPDX-License-Identifier: Apache-2.0
/* model_turn() ends a generation. With .restate each generation can be the first one of a trace. */
#define _GNU_SOURCE
#include <errno.h>

#include "sched_story.h"

static void begin_restating(bool notes)
{
	struct model_opts opts = { .minor = 27, .version = 25, .gen_ns = 1000000, .gen_bytes = 1 << 20, .notes = notes,
				   .restate = true };

	open_trace(25);
	model = model_new(v2_sink(trace), &opts);
	now = 100000;
}

static int turn(void)
{
	struct error err;

	return model_turn(model, now, &err);
}

static void before_the_trace_begins(void)
{
	begin_restating(true);
	model_note(model, "too early");
	CHECK_EQ(turn(), 0);
	snapshot();
	CHECK_EQ(model_counts(model)->notes, 0);
	check_story(NULL, "7:ProcsChange 2", 0);
}

static void it_ends_with_its_notes(void)
{
	begin_restating(true);
	snapshot();
	model_note(model, "because");
	CHECK_EQ(turn(), 0);
	go(REC_GO_READY, 7, 2);
	check_story("-1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, -1:ProcStatus 1 2, 7:GoStatus 1 7 2, 7:ProcStatus 0 1, "
		    "/ -1:GoStatus 2 -1 4, -1:GoStatus 3 -1 1, -1:ProcStatus 1 2, 7:GoStatus 1 7 2, 7:ProcStatus 0 1",
		    "7:ProcsChange 2, 7:UserLog 0, / 7:GoUnblock 2 1, 7:ProcsChange 2", 0);
}

static void not_while_the_world_is_stopped(void)
{
	begin_restating(false);
	snapshot();
	put(REC_STW_BEGIN, 1, 7, 0, 0, 0, 0);
	CHECK_EQ(turn(), -EAGAIN);
	put(REC_STW_END, 0, 7, 0, 0, 0, 0);
	CHECK_EQ(turn(), 0);
	go(REC_GO_READY, 7, 2);
	check_story(NULL, "7:ProcsChange 2, 7:STWBegin, 7:STWEnd, / 7:GoUnblock 2 1, 7:ProcsChange 2", 0);
}

/*
 * No goroutine runs: the stand-in emits GOMAXPROCS (ProcsChange) in each generation. Viewers need it in the first
 * generation of a trace.
 */
static void each_generation_has_gomaxprocs(void)
{
	begin_restating(false);
	snapshot();
	go(REC_GO_PARK, 7, 1);
	proc(REC_P_STOP, 7, 0);
	CHECK_EQ(turn(), 0);
	now += 500;
	CHECK_EQ(turn(), 0);
	check_story(NULL, "7:ProcsChange 2, 7:GoBlock, 7:ProcStop, "
		    "/ 0:ProcStart 0 1, 0:GoCreate 0, 0:GoStart 0 1, 0:ProcsChange 2, 0:GoDestroy, 0:ProcStop, "
		    "/ 0:ProcStart 0 1, 0:GoCreate 0, 0:GoStart 0 1, 0:ProcsChange 2, 0:GoDestroy, 0:ProcStop", 0);
}

/* Without .restate the size of the heap is only in the generations in which it changed. */
static void each_generation_has_the_heap(void)
{
	begin_restating(false);
	snapshot();
	put(REC_HEAP_ALLOC, 0, 7, 0, 0, 0, 4096);
	put(REC_HEAP_GOAL, 0, 7, 0, 0, 0, 8192);
	CHECK_EQ(turn(), 0);
	go(REC_GO_READY, 7, 2);
	check_story(NULL, "7:ProcsChange 2, 7:HeapAlloc 4096, 7:HeapGoal 8192, "
		    "/ 7:GoUnblock 2 1, 7:ProcsChange 2, 7:HeapAlloc 4096, 7:HeapGoal 8192", 0);
}

static bool has(const char *text)
{
	static char all[1 << 16];
	ssize_t n = pread(fd, all, sizeof(all), 0);

	return n > 0 && memmem(all, (size_t)n, text, strlen(text));
}

/* Notes have no seconds since the begin of the recording: a trace may begin with a later generation. */
static void times_in_notes_are_of_the_clock(void)
{
	begin_restating(true);
	now = 60000000000000;
	snapshot();
	now += 2000000000;
	put(REC_LOST, 0, 0, 1, now - 1000000000, now - 500000000, 12);
	go(REC_GO_READY, 7, 2);
	CHECK_EQ(turn(), 0);
	CHECK(has("lost 12 records on CPU 1 from 60001.000000 s to 60001.500000 s of CLOCK_MONOTONIC"));
	end_story();
}

/* How often the trace has the experimental batch with the address that ids of spans and objects count from. */
static unsigned int bases(void)
{
	static const uint8_t head[] = { EV_ExperimentalBatch, 1 };
	static uint8_t all[1 << 16];
	ssize_t size = pread(fd, all, sizeof(all), 0);
	unsigned int n = 0;
	uint8_t *at;

	for (at = all; size > 0 && (at = memmem(at, (size_t)(all + size - at), head, sizeof(head))); at++)
		n++;
	return n;
}

static void each_generation_has_the_base_of_memory(void)
{
	begin_restating(false);
	snapshot();
	put(REC_SPAN_ALLOC, 0, 7, 0xc000000000, 1, 0, 0);
	put(REC_SPAN_ALLOC, 0, 7, 0xc000002000, 1, 0, 0);
	CHECK_EQ(turn(), 0);
	put(REC_SPAN_ALLOC, 0, 7, 0xc000004000, 1, 0, 0);
	CHECK_EQ(turn(), 0);
	CHECK_EQ(bases(), 2);
	check_story(NULL, "7:ProcsChange 2, 7:SpanAlloc 0 1 0, 7:SpanAlloc 1 1 0, / 7:SpanAlloc 2 1 0, 7:ProcsChange 2, / 7:ProcsChange 2", 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(before_the_trace_begins), UNIT(it_ends_with_its_notes),
		UNIT(not_while_the_world_is_stopped), UNIT(each_generation_has_gomaxprocs), UNIT(each_generation_has_the_heap),
		UNIT(times_in_notes_are_of_the_clock), UNIT(each_generation_has_the_base_of_memory), {0} });
}
