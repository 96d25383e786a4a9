// SPDX-License-Identifier: Apache-2.0
/*
 * units: which unit of work small traces have, and the composition of its time. The causes of a unit
 * must have the same ns as the paths of `gotap why` for the same instances.
 */
#include "unit.h"

#include <stdlib.h>

#include "report/finding.h"
#include "trace_text.h"
#include "unit/compare.h"
#include "unit/unit.h"
#include "unit/walked.h"
#include "why/group.h"

/* Stacks: 1 main.serve; 2 time.Sleep in main.query in main.handle; 3 main.handle; 4 a receive in main.worker;
 * 5 a send in main.serve; 6 main.worker; 7 a sleep in main.worker. */
#define TABLES \
	"batch\nStrings\n" \
	"String id=1\n\tdata=\"/src/x.go\"\nString id=2\n\tdata=\"main.serve\"\n" \
	"String id=3\n\tdata=\"main.handle\"\nString id=4\n\tdata=\"main.query\"\n" \
	"String id=5\n\tdata=\"time.Sleep\"\nString id=6\n\tdata=\"main.worker\"\n" \
	"String id=7\n\tdata=\"runtime.chanrecv1\"\nString id=8\n\tdata=\"runtime.chansend1\"\n" \
	"String id=20\n\tdata=\"sleep\"\nString id=21\n\tdata=\"chan receive\"\n" \
	"String id=22\n\tdata=\"gotap\"\n" \
	"String id=23\n\tdata=\"snapshot: blocked>1ms: goroutine 10 is blocked for 1 ms: chan receive\"\n" \
	"batch\nStacks\n" \
	"Stack id=1 nframes=1\n\tpc=1 func=2 file=1 line=10\n" \
	"Stack id=2 nframes=3\n\tpc=2 func=5 file=1 line=1\n\tpc=3 func=4 file=1 line=44\n" \
	"\tpc=4 func=3 file=1 line=30\n" \
	"Stack id=3 nframes=1\n\tpc=5 func=3 file=1 line=28\n" \
	"Stack id=4 nframes=2\n\tpc=6 func=7 file=1 line=2\n\tpc=7 func=6 file=1 line=50\n" \
	"Stack id=5 nframes=2\n\tpc=8 func=8 file=1 line=3\n\tpc=9 func=2 file=1 line=12\n" \
	"Stack id=6 nframes=1\n\tpc=10 func=6 file=1 line=49\n" \
	"Stack id=7 nframes=2\n\tpc=11 func=5 file=1 line=1\n\tpc=12 func=6 file=1 line=52\n"

#define BEGIN TABLES "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n"

struct told {
	struct spans *s;
	struct units *u;
	struct buf bytes;
};

/* The first reading. */
static void told_first(struct told *t, const char *story)
{
	struct trace_reader *r = trace_of_text(story, &t->bytes);
	struct error err = {0};

	t->u = units_new();
	units_collect(t->u, t->s);
	if (spans_read(t->s, r, &err))
		printf("# %s\n", err.text);
	CHECK_EQ(err.code, 0);
	trace_reader_close(r);
	units_collected(t->u);
}

static void told_again(struct told *t)
{
	struct error err = {0};
	struct trace_reader *r = trace_reader_open_memory(t->bytes.data, t->bytes.len, &err);

	CHECK(!units_read(t->u, r, NULL, &err));
	trace_reader_close(r);
}

static struct told told_of(const char *story, const char *name)
{
	struct told t = { .s = spans_new() };

	told_first(&t, story);
	if (units_choose(t.u, name))
		told_again(&t);
	return t;
}

static struct told told(const char *story)
{
	return told_of(story, NULL);
}

static void told_free(struct told *t)
{
	units_free(t->u);
	spans_free(t->s);
	buf_free(&t->bytes);
}

static bool says(const struct unit *u, const char *words)
{
	struct buf text = {0};
	bool found;

	unit_put_sentence(u, &text);
	buf_add_byte(&text, 0);
	found = strstr((char *)text.data, words);
	if (!found)
		printf("# %s\n", (char *)text.data);
	buf_free(&text);
	return found;
}

