// SPDX-License-Identifier: Apache-2.0
/* why_walk: the critical paths of small traces, step by step. */
#include "why_story.h"

static const struct why_question of_1 = OF_GOROUTINE(1), of_2 = OF_GOROUTINE(2);

/* 1 waits for 2, which waits for 3 meanwhile; what 2 and 3 did before does not count. */
#define CHAIN \
	BEGIN \
	"GoCreate dt=3 new_g=2 new_stack=2 stack=1\n"		/* 5 */ \
	"GoCreate dt=1 new_g=3 new_stack=3 stack=1\n"		/* 6 */ \
	"GoBlock dt=4 reason_string=5 stack=1\n"		/* 10 */ \
	"GoStart dt=2 g=2 g_seq=1\n"				/* 12 */ \
	"GoBlock dt=8 reason_string=5 stack=2\n"		/* 20 */ \
	"GoStart dt=2 g=3 g_seq=1\n"				/* 22 */ \
	"GoUnblock dt=8 g=2 g_seq=2 stack=3\n"			/* 30 */ \
	"GoDestroy dt=1\n"					/* 31 */ \
	"GoStart dt=4 g=2 g_seq=3\n"				/* 35 */ \
	"GoUnblock dt=5 g=1 g_seq=1 stack=2\n"			/* 40 */ \
	"GoDestroy dt=1\n"					/* 41 */ \
	"GoStart dt=4 g=1 g_seq=2\n"				/* 45 */ \
	"GoStop dt=5 reason_string=6 stack=1\n"			/* 50 */

static void a_chain_of_wakers_is_followed(void)
{
	check_path(&of_1, CHAIN,
		"0-10 g1 running\n"
		"10-12 g2 runnable d1\n"
		"12-20 g2 running d1\n"
		"20-22 g3 runnable d2\n"
		"22-30 g3 running d2 woke 2\n"
		"30-35 g2 runnable d1\n"
		"35-40 g2 running d1 woke 1\n"
		"40-45 g1 runnable\n"
		"45-50 g1 running\n"
		"50-51 g1 runnable\n");
	check_path(&of_2, CHAIN,
		"5-12 g2 runnable\n"
		"12-20 g2 running\n"
		"20-22 g3 runnable d1\n"
		"22-30 g3 running d1 woke 2\n"
		"30-35 g2 runnable\n"
		"35-41 g2 running\n");
}

/* The interval may begin and end inside of steps, and in a wait whose end comes later. */
static void an_interval_is_cut_exactly(void)
{
	struct why_question q = OF_GOROUTINE(1);

	q.from = 15;
	q.to = 25;
	check_path(&q, CHAIN,
		"15-20 g2 running d1\n"
		"20-22 g3 runnable d2\n"
		"22-25 g3 running d2\n");
	q.from = 2;
	q.to = 11;
	check_path(&q, CHAIN, "2-10 g1 running\n" "10-11 g2 runnable d1\n");
	q = (struct why_question)OF_GOROUTINE(2);
	q.from = 3;
	q.to = 13;
	check_path(&q, CHAIN, "3-5 g1 running d1 created 2\n" "5-12 g2 runnable\n" "12-13 g2 running\n");
}

static void the_program_ends_with_who_runs_last(void)
{
	struct why_question q = { .of = WHY_PROGRAM, .percentile = 100, .from = INT64_MIN, .to = 38 };

	check_path(&q, CHAIN,
		"0-5 g1 running d1 created 2\n"
		"5-12 g2 runnable\n"
		"12-20 g2 running\n"
		"20-22 g3 runnable d1\n"
		"22-30 g3 running d1 woke 2\n"
		"30-35 g2 runnable\n"
		"35-38 g2 running\n");
	q.from = 42;
	q.to = 44;
	check_path(&q, CHAIN, "42-44 g2 ended\n");
	q.to = 47;
	check_path(&q, CHAIN, "42-45 g1 runnable\n" "45-47 g1 running\n");
}

