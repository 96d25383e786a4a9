// SPDX-License-Identifier: Apache-2.0
/*
 * whatif: what is predicted from traces of which every time is known, so that the answer can be computed by hand, and
 * why nothing is predicted from others.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "trace_text.h"
#include "whatif/whatif.h"

/* Stacks: 1 main.serve; 2 time.Sleep in main.query in main.handle; 3 main.handle; 4 a receive in main.sink;
 * 5 a receive in main.serve; 6 main.sink; 7 a send in main.source; 8 main.source; 9 a sleep in main.source;
 * 10 a wait for the network in main.serve; 11 a write in main.client; 12 main.client;
 * 13 a wait for a WaitGroup in main.serve; 14 Done in main.client. */
#define TABLES \
	"batch\nStrings\n" \
	"String id=1\n\tdata=\"/src/x.go\"\nString id=2\n\tdata=\"main.serve\"\n" \
	"String id=3\n\tdata=\"main.handle\"\nString id=4\n\tdata=\"main.query\"\n" \
	"String id=5\n\tdata=\"time.Sleep\"\nString id=6\n\tdata=\"main.sink\"\n" \
	"String id=7\n\tdata=\"runtime.chanrecv1\"\nString id=8\n\tdata=\"runtime.chansend1\"\n" \
	"String id=9\n\tdata=\"main.source\"\n" \
	"String id=20\n\tdata=\"sleep\"\nString id=21\n\tdata=\"chan receive\"\n" \
	"String id=22\n\tdata=\"gotap\"\nString id=23\n\tdata=\"lost 7 records on CPU 0\"\n" \
	"String id=24\n\tdata=\"gotap: not recorded\"\nString id=25\n\tdata=\"chan send\"\n" \
	"String id=26\n\tdata=\"digest\"\nString id=27\n\tdata=\"main.client\"\n" \
	"String id=28\n\tdata=\"network\"\nString id=29\n\tdata=\"internal/poll.(*FD).Read\"\n" \
	"String id=30\n\tdata=\"syscall.write\"\nString id=31\n\tdata=\"sync\"\n" \
	"String id=32\n\tdata=\"sync.(*WaitGroup).Wait\"\nString id=33\n\tdata=\"sync.(*WaitGroup).Done\"\n" \
	"batch\nStacks\n" \
	"Stack id=1 nframes=1\n\tpc=1 func=2 file=1 line=10\n" \
	"Stack id=2 nframes=3\n\tpc=2 func=5 file=1 line=1\n\tpc=3 func=4 file=1 line=44\n" \
	"\tpc=4 func=3 file=1 line=30\n" \
	"Stack id=3 nframes=1\n\tpc=5 func=3 file=1 line=28\n" \
	"Stack id=4 nframes=2\n\tpc=6 func=7 file=1 line=2\n\tpc=7 func=6 file=1 line=50\n" \
	"Stack id=5 nframes=2\n\tpc=8 func=7 file=1 line=2\n\tpc=9 func=2 file=1 line=12\n" \
	"Stack id=6 nframes=1\n\tpc=10 func=6 file=1 line=49\n" \
	"Stack id=7 nframes=2\n\tpc=11 func=8 file=1 line=3\n\tpc=12 func=9 file=1 line=60\n" \
	"Stack id=8 nframes=1\n\tpc=13 func=9 file=1 line=58\n" \
	"Stack id=9 nframes=2\n\tpc=14 func=5 file=1 line=1\n\tpc=15 func=9 file=1 line=62\n" \
	"Stack id=10 nframes=2\n\tpc=16 func=29 file=1 line=7\n\tpc=17 func=2 file=1 line=14\n" \
	"Stack id=11 nframes=2\n\tpc=18 func=30 file=1 line=8\n\tpc=19 func=27 file=1 line=70\n" \
	"Stack id=12 nframes=1\n\tpc=20 func=27 file=1 line=68\n" \
	"Stack id=13 nframes=2\n\tpc=21 func=32 file=1 line=9\n\tpc=22 func=2 file=1 line=18\n" \
	"Stack id=14 nframes=2\n\tpc=23 func=33 file=1 line=9\n\tpc=24 func=27 file=1 line=74\n"

#define BEGIN TABLES "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n" \
	"ProcsChange dt=1 procs_value=1 stack=0\n"

struct asked {
	struct spans *s;
	struct units *u;
	struct whatif *w;
	struct buf bytes;
};