/* @n goroutines of main.handle; each runs, sleeps in main.query, runs and ends; @late sleeps @longer. */
static void put_goroutines(struct buf *b, int n, int sleep, int late, int longer)
{
	int i;

	buf_printf(b, BEGIN);
	for (i = 0; i < n; i++) {
		int g = 10 + i;

		buf_printf(b, "GoCreate dt=10 new_g=%d new_stack=3 stack=1\n", g);
		buf_printf(b, "GoBlock dt=10 reason_string=21 stack=5\n");
		buf_printf(b, "GoStart dt=10 g=%d g_seq=1\n", g);
		buf_printf(b, "GoBlock dt=100 reason_string=20 stack=2\n");
		buf_printf(b, "GoUnblock dt=%d g=%d g_seq=2 stack=0\n", i == late ? longer : sleep, g);
		buf_printf(b, "GoStart dt=10 g=%d g_seq=3\n", g);
		buf_printf(b, "GoUnblock dt=80 g=1 g_seq=%d stack=3\n", 2 * i + 1);
		buf_printf(b, "GoDestroy dt=10\n");
		buf_printf(b, "GoStart dt=10 g=1 g_seq=%d\n", 2 * i + 2);
	}
	buf_add_byte(b, 0);
}

static void put_requests(struct buf *b, int late, int longer)
{
	put_goroutines(b, 12, 900, late, longer);
}

static void put_many(struct buf *b, int n, int sleep)
{
	put_goroutines(b, n, sleep, -1, 0);
}

static void goroutines_that_end_are_a_unit(void)
{
	struct buf story = {0};
	struct told t;
	const struct unit *u;

	put_requests(&story, -1, 0);
	t = told((char *)story.data);
	CHECK(units_count(t.u) >= 1);
	u = units_at(t.u, 0);
	CHECK_EQ(u->kind, UNIT_GOROUTINE);
	CHECK_STR(u->name, "main.handle");
	CHECK_EQ(u->n, 12);
	/* from the creation: 20 until it runs, 100, 900, 10, 90 */
	CHECK_EQ(u->ns, 12 * 1120);
	CHECK_EQ(u->groups[0].ns + u->groups[1].ns, 12 * 1120);
	CHECK_STR(u->causes[0].function, "main.query");
	CHECK_EQ(u->causes[0].line, 44);
	CHECK((int)(u->causes[0].share * 1120 + 0.5) == 900);
	CHECK(says(u, "12 goroutines of main.handle"));
	CHECK(says(u, "asleep at main.query (x.go:44)"));
	told_free(&t);
	buf_free(&story);
}

static void the_shares_of_all_causes_are_the_whole(void)
{
	struct buf story = {0};
	struct told t;
	double sum = 0;
	size_t i;

	put_requests(&story, -1, 0);
	t = told((char *)story.data);
	for (i = 0; i < units_at(t.u, 0)->ncauses; i++)
		sum += units_at(t.u, 0)->causes[i].share;
	CHECK(sum > 0.9999 && sum < 1.0001);
	CHECK(units_at(t.u, 0)->ncauses < UNIT_CAUSES);
	told_free(&t);
	buf_free(&story);
}

static void a_slow_one_is_compared_with_the_others(void)
{
	struct buf story = {0}, text = {0};
	struct told t;

	put_requests(&story, 5, 9900);
	t = told((char *)story.data);
	unit_put_slow(units_at(t.u, 0), &text);
	buf_add_byte(&text, 0);
	CHECK(strstr((char *)text.data, "9.00 us asleep at main.query (x.go:44)"));
	if (!strstr((char *)text.data, "9.00 us asleep at main.query (x.go:44)"))
		printf("# %s\n", (char *)text.data);
	told_free(&t);
	buf_free(&text);
	buf_free(&story);
}

/* --- findings, names --- */

static double sum_of_shares(const struct unit *u, size_t findings)
{
	double sum = unit_said(u) + unit_rest(u);

	for (; findings; findings--)
		sum += unit_found(u, findings);
	return sum;
}