static void a_wait_that_no_goroutine_ends_says_who_did(void)
{
	check_path(&of_1,
		BEGIN
		"GoBlock dt=3 reason_string=11 stack=1\n"	/* 5, sleep */
		"GoUnblock dt=5 g=1 g_seq=1 stack=0\n"		/* 10 */
		"GoStart dt=2 g=1 g_seq=2\n"			/* 12 */
		"GoBlock dt=3 reason_string=9 stack=1\n"	/* 15, network */
		"GoUnblock dt=5 g=1 g_seq=3 stack=0\n"		/* 20 */
		"GoStart dt=2 g=1 g_seq=4\n"			/* 22 */
		"GoBlock dt=3 reason_string=10 stack=1\n"	/* 25, sync */
		"GoUnblock dt=5 g=1 g_seq=5 stack=0\n"		/* 30 */
		"GoStart dt=2 g=1 g_seq=6\n"			/* 32 */
		"GoBlock dt=3 reason_string=8 stack=1\n"	/* 35, a gap */
		"GoUnblock dt=5 g=1 g_seq=7 stack=0\n"		/* 40 */
		"GoStart dt=2 g=1 g_seq=8\n"			/* 42 */
		"GoBlock dt=3 reason_string=5 stack=1\n",	/* 45 */
		"0-5 g1 running\n"
		"5-10 g1 waiting by timer\n"
		"10-12 g1 runnable\n"
		"12-15 g1 running\n"
		"15-20 g1 waiting by netpoll\n"
		"20-22 g1 runnable\n"
		"22-25 g1 running\n"
		"25-30 g1 waiting by runtime\n"
		"30-32 g1 runnable\n"
		"32-35 g1 running\n"
		"35-40 g1 gap\n"
		"40-42 g1 runnable\n"
		"42-45 g1 running\n"
		"45-46 g1 waiting by nobody\n");
}

/* Who starts the world polls the network; it is not to blame for the wait. One that closes the file is. */
static void the_network_is_not_who_polled_it(void)
{
	static const char story[] =
		BEGIN
		"GoCreate dt=3 new_g=2 new_stack=2 stack=1\n"	/* 5 */
		"GoBlock dt=5 reason_string=9 stack=1\n"	/* 10, network */
		"GoStart dt=2 g=2 g_seq=1\n"			/* 12 */
		"GoUnblock dt=8 g=1 g_seq=1 stack=%d\n"		/* 20 */
		"GoDestroy dt=1\n"				/* 21 */
		"GoStart dt=4 g=1 g_seq=2\n"			/* 25 */
		"GoDestroy dt=5\n";				/* 30 */
	char text[sizeof(story) + 16];

	snprintf(text, sizeof(text), story, 2);
	check_path(&of_1, text, "0-10 g1 running\n" "10-20 g1 waiting by netpoll\n" "20-25 g1 runnable\n"
		   "25-30 g1 running\n");
	snprintf(text, sizeof(text), story, 6);
	check_path(&of_1, text, "0-10 g1 running\n" "10-12 g2 runnable d1\n" "12-20 g2 running d1 woke 1\n"
		   "20-25 g1 runnable\n" "25-30 g1 running\n");
}

/* Two goroutines that hand a token to and fro: each wait is explained by the other's work. */
static void two_that_wake_each_other_take_turns(void)
{
	check_path(&of_1,
		BEGIN
		"GoCreate dt=1 new_g=2 new_stack=2 stack=1\n"	/* 3 */
		"GoBlock dt=1 reason_string=5 stack=1\n"	/* 4 */
		"GoStart dt=1 g=2 g_seq=1\n"			/* 5 */
		"GoUnblock dt=5 g=1 g_seq=1 stack=2\n"		/* 10 */
		"GoBlock dt=1 reason_string=5 stack=2\n"	/* 11 */
		"GoStart dt=1 g=1 g_seq=2\n"			/* 12 */
		"GoUnblock dt=8 g=2 g_seq=2 stack=1\n"		/* 20 */
		"GoBlock dt=1 reason_string=5 stack=1\n"	/* 21 */
		"GoStart dt=1 g=2 g_seq=3\n"			/* 22 */
		"GoUnblock dt=8 g=1 g_seq=3 stack=2\n"		/* 30 */
		"GoBlock dt=1 reason_string=5 stack=2\n"	/* 31 */
		"GoStart dt=1 g=1 g_seq=4\n"			/* 32 */
		"GoDestroy dt=1\n",				/* 33 */
		"0-4 g1 running\n"
		"4-5 g2 runnable d1\n"
		"5-10 g2 running d1 woke 1\n"
		"10-12 g1 runnable\n"
		"12-21 g1 running\n"
		"21-22 g2 runnable d1\n"
		"22-30 g2 running d1 woke 1\n"
		"30-32 g1 runnable\n"
		"32-33 g1 running\n");
}