static void say_reasons(const struct vec *reasons)
{
	size_t i;

	for (i = 0; i < reasons->len; i++) {
		const struct whatif_reason *r = vec_at(reasons, struct whatif_reason, i);

		printf("# %s: %.*s\n", r->kind, (int)r->text.len, (char *)r->text.data);
	}
}

static struct asked asked(const char *story)
{
	struct asked a = { .s = spans_new(), .u = units_new() };
	struct trace_reader *r = trace_of_text(story, &a.bytes);
	struct error err = {0};

	a.w = whatif_new(a.s, a.u);
	whatif_collect(a.w, NULL);
	units_collect(a.u, a.s);
	if (spans_read(a.s, r, &err))
		printf("# %s\n", err.text);
	CHECK_EQ(err.code, 0);
	trace_reader_close(r);
	units_collected(a.u);
	units_choose(a.u, NULL);
	whatif_base(a.w);
	say_reasons(&whatif_answer(a.w)->reasons);
	return a;
}

static void asked_free(struct asked *a)
{
	whatif_free(a->w);
	units_free(a->u);
	spans_free(a->s);
	buf_free(&a->bytes);
}

static const struct whatif_prediction *asks(struct asked *a, enum whatif_kind kind, const char *name)
{
	const struct vec *list = &whatif_answer(a->w)->predictions;

	static const struct whatif_prediction none = {0};

	whatif_predict(a->w, &(struct whatif_change){ kind, name, 0.5 });
	return list->len ? vec_at(list, struct whatif_prediction, list->len - 1) : &none;
}

static bool refuses(const struct vec *reasons, const char *kind)
{
	size_t i;

	for (i = 0; i < reasons->len; i++) {
		const struct whatif_reason *r = vec_at(reasons, struct whatif_reason, i);

		if (!strcmp(r->kind, kind) && r->text.len > 10)
			return true;
	}
	return false;
}

static bool is_near(double value, double expected)
{
	if (fabs(value / expected - 1) < 0.02)
		return true;
	printf("# %g, not %g\n", value, expected);
	return false;
}

/* Is the middle of the range @expected, and is it as wide as the error of the model makes it, or little wider? */
static bool is_range(const struct whatif_range *r, double expected)
{
	double width = r->high / r->low, model = 1 + WHATIF_MODEL * fabs(log(expected));

	return is_near(sqrt(r->low * r->high), expected) && width >= 0.999 * model * model && width < 1.03 * model * model;
}

/*
 * @n goroutines of main.handle, one after the other, 10.8 ms each: 1.9 ms of them run in main.handle, and main.query
 * sleeps for 8.89 ms, in which the only P is idle.
 */
static void put_sleepers(struct buf *b, int n)
{
	int i;

	buf_printf(b, BEGIN);
	for (i = 0; i < n; i++) {
		int g = 10 + i;

		buf_printf(b, "GoCreate dt=10000 new_g=%d new_stack=3 stack=1\n", g);
		buf_printf(b, "GoBlock dt=10000 reason_string=21 stack=5\n");
		buf_printf(b, "GoStart dt=10000 g=%d g_seq=1\n", g);
		buf_printf(b, "GoBlock dt=1000000 reason_string=20 stack=2\nProcStop dt=1000\n");
		buf_printf(b, "ProcStart dt=8890000 p=0 p_seq=%d\n", i + 1);
		buf_printf(b, "GoUnblock dt=1000 g=%d g_seq=2 stack=0\n", g);
		buf_printf(b, "GoStart dt=9000 g=%d g_seq=3\n", g);
		buf_printf(b, "GoUnblock dt=800000 g=1 g_seq=%d stack=3\n", 2 * i + 1);
		buf_printf(b, "GoDestroy dt=100000\nGoStart dt=10000 g=1 g_seq=%d\n", 2 * i + 2);
	}
}

static struct asked sleepers(int n, const char *more)
{
	struct buf story = {0};
	struct asked a;

	put_sleepers(&story, n);
	buf_printf(&story, "%s", more);
	buf_add_byte(&story, 0);
	a = asked((char *)story.data);
	buf_free(&story);
	return a;
}