static void a_finding_explains_the_part_of_the_path_at_its_place(void)
{
	struct finding list[] = {
		{ .kind = "leak", .function = "main.query", .file = "/src/x.go", .line = 44 },
		{ .kind = "slow system calls", .function = "main.query", .file = "", .line = 45 },
		{ .kind = "slow system calls", .function = "main.query", .file = "", .line = 44 },
		{ .kind = "polling", .function = "main.query", .file = "", .line = 44 },
	};
	struct vec findings = { .data = list, .len = 4, .cap = 4 };
	struct buf story = {0};
	const struct unit *u;
	struct told t;

	put_requests(&story, -1, 0);
	t = told((char *)story.data);
	u = units_at(t.u, 0);
	CHECK((int)(unit_said(u) * 1120 + 0.5) >= 900);
	units_explain(t.u, &findings);
	CHECK(unit_found(u, 1) == 0);	/* a leak is no part of a path */
	CHECK(unit_found(u, 2) == 0);	/* another line */
	CHECK_EQ((int)(unit_found(u, 3) * 1120 + 0.5), 900);
	CHECK(unit_found(u, 4) == 0);	/* the cause has an explanation already */
	CHECK((int)(unit_said(u) * 1120 + 0.5) < 220);
	CHECK(sum_of_shares(u, 4) > 0.9999 && sum_of_shares(u, 4) < 1.0001);
	told_free(&t);
	buf_free(&story);
}

static void the_user_chooses_the_unit(void)
{
	struct buf story = {0};
	struct told t;

	put_requests(&story, -1, 0);
	t = told_of((char *)story.data, "main.serve");
	CHECK_STR(units_at(t.u, 0)->name, "main.serve");
	CHECK_STR(units_at(t.u, 1)->name, "main.handle");
	told_free(&t);
	t = told_of((char *)story.data, "main.nothing");
	CHECK_EQ(units_count(t.u), 0);
	told_free(&t);
	buf_free(&story);
}

static void the_slowest_instance_has_a_path_of_its_own(void)
{
	struct buf story = {0};
	struct told t;
	const struct unit *u;
	int64_t sum = 0;
	size_t i;

	put_requests(&story, 5, 9900);
	t = told((char *)story.data);
	u = units_at(t.u, 0);
	CHECK_EQ(u->slowest_g, 15);
	CHECK_EQ(u->slowest.ns, 10120);
	for (i = 0; i < u->slowest_path->parts.len; i++)
		sum += (int64_t)vec_at(&u->slowest_path->parts, struct part, i)->ns;
	CHECK_EQ(sum, 10120);
	for (sum = 0, i = 0; i < u->ncauses; i++)
		sum += u->causes[i].path_ns;
	CHECK_EQ(sum, u->groups[0].ns + u->groups[1].ns);
	told_free(&t);
	buf_free(&story);
}

/* The path of an instance in steps from its begin to its end, with the time of its parts. */
static void check_walked(const struct walked *w)
{
	int64_t at = w->in.from, sum = 0;
	size_t i;

	CHECK(w->count && w->count == w->steps.len);
	for (i = 0; i < w->steps.len; i++) {
		CHECK_EQ(vec_at(&w->steps, struct walked_step, i)->from, at);
		at = vec_at(&w->steps, struct walked_step, i)->to;
	}
	CHECK_EQ(at, w->in.from + w->in.ns);
	for (i = 0; i < w->parts.len; i++)
		sum += (int64_t)vec_at(&w->parts, struct walked_part, i)->ns;
	CHECK_EQ(sum, w->in.ns);
}

static void a_page_gets_instances_and_paths_with_steps(void)
{
	struct buf story = {0};
	struct told t = { .s = spans_new() };
	const struct unit *u;
	size_t i;

	put_requests(&story, 5, 9900);
	told_first(&t, (char *)story.data);
	units_walk(t.u);
	CHECK(units_choose(t.u, NULL));
	told_again(&t);
	u = units_at(t.u, 0);
	CHECK_EQ(u->instances.len, 12);
	for (i = 1; i < u->instances.len; i++)
		CHECK(vec_at(&u->instances, struct instance, i - 1)->from <
		      vec_at(&u->instances, struct instance, i)->from);
	CHECK_EQ(u->nwalked, 6);
	CHECK_EQ(u->walked[0].in.ns, u->slowest.ns);
	CHECK_EQ(u->walked[0].g, u->slowest_g);
	for (i = 0; i < u->nwalked; i++)
		check_walked(&u->walked[i]);
	told_free(&t);
	t = told((char *)story.data);
	CHECK_EQ(units_at(t.u, 0)->nwalked, 0);
	CHECK_EQ(units_at(t.u, 0)->instances.len, 0);
	told_free(&t);
	buf_free(&story);
}

