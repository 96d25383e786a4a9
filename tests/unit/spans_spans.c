// SPDX-License-Identifier: Apache-2.0
/* spans: which stays in states the events of small traces give, by values. */
#include "unit.h"

#include <stdlib.h>

#include "spans/spans.h"
#include "trace_text.h"

/* Strings 1 to 9 and stacks 1 to 3 (of f1, f2, f3 in main). */
#define TABLES \
	"batch\nStrings\n" \
	"String id=1\n\tdata=\"main.f1\"\nString id=2\n\tdata=\"main.f2\"\nString id=3\n\tdata=\"runtime.f3\"\n" \
	"String id=4\n\tdata=\"x.go\"\nString id=5\n\tdata=\"chan receive\"\nString id=6\n\tdata=\"preempted\"\n" \
	"String id=7\n\tdata=\"main.main\"\nString id=8\n\tdata=\"gotap: not recorded\"\n" \
	"batch\nStacks\n" \
	"Stack id=1 nframes=2\n\tpc=16 func=1 file=4 line=11\n\tpc=32 func=7 file=4 line=70\n" \
	"Stack id=2 nframes=1\n\tpc=48 func=2 file=4 line=22\n" \
	"Stack id=3 nframes=1\n\tpc=64 func=3 file=4 line=33\n"

static struct buf shown;

static const char *state_of(uint8_t state)
{
	return go_state_name(state);
}

static void put_id(uint64_t id)
{
	if (id == TRACEV2_NO_ID)
		buf_printf(&shown, "-");
	else
		buf_printf(&shown, "%llu", (unsigned long long)id);
}

/* "g1 Waiting 0-5 p- [chan receive] @2 by 1@1 to -@0". Stacks count from 1 in the order in which they are needed. */
static void show_span(void *ctx, const struct span *s)
{
	buf_printf(&shown, "g%llu %s %lld-%lld p", (unsigned long long)s->g->id, state_of(s->state),
		   (long long)(s->from - spans_first(ctx)), (long long)(s->to - spans_first(ctx)));
	put_id(s->p);
	if (*s->reason)
		buf_printf(&shown, " [%s]", s->reason);
	if (s->gap)
		buf_printf(&shown, " gap");
	if (s->p_until != INT64_MAX)
		buf_printf(&shown, " lost-p %lld", (long long)(s->p_until - spans_first(ctx)));
	buf_printf(&shown, " @%u by ", s->stack);
	put_id(s->begin.g);
	buf_printf(&shown, "@%u to ", s->begin.stack);
	put_id(s->end.g);
	buf_printf(&shown, "@%u\n", s->end.stack);
}

static void show_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	buf_printf(&shown, "g%llu %s %s %lld-%lld slot %u%s\n", (unsigned long long)g->id, g->name,
		   g->created ? "created" : "found", (long long)(g->since - spans_first(ctx)),
		   (long long)(time - spans_first(ctx)), g->slot, ended ? " ended" : "");
}

static void show_proc(void *ctx, const struct proc_span *p)
{
	buf_printf(&shown, "p%llu %s m", (unsigned long long)p->p, p->running ? "runs" : "idle");
	put_id(p->m);
	buf_printf(&shown, " %lld-%lld%s%s\n", (long long)(p->from - spans_first(ctx)),
		   (long long)(p->to - spans_first(ctx)), p->open_begin ? " from the begin" : "",
		   p->open_end ? " to the end" : "");
}

static void show_range(void *ctx, const struct range_span *r)
{
	buf_printf(&shown, "%s (%s) of ", r->name, r->reason);
	put_id(r->scope == RESOURCE_NONE ? TRACEV2_NO_ID : r->id);
	buf_printf(&shown, " by ");
	put_id(r->g);
	buf_printf(&shown, "@%u %lld-%lld%s%s\n", r->stack, (long long)(r->from - spans_first(ctx)),
		   (long long)(r->to - spans_first(ctx)), r->open_begin ? " from the begin" : "",
		   r->open_end ? " to the end" : "");
}

static void show_region(void *ctx, const struct region_span *r)
{
	buf_printf(&shown, "region %s depth %u task %llu %lld-%lld%s%s\n", r->type, r->depth,
		   (unsigned long long)r->task, (long long)(r->from - spans_first(ctx)),
		   (long long)(r->to - spans_first(ctx)), r->open_begin ? " from the begin" : "",
		   r->open_end ? " to the end" : "");
}

static void show_task(void *ctx, const struct task_span *t)
{
	buf_printf(&shown, "task %llu %s %lld-%lld%s\n", (unsigned long long)t->id, t->type,
		   (long long)(t->from - spans_first(ctx)), (long long)(t->to - spans_first(ctx)),
		   t->open_end ? " to the end" : "");
}