static void the_replay_of_what_was_is_what_was(void)
{
	struct asked a = sleepers(100, "");
	const struct whatif_answer *r = whatif_answer(a.w);
	int v;

	CHECK_EQ(r->reasons.len, 0);
	CHECK(r->unit && r->unit->kind == UNIT_GOROUTINE);
	CHECK_EQ(r->trace.done, 100);
	CHECK(is_near(r->trace.value[ROUNDS_RATE], 1e9 / 10841000));
	for (v = 0; v < RERUN_VARIANTS; v++) {
		CHECK(r->valid[v][ROUNDS_RATE] && r->valid[v][ROUNDS_P50]);
		CHECK_EQ(r->base[v].done, 100);
	}
	asked_free(&a);
}

static void a_shorter_sleep_is_predicted(void)
{
	struct asked a = sleepers(100, "");
	const struct whatif_prediction *p = asks(&a, WHATIF_SLEEP, "main.query");

	CHECK_EQ(p->reasons.len, 0);
	CHECK(is_near(p->seconds, 0.8892));
	/* the rest is 4.45 ms, and an idle program sleeps for whole ms */
	CHECK(is_near(p->rates[RERUN_ORDER], 10841.0 / (10841 - 3892)));
	CHECK(is_range(&p->value[ROUNDS_RATE], 10841.0 / (10841 - 3892)));
	CHECK(is_range(&p->value[ROUNDS_P50], (10821.0 - 3892) / 10821));
	asked_free(&a);
}

static void a_shorter_function_is_predicted(void)
{
	struct asked a = sleepers(100, "");
	const struct whatif_prediction *p = asks(&a, WHATIF_FUNCTION, "main.handle");

	CHECK_EQ(p->reasons.len, 0);
	CHECK(is_near(p->seconds, 0.190));
	CHECK(is_range(&p->value[ROUNDS_RATE], 10841.0 / (10841 - 950)));
	asked_free(&a);
}

static void the_largest_effect_comes_first(void)
{
	struct asked a = sleepers(100, "");
	const struct vec *list = &whatif_answer(a.w)->predictions;
	const struct whatif_prediction *p;

	whatif_guess(a.w, 0.5, 5);
	CHECK(list->len >= 2);
	p = vec_at(list, struct whatif_prediction, 0);
	CHECK_EQ(p[0].change.kind, WHATIF_SLEEP);
	CHECK_STR(p[0].change.name, "main.query");
	CHECK_EQ(p[0].line, 44);
	CHECK_EQ(p[1].change.kind, WHATIF_FUNCTION);
	CHECK_STR(p[1].change.name, "main.handle");
	asked_free(&a);
}

/* main.query is on the way to its sleep, and nothing says how long it took until then. */
static void an_unsure_part_is_refused(void)
{
	struct asked a = sleepers(100, "");

	CHECK(refuses(&asks(&a, WHATIF_FUNCTION, "main.query")->reasons, "attribution"));
	CHECK(refuses(&asks(&a, WHATIF_FUNCTION, "main.nobody")->reasons, "time"));
	CHECK(refuses(&asks(&a, WHATIF_SLEEP, "main.serve")->reasons, "time"));
	CHECK(refuses(&asks(&a, WHATIF_LOCK, "main.handle")->reasons, "lock"));
	asked_free(&a);
}

/* The rest of the sleep would be shorter than what the runtime's poller can wait. */
static void a_sleep_that_is_too_short_is_refused(void)
{
	struct asked a = sleepers(100, "");

	whatif_predict(a.w, &(struct whatif_change){ WHATIF_SLEEP, "main.query", 0.95 });
	CHECK(refuses(&vec_at(&whatif_answer(a.w)->predictions, struct whatif_prediction, 0)->reasons, "resolution"));
	asked_free(&a);
}

/*
 * On one P main.source runs for 400 us and sends, on another one main.sink works for 1 ms in a region and receives. The
 * source is always there first, and waits: so it is with a channel that holds nothing, and with one that is full.
 */