/* --- the trigger of a snapshot --- */

/*
 * Goroutines 10 and 11 wait at one place; the note about 10 comes meanwhile, on goroutine 1, which runs, sleeps for 2 ms,
 * and then wakes 10.
 */
static const char blocked_story[] =
	BEGIN "GoCreate dt=10 new_g=10 new_stack=6 stack=1\nGoCreate dt=10 new_g=11 new_stack=6 stack=1\n"
	"GoBlock dt=10 reason_string=20 stack=1\n"
	"GoStart dt=10 g=10 g_seq=1\nGoBlock dt=10 reason_string=21 stack=4\n"
	"GoStart dt=10 g=11 g_seq=1\nGoBlock dt=10 reason_string=21 stack=4\n"
	"GoUnblock dt=1000 g=1 g_seq=1 stack=0\nGoStart dt=10 g=1 g_seq=2\n"
	"UserLog dt=1500000 task=0 key_string=22 value_string=23 stack=0\n"
	"GoBlock dt=10 reason_string=20 stack=1\n"
	"GoUnblock dt=2000000 g=1 g_seq=3 stack=0\nGoStart dt=10 g=1 g_seq=4\n"
	"GoUnblock dt=10 g=10 g_seq=2 stack=5\nGoUnblock dt=10 g=11 g_seq=2 stack=5\n"
	"GoBlock dt=10 reason_string=20 stack=1\n"
	"GoStart dt=10 g=10 g_seq=3\nGoDestroy dt=10\nGoStart dt=10 g=11 g_seq=3\nGoDestroy dt=10\n";

static void the_trigger_of_a_snapshot_comes_first(void)
{
	struct told t = told(blocked_story);
	const struct unit *u = units_at(t.u, 0);

	CHECK(units_count(t.u) > 1);
	CHECK_EQ(u->kind, UNIT_TRIGGER);
	CHECK_EQ(u->slowest_g, 10);
	/* 20, 1000, 10, 1500000, 10, 2000000, 10, 10: from its block to its wake-up */
	CHECK_EQ(u->ns, 3501060);
	CHECK(says(u, "Goroutine 10 main.worker was blocked for 3.50 ms (chan receive)"));
	CHECK(says(u, "At the same place waited meanwhile goroutine 11"));
	CHECK(says(u, "asleep at main.serve (x.go:10)"));
	told_free(&t);
}

/* --- two traces --- */

/* The unit of two traces with the sleeps @a and @b in each request. */
static void compared(int a, int b, void (*look)(const struct unit_compared *c))
{
	struct told t[2] = { { .s = spans_new() } };
	struct unit_compared c;
	struct buf story = {0};
	int i, sleeps[2] = { a, b };

	t[1].s = t[0].s;
	for (i = 0; i < 2; i++) {
		buf_empty(&story, 0);
		put_many(&story, 100, sleeps[i]);
		told_first(&t[i], (char *)story.data);
	}
	CHECK(units_choose_common(t[0].u, t[1].u));
	told_again(&t[0]);
	told_again(&t[1]);
	unit_compare(&c, units_at(t[0].u, 0), units_at(t[1].u, 0));
	look(&c);
	unit_compared_free(&c);
	for (i = 0; i < 2; i++) {
		units_free(t[i].u);
		buf_free(&t[i].bytes);
	}
	spans_free(t[0].s);
	buf_free(&story);
}

static void look_same(const struct unit_compared *c)
{
	CHECK(!unit_pair_differs(&c->mean) && !unit_pair_differs(&c->rate));
	CHECK_EQ(c->changes.len, 0);
}

static void look_slower(const struct unit_compared *c)
{
	const struct unit_change *change = vec_at(&c->changes, struct unit_change, 0);

	CHECK_STR(c->side[1]->name, "main.handle");
	CHECK(unit_pair_differs(&c->mean) && unit_pair_differs(&c->p50));
	CHECK(unit_pair_differs(&c->rate) && c->rate.value[1] < c->rate.value[0]);
	CHECK_EQ(c->changes.len, 1);
	CHECK_STR(change->cause->function, "main.query");
	CHECK_EQ((int)(change->ns[1] - change->ns[0] + 0.5), 2100);
}

