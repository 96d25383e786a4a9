// SPDX-License-Identifier: Apache-2.0
/*
 * units: which unit of work small traces have, and the composition of its time. The causes of a unit
 * must have the same ns as the paths of `gotap why` for the same instances.
 */
#include "unit.h"

#include <stdlib.h>

#include "trace_text.h"
#include "unit/unit.h"
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

static struct told told(const char *story)
{
	struct told t = { .s = spans_new(), .u = units_new() };
	struct trace_reader *r = trace_of_text(story, &t.bytes);
	struct error err = {0};

	units_collect(t.u, t.s);
	if (spans_read(t.s, r, &err))
		printf("# %s\n", err.text);
	CHECK_EQ(err.code, 0);
	trace_reader_close(r);
	units_collected(t.u);
	if (!units_choose(t.u))
		return t;
	r = trace_reader_open_memory(t.bytes.data, t.bytes.len, &err);
	CHECK(!units_read(t.u, r, NULL, &err));
	trace_reader_close(r);
	return t;
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

/* Twelve goroutines of main.handle; each runs, sleeps in main.query, runs and ends; @late sleeps @longer. */
static void put_requests(struct buf *b, int late, int longer)
{
	int i;

	buf_printf(b, BEGIN);
	for (i = 0; i < 12; i++) {
		int g = 10 + i;

		buf_printf(b, "GoCreate dt=10 new_g=%d new_stack=3 stack=1\n", g);
		buf_printf(b, "GoBlock dt=10 reason_string=21 stack=5\n");
		buf_printf(b, "GoStart dt=10 g=%d g_seq=1\n", g);
		buf_printf(b, "GoBlock dt=100 reason_string=20 stack=2\n");
		buf_printf(b, "GoUnblock dt=%d g=%d g_seq=2 stack=0\n", i == late ? longer : 900, g);
		buf_printf(b, "GoStart dt=10 g=%d g_seq=3\n", g);
		buf_printf(b, "GoUnblock dt=80 g=1 g_seq=%d stack=3\n", 2 * i + 1);
		buf_printf(b, "GoDestroy dt=10\n");
		buf_printf(b, "GoStart dt=10 g=1 g_seq=%d\n", 2 * i + 2);
	}
	buf_add_byte(b, 0);
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
		UNIT(goroutines_that_only_wait_are_the_unit_of_a_trace_without_work), {0} });
}