static void put_pipe(struct buf *b, int n)
{
	int i;

	buf_printf(b, TABLES "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=5 m=1 gstatus=2\n"
		   "ProcsChange dt=1 procs_value=2 stack=0\nGoCreate dt=1 new_g=6 new_stack=6 stack=8\n"
		   "GoBlock dt=404999 reason_string=25 stack=7\nProcStop dt=1000\n");
	for (i = 0; i < n; i++)
		buf_printf(b, "ProcStart dt=%d p=0 p_seq=%d\nGoStart dt=2000 g=5 g_seq=%d\n"
			   "GoBlock dt=400000 reason_string=25 stack=7\nProcStop dt=1000\n",
			   i ? 597000 : 597010, i + 1, 2 * i + 2);
	buf_printf(b, "batch m=2\nProcStatus dt=1 p=1 pstatus=1\nGoStart dt=10 g=6 g_seq=1\n");
	for (i = 0; i < n; i++)
		buf_printf(b, "UserRegionBegin dt=1000 task=0 name_string=26 stack=6\n"
			   "UserRegionEnd dt=998000 task=0 name_string=26 stack=6\n"
			   "GoUnblock dt=1000 g=5 g_seq=%d stack=4\n", 2 * i + 1);
	buf_add_byte(b, 0);
}

static void both_replays_are_the_range(void)
{
	struct buf story = {0};
	struct asked a;
	const struct whatif_prediction *p;

	put_pipe(&story, 100);
	a = asked((char *)story.data);
	CHECK_EQ(whatif_answer(a.w)->reasons.len, 0);
	CHECK(whatif_answer(a.w)->unit && whatif_answer(a.w)->unit->kind == UNIT_REGION);
	whatif_predict(a.w, &(struct whatif_change){ WHATIF_FUNCTION, "main.sink", 2 / 3.0 });
	p = vec_at(&whatif_answer(a.w)->predictions, struct whatif_prediction, 0);
	CHECK_EQ(p->reasons.len, 0);
	/* 333 us of the sink; the source needs 400 us, and a channel that holds enough hides that */
	CHECK(is_near(p->rates[RERUN_ORDER], 1000 / 405.0));
	CHECK(is_near(p->rates[RERUN_FREE], 1000 / 333.3));
	CHECK(is_near(p->value[ROUNDS_RATE].low, 2.469 / (1 + 0.1 * log(2.469))));
	CHECK(is_near(p->value[ROUNDS_RATE].high, 3 * (1 + 0.1 * log(3))));
	/* of a source that is twice as fast nobody has more */
	CHECK(is_near(asks(&a, WHATIF_FUNCTION, "main.source")->value[ROUNDS_RATE].high, 1));
	asked_free(&a);
	buf_free(&story);
}

/*
 * main.serve creates a goroutine of main.client, which runs for 1 ms, and one of main.sink, which runs for 0.6 ms on
 * the other P, and waits for both: the first one ends the wait.
 */
static void put_join(struct buf *b, int n)
{
	int i;

	buf_printf(b, TABLES "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=5 m=1 gstatus=2\n"
		   "ProcsChange dt=1 procs_value=2 stack=0\n");
	for (i = 0; i < n; i++)
		buf_printf(b, "GoCreate dt=8000 new_g=%d new_stack=12 stack=1\nGoCreate dt=2000 new_g=%d new_stack=6 stack=1\n"
			   "GoBlock dt=2000 reason_string=31 stack=13\nGoStart dt=2000 g=%d g_seq=1\n"
			   "GoDestroy dt=600000\nProcStop dt=1000\nProcStart dt=423000 p=0 p_seq=%d\n"
			   "GoStart dt=2000 g=5 g_seq=%d\n", 100 + 2 * i, 101 + 2 * i, 101 + 2 * i, i + 1, 2 * i + 2);
	buf_printf(b, "batch m=2\nProcStatus dt=1 p=1 pstatus=1\nGoStart dt=18002 g=100 g_seq=1\n");
	for (i = 0; i < n; i++) {
		if (i)
			buf_printf(b, "ProcStart dt=35000 p=1 p_seq=%d\nGoStart dt=2000 g=%d g_seq=1\n", i, 100 + 2 * i);
		buf_printf(b, "GoUnblock dt=1000000 g=5 g_seq=%d stack=14\nGoDestroy dt=2000\nProcStop dt=1000\n", 2 * i + 1);
	}
	buf_add_byte(b, 0);
}

static void a_join_waits_for_the_others_too(void)
{
	struct buf story = {0};
	struct asked a;
	const struct whatif_prediction *p;

	put_join(&story, 100);
	a = asked((char *)story.data);
	CHECK_EQ(whatif_answer(a.w)->reasons.len, 0);
	p = asks(&a, WHATIF_FUNCTION, "main.client");
	CHECK_EQ(p->reasons.len, 0);
	/* 1040 us become 636, and not 540: then the one of main.sink is the last one */
	CHECK(p->rates[RERUN_ORDER] > 1.58 && p->rates[RERUN_ORDER] < 1.68);
	asked_free(&a);
	buf_free(&story);
}