/* 2 was created while 1 waited: before, the time is that of its creator. */
static void who_was_created_meanwhile_leads_to_the_creator(void)
{
	check_path(&of_1,
		BEGIN
		"GoCreate dt=1 new_g=3 new_stack=3 stack=1\n"	/* 3 */
		"GoBlock dt=2 reason_string=5 stack=1\n"	/* 5 */
		"GoStart dt=1 g=3 g_seq=1\n"			/* 6 */
		"GoCreate dt=4 new_g=2 new_stack=2 stack=3\n"	/* 10 */
		"GoDestroy dt=1\n"				/* 11 */
		"GoStart dt=1 g=2 g_seq=1\n"			/* 12 */
		"GoUnblock dt=3 g=1 g_seq=1 stack=2\n"		/* 15 */
		"GoDestroy dt=1\n"				/* 16 */
		"GoStart dt=1 g=1 g_seq=2\n"			/* 17 */
		"GoDestroy dt=3\n",				/* 20 */
		"0-5 g1 running\n"
		"5-6 g3 runnable d2\n"
		"6-10 g3 running d2 created 2\n"
		"10-12 g2 runnable d1\n"
		"12-15 g2 running d1 woke 1\n"
		"15-17 g1 runnable\n"
		"17-20 g1 running\n");
}

/* 2 is first seen at 19, but has waited since the trace began: what 1 and 3 did until then counts. */
static void who_is_seen_late_has_been_there_since_the_begin(void)
{
	static const char story[] =
		BEGIN
		"GoCreate dt=3 new_g=3 new_stack=3 stack=1\n"	/* 5 */
		"GoBlock dt=5 reason_string=5 stack=1\n"	/* 10 */
		"GoStart dt=1 g=3 g_seq=1\n"			/* 11 */
		"GoUnblock dt=4 g=1 g_seq=1 stack=3\n"		/* 15 */
		"GoDestroy dt=1\n"				/* 16 */
		"GoStart dt=2 g=1 g_seq=2\n"			/* 18 */
		"GoStatusStack dt=1 g=2 m=18446744073709551615 gstatus=4 stack=2\n"	/* 19 */
		"GoUnblock dt=1 g=2 g_seq=1 stack=1\n"		/* 20 */
		"GoDestroy dt=1\n"				/* 21 */
		"GoStart dt=1 g=2 g_seq=2\n"			/* 22 */
		"GoDestroy dt=3\n";				/* 25 */
	static const char want[] =
		"0-10 g1 running d1\n"
		"10-11 g3 runnable d2\n"
		"11-15 g3 running d2 woke 1\n"
		"15-18 g1 runnable d1\n"
		"18-20 g1 running d1 woke 2\n"
		"20-22 g2 runnable\n"
		"22-25 g2 running\n";
	const struct why_question func = { .of = WHY_FUNC, .name = "main.f2", .percentile = 100 };

	check_path(&of_2, story, want);
	check_path(&func, story, want);
}

/* Of two regions and two tasks the slowest one. */
static void regions_and_tasks_are_chosen_by_their_time(void)
{
	static const char story[] =
		BEGIN
		"UserTaskBegin dt=1 task=1 parent_task=0 name_string=1 stack=0\n"	/* 3 */
		"UserRegionBegin dt=1 task=1 name_string=2 stack=1\n"			/* 4 */
		"UserRegionEnd dt=2 task=1 name_string=2 stack=1\n"			/* 6 */
		"UserTaskEnd dt=1 task=1 stack=1\n"					/* 7 */
		"UserTaskBegin dt=3 task=2 parent_task=0 name_string=1 stack=0\n"	/* 10 */
		"UserRegionBegin dt=2 task=2 name_string=2 stack=1\n"			/* 12 */
		"GoStop dt=3 reason_string=6 stack=1\n"				/* 15 */
		"GoStart dt=5 g=1 g_seq=1\n"						/* 20 */
		"UserRegionEnd dt=2 task=2 name_string=2 stack=1\n"			/* 22 */
		"UserTaskEnd dt=3 task=2 stack=1\n"					/* 25 */
		"GoDestroy dt=5\n";
	struct why_question q = { .of = WHY_REGION, .name = "main.f2", .percentile = 100 };

	check_path(&q, story, "12-15 g1 running\n" "15-20 g1 runnable\n" "20-22 g1 running\n");
	q.percentile = 50;
	check_path(&q, story, "4-6 g1 running\n");
	q = (struct why_question){ .of = WHY_TASK, .name = "main.f1", .percentile = 100 };
	check_path(&q, story, "10-15 g1 running\n" "15-20 g1 runnable\n" "20-25 g1 running\n");
	q = (struct why_question){ .of = WHY_TASK, .id = 1, .percentile = 100 };
	check_path(&q, story, "3-7 g1 running\n");
}