static void look_faster(const struct unit_compared *c)
{
	const struct unit_change *change = vec_at(&c->changes, struct unit_change, 0);

	CHECK_EQ(c->changes.len, 1);
	CHECK_EQ((int)(change->ns[0] - change->ns[1] + 0.5), 2100);
}

static void a_unit_of_two_traces_differs_by_its_causes(void)
{
	compared(900, 900, look_same);
	compared(900, 3000, look_slower);
	compared(3000, 900, look_faster);
}

/* main.worker receives from main.serve, and sleeps 500 of each round; serve waits meanwhile. */
static void a_loop_that_receives_has_rounds(void)
{
	struct buf b = {0};
	struct told t;
	int i;

	buf_printf(&b, BEGIN "GoCreate dt=10 new_g=2 new_stack=6 stack=1\n"
		   "GoBlock dt=10 reason_string=20 stack=1\n"
		   "GoStart dt=10 g=2 g_seq=1\n"
		   "GoBlock dt=10 reason_string=21 stack=4\n");
	for (i = 0; i < 12; i++) {
		buf_printf(&b, "GoUnblock dt=100 g=1 g_seq=%d stack=0\n", 2 * i + 1);
		buf_printf(&b, "GoStart dt=10 g=1 g_seq=%d\n", 2 * i + 2);
		buf_printf(&b, "GoUnblock dt=10 g=2 g_seq=%d stack=5\n", 4 * i + 2);
		buf_printf(&b, "GoBlock dt=10 reason_string=20 stack=1\n");
		buf_printf(&b, "GoStart dt=10 g=2 g_seq=%d\n", 4 * i + 3);
		buf_printf(&b, "GoBlock dt=10 reason_string=20 stack=7\n");
		buf_printf(&b, "GoUnblock dt=500 g=2 g_seq=%d stack=0\n", 4 * i + 4);
		buf_printf(&b, "GoStart dt=10 g=2 g_seq=%d\n", 4 * i + 5);
		buf_printf(&b, "GoBlock dt=10 reason_string=21 stack=4\n");
	}
	buf_add_byte(&b, 0);
	t = told((char *)b.data);
	CHECK(units_count(t.u) >= 1);
	CHECK_EQ(units_at(t.u, 0)->kind, UNIT_ROUND);
	CHECK_STR(units_at(t.u, 0)->name, "main.worker");
	CHECK_EQ(units_at(t.u, 0)->n, 11);
	CHECK_EQ(units_at(t.u, 0)->ns, 11 * 550);
	CHECK_STR(units_at(t.u, 0)->causes[0].function, "main.worker");
	CHECK_EQ(units_at(t.u, 0)->causes[0].line, 52);
	told_free(&t);
	buf_free(&b);
}

static void goroutines_that_only_wait_are_the_unit_of_a_trace_without_work(void)
{
	struct told t = told(BEGIN "GoBlock dt=10 reason_string=20 stack=1\n"
			     "GoUnblock dt=90000 g=1 g_seq=1 stack=0\n");

	CHECK_EQ(units_count(t.u), 1);
	CHECK_EQ(units_at(t.u, 0)->kind, UNIT_LIFE);
	CHECK_STR(units_at(t.u, 0)->name, "main.serve");
	told_free(&t);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(goroutines_that_end_are_a_unit), UNIT(the_shares_of_all_causes_are_the_whole),
		UNIT(a_slow_one_is_compared_with_the_others), UNIT(a_loop_that_receives_has_rounds),
		UNIT(a_finding_explains_the_part_of_the_path_at_its_place),
		UNIT(the_user_chooses_the_unit), UNIT(the_slowest_instance_has_a_path_of_its_own),
		UNIT(a_page_gets_instances_and_paths_with_steps),
		UNIT(the_trigger_of_a_snapshot_comes_first),
		UNIT(a_unit_of_two_traces_differs_by_its_causes),
		UNIT(goroutines_that_only_wait_are_the_unit_of_a_trace_without_work), {0} });
}