/* main.client writes once in a millisecond; main.serve waits for the network, works for 200 us, and waits again. */
static void put_connection(struct buf *b, int n)
{
	int i;

	buf_printf(b, TABLES "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=5 m=1 gstatus=2\n"
		   "ProcsChange dt=1 procs_value=2 stack=0\nGoCreate dt=1 new_g=6 new_stack=12 stack=1\n"
		   "GoBlock dt=200000 reason_string=28 stack=10\nProcStop dt=1000\n");
	for (i = 0; i < n; i++)
		buf_printf(b, "ProcStart dt=%d p=0 p_seq=%d\nGoUnblock dt=1000 g=5 g_seq=%d stack=0\n"
			   "GoStart dt=2000 g=5 g_seq=%d\nGoBlock dt=200000 reason_string=28 stack=10\n"
			   "ProcStop dt=1000\n", i ? 796000 : 807000, i + 1, 2 * i + 1, 2 * i + 2);
	buf_printf(b, "batch m=2\nProcStatus dt=1 p=1 pstatus=1\nGoStart dt=10 g=6 g_seq=1\n");
	for (i = 0; i < n; i++)
		buf_printf(b, "GoSyscallBegin dt=995000 p_seq=%d stack=11\nGoSyscallEnd dt=5000\n", i + 1);
	buf_add_byte(b, 0);
}

static void the_writer_of_a_connection_ends_the_wait(void)
{
	struct buf story = {0};
	struct asked a;
	const struct whatif_prediction *p;

	put_connection(&story, 100);
	a = asked((char *)story.data);
	CHECK_EQ(whatif_answer(a.w)->reasons.len, 0);
	CHECK(whatif_answer(a.w)->linked >= 99);
	p = asks(&a, WHATIF_FUNCTION, "main.client");
	CHECK_EQ(p->reasons.len, 0);
	CHECK(is_range(&p->value[ROUNDS_RATE], 1000 / 502.5));
	CHECK(refuses(&asks(&a, WHATIF_NETWORK, "main.serve")->reasons, "time"));
	asked_free(&a);
	buf_free(&story);
}

static void few_units_are_refused(void)
{
	struct asked a = sleepers(20, "");

	CHECK(refuses(&whatif_answer(a.w)->reasons, "few"));
	CHECK(!asks(&a, WHATIF_SLEEP, "main.query")->change.name);
	asked_free(&a);
}

static void losses_are_refused(void)
{
	struct asked a = sleepers(100, "UserLog dt=1 task=0 key_string=22 value_string=23 stack=0\n");
	struct asked b = sleepers(100, "GoBlock dt=1 reason_string=24 stack=0\n"
				       "GoUnblock dt=1000 g=1 g_seq=201 stack=0\nGoStart dt=1 g=1 g_seq=202\n");

	CHECK(refuses(&whatif_answer(a.w)->reasons, "losses"));
	CHECK(refuses(&whatif_answer(b.w)->reasons, "gaps"));
	asked_free(&a);
	asked_free(&b);
}

static void a_change_of_procs_is_refused(void)
{
	struct asked a = sleepers(100, "ProcsChange dt=1 procs_value=2 stack=0\n");

	CHECK(refuses(&whatif_answer(a.w)->reasons, "procs"));
	asked_free(&a);
}

static void a_trace_without_a_unit_is_refused(void)
{
	struct asked a = asked(BEGIN "GoBlock dt=1000 reason_string=21 stack=5\n");

	CHECK(refuses(&whatif_answer(a.w)->reasons, "unit"));
	asked_free(&a);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(the_replay_of_what_was_is_what_was), UNIT(a_shorter_sleep_is_predicted),
		UNIT(a_shorter_function_is_predicted), UNIT(the_largest_effect_comes_first),
		UNIT(an_unsure_part_is_refused),
		UNIT(a_sleep_that_is_too_short_is_refused), UNIT(both_replays_are_the_range),
		UNIT(a_join_waits_for_the_others_too), UNIT(the_writer_of_a_connection_ends_the_wait), UNIT(few_units_are_refused),
		UNIT(losses_are_refused), UNIT(a_change_of_procs_is_refused),
		UNIT(a_trace_without_a_unit_is_refused), {0} });
}