enum { SHOW_SPANS = 1, SHOW_ENDS = 2, SHOW_PROCS = 4, SHOW_RANGES = 8, SHOW_USER = 16 };

/* What the visitors of @show are shown of the trace. */
static void check_story(int show, const char *text, const char *want)
{
	struct spans *s = spans_new();
	struct spans_visitor v = {
		.ctx = s,
		.span = show & SHOW_SPANS ? show_span : NULL,
		.goroutine_end = show & SHOW_ENDS ? show_end : NULL,
		.proc = show & SHOW_PROCS ? show_proc : NULL,
		.range = show & SHOW_RANGES ? show_range : NULL,
		.region = show & SHOW_USER ? show_region : NULL,
		.task = show & SHOW_USER ? show_task : NULL,
	};
	struct buf bytes;
	struct trace_reader *r = trace_of_text(text, &bytes);
	struct error err = {0};

	shown.len = 0;
	spans_visit(s, &v);
	if (spans_read(s, r, &err))
		printf("# %s\n", err.text);
	buf_add_byte(&shown, 0);
	CHECK_STR((char *)shown.data, want);
	trace_reader_close(r);
	spans_free(s);
	buf_free(&bytes);
}

/* The trace begins with its sync at 0; the first event of a batch comes at 1. */
static void a_wait_has_its_reason_its_place_and_who_ended_it(void)
{
	check_story(SHOW_SPANS | SHOW_ENDS,
		TABLES
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"GoCreate dt=3 new_g=2 new_stack=2 stack=1\n"	/* 5 */
		"GoBlock dt=5 reason_string=5 stack=1\n"	/* 10 */
		"GoStart dt=2 g=2 g_seq=1\n"			/* 12 */
		"GoUnblock dt=8 g=1 g_seq=1 stack=2\n"		/* 20 */
		"GoDestroy dt=1\n"				/* 21 */
		"GoStart dt=4 g=1 g_seq=2\n"			/* 25 */
		"GoStop dt=5 reason_string=6 stack=1\n",	/* 30 */
		"g1 Running 0-10 p0 @0 by -@0 to 1@2\n"
		"g2 Runnable 5-12 p- @1 by 1@2 to -@0\n"
		"g1 Waiting 10-20 p- [chan receive] @2 by 1@2 to 2@1\n"
		"g2 Running 12-21 p0 @1 by -@0 to 2@0\n"
		"g2 main.f2 created 5-21 slot 2 ended\n"
		"g1 Runnable 20-25 p- @2 by 2@1 to -@0\n"
		"g1 Running 25-30 p0 @2 by -@0 to 1@2\n"
		"g1 Runnable 30-31 p- [preempted] @2 by 1@2 to -@0\n"
		"g1 main.main found 0-31 slot 1\n");
}

static void a_system_call_keeps_its_p_or_loses_it(void)
{
	check_story(SHOW_SPANS | SHOW_PROCS,
		TABLES
		TRACE_TEXT_CALLS,
		"g1 Running 0-5 p0 @0 by -@0 to 1@1\n"
		"g1 Syscall 5-10 p0 @1 by 1@1 to 1@0\n"
		"g1 Running 10-15 p0 @1 by 1@0 to 1@1\n"
		"p0 runs m1 0-20 from the begin\n"
		"g1 Syscall 15-30 p0 lost-p 20 @1 by 1@1 to 1@0\n"
		"g1 Runnable 30-31 p- @1 by 1@0 to -@0\n"
		"p0 idle m- 20-31 to the end\n"
		"p1 runs m2 0-31 from the begin to the end\n");
}

static void ranges_end_with_their_owner_and_the_trace(void)
{
	check_story(SHOW_RANGES,
		TABLES
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"GCActive dt=1 gc_seq=1\n"			/* 3 */
		"STWBegin dt=2 kind_string=6 stack=1\n"		/* 5 */
		"STWEnd dt=5\n"					/* 10 */
		"GCMarkAssistBegin dt=2 stack=2\n"		/* 12 */
		"GCEnd dt=3 gc_seq=2\n"				/* 15 */
		"GoDestroy dt=5\n",				/* 20 */
		"stop-the-world (preempted) of 1 by 1@1 5-10\n"
		"GC concurrent mark phase () of - by -@0 0-15 from the begin\n"
		"GC mark assist () of 1 by 1@2 12-20 to the end\n");
}