static void a_system_call_is_with_its_p_and_without(void)
{
	check_path(&of_1,
		TABLES
		TRACE_TEXT_CALLS,
		"0-5 g1 running\n"
		"5-10 g1 syscall\n"
		"10-15 g1 running\n"
		"15-20 g1 syscall\n"
		"20-30 g1 bare\n"
		"30-31 g1 runnable\n");
}

/* A coroutine switch wakes one goroutine, blocks the other, and starts the first at once. */
static void a_coroutine_switch_is_a_wake_up(void)
{
	check_path(&of_1,
		BEGIN
		"GoCreateBlocked dt=1 new_g=2 new_stack=2 stack=1\n"	/* 3 */
		"GoSwitch dt=2 g=2 g_seq=1\n"				/* 5 */
		"GoSwitchDestroy dt=15 g=1 g_seq=1\n"			/* 22: a switch takes three ns */
		"GoStop dt=8 reason_string=6 stack=1\n",
		"0-6 g1 running\n"
		"6-7 g2 runnable d1\n"
		"7-20 g2 running d1 woke 1\n"
		"20-22 g1 runnable\n"
		"22-28 g1 running\n"
		"28-29 g1 runnable\n");
}

/* 3 stops the world while 1 is runnable; before, 1 itself assists. */
static void a_stopped_world_and_an_assist_are_steps(void)
{
	check_path(&of_1,
		BEGIN
		"GCMarkAssistBegin dt=3 stack=1\n"		/* 5 */
		"GCMarkAssistEnd dt=5\n"			/* 10 */
		"GoCreate dt=1 new_g=3 new_stack=3 stack=1\n"	/* 11 */
		"GoStop dt=4 reason_string=6 stack=1\n"		/* 15 */
		"GoStart dt=1 g=3 g_seq=1\n"			/* 16 */
		"STWBegin dt=4 kind_string=14 stack=3\n"	/* 20 */
		"STWEnd dt=10\n"				/* 30 */
		"GoDestroy dt=5\n"				/* 35 */
		"GoStart dt=1 g=1 g_seq=1\n"			/* 36 */
		"STWBegin dt=2 kind_string=14 stack=1\n"	/* 38 */
		"STWEnd dt=2\n"					/* 40 */
		"GCSweepBegin dt=1 stack=1\n"			/* 41 */
		"GCSweepEnd dt=2 swept_value=1 reclaimed_value=1\n"	/* 43 */
		"GoDestroy dt=1\n",				/* 44 */
		"0-5 g1 running\n"
		"5-10 g1 assist\n"
		"10-15 g1 running\n"
		"15-20 g1 runnable\n"
		"20-30 g1 stopped\n"
		"30-36 g1 runnable\n"
		"36-38 g1 running\n"
		"38-40 g1 stops\n"
		"40-41 g1 running\n"
		"41-43 g1 sweep\n"
		"43-44 g1 running\n");
}

/* The Ps: of 20 ns of one P while 1 was runnable 3 had 19. */
static void the_ps_are_counted_while_one_is_runnable(void)
{
	struct story s = {0};
	const struct path *p;
	uint64_t *ns = NULL;
	size_t i;

	story_answer(&s, &of_1,
		BEGIN
		"ProcsChange dt=1 procs_value=1 stack=0\n"	/* 3 */
		"GoCreate dt=8 new_g=3 new_stack=3 stack=1\n"	/* 11 */
		"GoStop dt=4 reason_string=6 stack=1\n"		/* 15 */
		"GoStart dt=1 g=3 g_seq=1\n"			/* 16 */
		"GoDestroy dt=19\n"				/* 35 */
		"GoStart dt=0 g=1 g_seq=1\n"			/* 36 */
		"GoDestroy dt=5\n");
	p = &why_answer(s.w)->path;
	CHECK_EQ(p->runnable, 21);
	CHECK_EQ(p->procs, 21);
	CHECK_EQ(p->held, 19);
	for (i = 0; i < p->holders.made; i++)
		if (!strcmp((const char *)(uintptr_t)p->holders.slots[i].key, "main.f3"))
			ns = &p->holders.slots[i].value;
	CHECK(ns && *ns == 19);
	story_free(&s);
}