static void tasks_and_regions_nest(void)
{
	check_story(SHOW_USER,
		TABLES
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"UserRegionEnd dt=1 task=0 name_string=3 stack=0\n"	/* 3: begun before the trace */
		"UserTaskBegin dt=1 task=1 parent_task=0 name_string=1 stack=0\n"	/* 4 */
		"UserRegionBegin dt=1 task=1 name_string=1 stack=1\n"	/* 5 */
		"UserRegionBegin dt=1 task=1 name_string=2 stack=1\n"	/* 6 */
		"UserRegionEnd dt=1 task=1 name_string=2 stack=0\n"	/* 7 */
		"UserTaskBegin dt=1 task=2 parent_task=1 name_string=2 stack=0\n"	/* 8 */
		"UserTaskEnd dt=1 task=1 stack=0\n",			/* 9 */
		"region runtime.f3 depth 0 task 0 0-3 from the begin\n"
		"region main.f2 depth 1 task 1 6-7\n"
		"task 1 main.f1 4-9\n"
		"region main.f1 depth 0 task 1 5-10 to the end\n"
		"task 2 main.f2 8-10 to the end\n");
}

/* Texts, stacks and states go over the border: ids are those of their generation. */
static void a_wait_goes_on_in_the_next_generation(void)
{
	check_story(SHOW_SPANS,
		TABLES
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"GoBlock dt=3 reason_string=8 stack=2\n"	/* 5 */
		"generation time=1100\n"
		"batch\nStrings\nString id=2\n\tdata=\"main.other\"\nString id=9\n\tdata=\"y.go\"\n"
		"batch\nStacks\nStack id=2 nframes=1\n\tpc=80 func=2 file=9 line=1\n"
		"batch m=1 time=1100\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatusStack dt=1 g=1 m=18446744073709551615 gstatus=4 stack=2\n"
		"GoUnblock dt=1 g=1 g_seq=1 stack=2\n",		/* 103 */
		"g1 Running 0-5 p0 @0 by -@0 to 1@1\n"
		"g1 Waiting 5-103 p- [gotap: not recorded] gap @1 by 1@1 to -@2\n"
		"g1 Runnable 103-104 p- @1 by -@2 to -@0\n");
}

/* A record of one that ended serves the next, and keeps nothing but its slot. */
static void slots_are_used_again(void)
{
	check_story(SHOW_ENDS,
		TABLES
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"GoCreate dt=1 new_g=2 new_stack=2 stack=1\n"	/* 3 */
		"GoStop dt=1 reason_string=6 stack=1\n"		/* 4 */
		"GoStart dt=1 g=2 g_seq=1\n"			/* 5 */
		"GoDestroy dt=1\n"				/* 6 */
		"GoStart dt=1 g=1 g_seq=1\n"			/* 7 */
		"GoCreate dt=1 new_g=3 new_stack=3 stack=1\n",	/* 8 */
		"g2 main.f2 created 3-6 slot 2 ended\n"
		"g1 main.main found 0-9 slot 1\n"
		"g3 runtime.f3 created 8-9 slot 2\n");
}

/* It is not one of the program's, whatever stack it has. */
static void goroutine_0_is_of_the_recorder(void)
{
	check_story(SHOW_ENDS,
		TABLES
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoCreate dt=1 new_g=0 new_stack=2 stack=0\n"	/* 2 */
		"GoStart dt=1 g=0 g_seq=1\n"
		"GoDestroy dt=1\n",				/* 4 */
		"g0 (stand-in of the recorder) created 2-4 slot 1 ended\n");
	CHECK(spans_is_system(SPANS_STAND_IN));
}

static void stacks_have_one_number(void)
{
	struct stack_set *set = stack_set_new();
	const struct stack_frame a = { "f", "x.go", 1, 10 }, b = { "g", "x.go", 2, 20 };
	uint32_t f = stack_set_frame(set, &a), g = stack_set_frame(set, &b);
	uint32_t fg[] = { f, g }, gf[] = { g, f };
	uint32_t n;

	CHECK_EQ(stack_set_frame(set, &a), f);
	CHECK(f && g && f != g);
	CHECK_EQ(stack_set_stack(set, fg, 2), 1);
	CHECK_EQ(stack_set_stack(set, gf, 2), 2);
	CHECK_EQ(stack_set_stack(set, fg, 2), 1);
	CHECK_EQ(stack_set_stack(set, fg, 1), 3);
	CHECK_EQ(stack_set_stack(set, fg, 0), 0);
	CHECK_EQ(stack_set_root(set, 1)->line, 20);
	CHECK_EQ(stack_set_at(set, 1, 0)->line, 10);
	CHECK(!stack_set_at(set, 1, 2) && !stack_set_root(set, 0) && !stack_set_at(set, 4, 0));
	CHECK(stack_set_of(set, 2, &n)[0] == g && n == 2);
	stack_set_free(set);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_wait_has_its_reason_its_place_and_who_ended_it),
		UNIT(a_system_call_keeps_its_p_or_loses_it),
		UNIT(ranges_end_with_their_owner_and_the_trace),
		UNIT(tasks_and_regions_nest),
		UNIT(a_wait_goes_on_in_the_next_generation),
		UNIT(slots_are_used_again),
		UNIT(goroutine_0_is_of_the_recorder),
		UNIT(stacks_have_one_number),
		{0},
	});
}