/* 2 was in its system call before the trace, on a thread without a P. */
static void a_system_call_from_before_has_no_p(void)
{
	static const char story[] =
		BEGIN
		"ProcsChange dt=1 procs_value=1 stack=0\n"	/* 3 */
		"GoStop dt=12 reason_string=6 stack=1\n"	/* 15 */
		"GoStart dt=21 g=1 g_seq=1\n"			/* 36 */
		"GoDestroy dt=5\n"
		"batch m=2\n"
		"GoStatusStack dt=1 g=2 m=2 gstatus=3 stack=2\n"
		"GoSyscallEndBlocked dt=49\n";			/* 50 */
	struct story s = {0};
	const struct path *p;

	story_answer(&s, &of_1, story);
	p = &why_answer(s.w)->path;
	CHECK_EQ(p->runnable, 21);
	CHECK_EQ(p->procs, 21);
	CHECK_EQ(p->held, 0);
	CHECK_EQ(p->holders.len, 0);
	story_free(&s);
	check_path(&of_2, story, "0-50 g2 bare\n" "50-51 g2 runnable\n");
}

static const struct cause *cause_of(const struct path *p, uint32_t number)
{
	return vec_at(&p->causes, struct cause, number);
}

/* 1 waits in Lock of main.f2 for 2, which unlocks: the part knows the wait, its place and that 2 had the lock. */
static void the_holder_of_a_lock_is_known_by_its_unlock(void)
{
	struct story s = {0};
	const struct path *p;
	const struct part *part = NULL;
	size_t i;

	story_answer(&s, &of_1,
		BEGIN
		"GoCreate dt=1 new_g=2 new_stack=3 stack=1\n"	/* 3 */
		"GoBlock dt=2 reason_string=10 stack=4\n"	/* 5 */
		"GoStart dt=0 g=2 g_seq=1\n"			/* 6 */
		"GoUnblock dt=94 g=1 g_seq=1 stack=5\n"		/* 99 */
		"GoDestroy dt=1\n");
	p = &why_answer(s.w)->path;
	for (i = 0; i < p->parts.len; i++)
		if (!part || vec_at(&p->parts, struct part, i)->ns > part->ns)
			part = vec_at(&p->parts, struct part, i);
	CHECK_EQ(part->ns, 93);
	CHECK_EQ(part->root, part->wait);
	CHECK_EQ(cause_of(p, part->root)->by, BY_HOLDER);
	CHECK_STR(cause_of(p, part->root)->reason, "sync");
	CHECK_STR(stack_set_frame_at(spans_stacks(why_spans(s.w)), cause_of(p, part->root)->op)->func,
		  "sync.(*Mutex).Lock");
	CHECK_EQ(stack_set_frame_at(spans_stacks(why_spans(s.w)), cause_of(p, part->root)->at)->line, 25);
	CHECK_EQ(cause_of(p, part->leaf)->kind, STEP_RUNNING);
	CHECK_STR(cause_of(p, part->leaf)->name, "main.f3");
	CHECK_EQ(stack_set_frame_at(spans_stacks(why_spans(s.w)), cause_of(p, part->leaf)->at)->line, 35);
	story_free(&s);
}

static void questions_without_an_answer_say_why(void)
{
	const struct why_question none = OF_GOROUTINE(77);
	const struct why_question func = { .of = WHY_FUNC, .name = "main.none", .percentile = 100 };
	struct story s = {0};

	story_answer(&s, &none, CHAIN);
	CHECK_STR(s.err.text, "the trace has no goroutine 77 in that time");
	story_free(&s);
	story_answer(&s, &func, CHAIN);
	CHECK(strstr(s.err.text, "no goroutine began with 'main.none'; there are main."));
	story_free(&s);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_chain_of_wakers_is_followed),
		UNIT(an_interval_is_cut_exactly),
		UNIT(the_program_ends_with_who_runs_last),
		UNIT(a_wait_that_no_goroutine_ends_says_who_did),
		UNIT(the_network_is_not_who_polled_it),
		UNIT(two_that_wake_each_other_take_turns),
		UNIT(who_was_created_meanwhile_leads_to_the_creator),
		UNIT(who_is_seen_late_has_been_there_since_the_begin),
		UNIT(regions_and_tasks_are_chosen_by_their_time),
		UNIT(a_system_call_is_with_its_p_and_without),
		UNIT(a_coroutine_switch_is_a_wake_up),
		UNIT(a_stopped_world_and_an_assist_are_steps),
		UNIT(the_ps_are_counted_while_one_is_runnable),
		UNIT(a_system_call_from_before_has_no_p),
		UNIT(the_holder_of_a_lock_is_known_by_its_unlock),
		UNIT(questions_without_an_answer_say_why),
		{0},
	});
}
