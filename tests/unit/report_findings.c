// SPDX-License-Identifier: Apache-2.0
/*
 * findings: which faults small traces show, who is to blame, and how much time it costs, to the nanosecond.
 */
#include "unit.h"

#include <stdlib.h>

#include "report/finding.h"
#include "trace_text.h"

/*
 * Strings from 20 on are reasons. Stacks: 1 a sleep of the holder, 2 its release; 3 a wait for the lock;
 * see each.
 */
#define TABLES \
	"batch\nStrings\n" \
	"String id=1\n\tdata=\"/src/x.go\"\nString id=2\n\tdata=\"sync.(*Mutex).Lock\"\n" \
	"String id=3\n\tdata=\"sync.(*Mutex).Unlock\"\nString id=4\n\tdata=\"time.Sleep\"\n" \
	"String id=5\n\tdata=\"main.hold\"\nString id=6\n\tdata=\"main.use\"\nString id=7\n\tdata=\"main.load\"\n" \
	"String id=8\n\tdata=\"main.main\"\nString id=9\n\tdata=\"runtime.chansend1\"\n" \
	"String id=10\n\tdata=\"runtime.chanrecv1\"\n" \
	"String id=11\n\tdata=\"sync.(*WaitGroup).Wait\"\n" \
	"String id=20\n\tdata=\"sync\"\nString id=21\n\tdata=\"sleep\"\nString id=22\n\tdata=\"chan send\"\n" \
	"String id=23\n\tdata=\"chan receive\"\nString id=24\n\tdata=\"gotap: not recorded\"\n" \
	"String id=25\n\tdata=\"network\"\nString id=26\n\tdata=\"runtime.Gosched\"\n" \
	"batch\nStacks\n" \
	"Stack id=1 nframes=3\n\tpc=1 func=4 file=1 line=1\n\tpc=2 func=7 file=1 line=40\n\tpc=3 func=5 file=1 line=12\n" \
	"Stack id=2 nframes=2\n\tpc=4 func=3 file=1 line=2\n\tpc=5 func=5 file=1 line=14\n" \
	"Stack id=3 nframes=2\n\tpc=6 func=2 file=1 line=3\n\tpc=7 func=6 file=1 line=30\n" \
	"Stack id=4 nframes=2\n\tpc=8 func=3 file=1 line=2\n\tpc=9 func=6 file=1 line=32\n" \
	"Stack id=5 nframes=2\n\tpc=10 func=9 file=1 line=4\n\tpc=11 func=6 file=1 line=50\n" \
	"Stack id=6 nframes=2\n\tpc=12 func=10 file=1 line=5\n\tpc=13 func=5 file=1 line=16\n" \
	"Stack id=7 nframes=2\n\tpc=14 func=10 file=1 line=5\n\tpc=15 func=6 file=1 line=60\n" \
	"Stack id=8 nframes=2\n\tpc=16 func=9 file=1 line=4\n\tpc=17 func=5 file=1 line=18\n" \
	"Stack id=9 nframes=1\n\tpc=18 func=8 file=1 line=80\n" \
	"Stack id=10 nframes=1\n\tpc=19 func=5 file=1 line=10\n" \
	"Stack id=11 nframes=1\n\tpc=20 func=6 file=1 line=28\n" \
	"Stack id=12 nframes=2\n\tpc=6 func=2 file=1 line=3\n\tpc=21 func=5 file=1 line=11\n" \
	"Stack id=14 nframes=2\n\tpc=23 func=11 file=1 line=6\n\tpc=24 func=8 file=1 line=81\n" \
	"Stack id=15 nframes=2\n\tpc=26 func=10 file=1 line=5\n\tpc=27 func=6 file=1 line=58\n" \
	"Stack id=16 nframes=1\n\tpc=28 func=6 file=1 line=55\n" \
	"Stack id=13 nframes=2\n\tpc=14 func=10 file=1 line=5\n\tpc=22 func=5 file=1 line=13\n"

#define BEGIN \
	TABLES \
	"batch m=1\n" \
	"ProcStatus dt=1 p=0 pstatus=1\n" \
	"GoStatus dt=1 g=1 m=1 gstatus=2\n"

static struct spans *spans;
static struct findings *findings;
static const struct finding_memory *memory;	/* of the JSON beside the trace; NULL: there is none */

static const struct vec *find(const char *story)
{
	struct buf bytes;
	struct trace_reader *r = trace_of_text(story, &bytes);
	struct error err;

	spans = spans_new();
	findings = findings_new(spans);
	if (memory)
		findings_out_of_memory(findings, memory);
	if (spans_read(spans, r, &err)) {
		printf("# %s\n", err.text);
		unit_failures++;
	}
	trace_reader_close(r);
	buf_free(&bytes);
	return findings_finish(findings);
}

static void forget(void)
{
	findings_free(findings);
	spans_free(spans);
}

struct wanted {
	const char *kind, *function;
	uint64_t line, ns;		/* ns 0: not asked */
};

static void check_first(const struct vec *list, struct wanted want)
{
	const struct finding *f = list->data;

	CHECK(list->len > 0);
	if (!list->len)
		return;
	if (strcmp(f->kind, want.kind) || strcmp(f->function, want.function) || f->line != want.line)
		printf("# %s\n", f->text);
	CHECK(!strcmp(f->kind, want.kind));
	CHECK(!strcmp(f->function, want.function));
	CHECK_EQ(f->line, want.line);
	if (want.ns)
		CHECK_EQ((uint64_t)(f->seconds * 1e9 + 0.5), want.ns);
	CHECK(f->share > 0 && f->share <= 1.0000001);
	CHECK(f->from >= 0 && f->to >= f->from);
}

static void check_none(const char *story)
{
	const struct vec *list = find(story);

	if (list->len)
		printf("# %s\n", vec_at(list, struct finding, 0)->text);
	CHECK_EQ(list->len, 0);
	forget();
}

/* Goroutine 2 sleeps, holding what 3 waits for. */
#define LOCKED \
	"GoCreate dt=1 new_g=2 new_stack=10 stack=9\n" \
	"GoCreate dt=1 new_g=3 new_stack=11 stack=9\n" \
	"GoBlock dt=1 reason_string=23 stack=9\n" \
	"GoStart dt=1 g=2 g_seq=1\n" \
	"GoBlock dt=1 reason_string=21 stack=1\n" \
	"GoStart dt=1 g=3 g_seq=1\n" \
	"GoBlock dt=2 reason_string=20 stack=3\n" \
	"GoUnblock dt=90 g=2 g_seq=2 stack=0\n" \
	"GoStart dt=1 g=2 g_seq=3\n"

static void a_holder_that_sleeps_is_to_blame_at_its_own_line(void)
{
	const struct vec *list = find(BEGIN LOCKED
		"GoUnblock dt=9 g=3 g_seq=2 stack=2\n"
		"GoDestroy dt=1\n"
		"GoStart dt=1 g=3 g_seq=3\n"
		"GoDestroy dt=1\n");
	const struct finding *f = list->data;

	check_first(list, (struct wanted){ "lock", "main.hold", 12, 100 });
	CHECK_EQ(list->len, 1);
	CHECK_EQ(f->ngoroutines, 1);
	CHECK_EQ(f->goroutines[0], 3);
	CHECK(strstr(f->text, "main.load (x.go:40)") != NULL);
	CHECK(strstr(f->text, "sleeps 90 %") != NULL);
	CHECK_EQ(f->to - f->from, 100);
	forget();
}

/* 3 gets the lock from 2 and gives it to 4 at once: 2 is to blame for the time of both. */
static void who_hands_on_what_it_waited_for_is_not_to_blame(void)
{
	const struct vec *list = find(BEGIN
		"GoCreate dt=1 new_g=4 new_stack=11 stack=9\n"
		LOCKED
		"GoUnblock dt=9 g=3 g_seq=2 stack=2\n"
		"GoDestroy dt=1\n"
		"GoStart dt=1 g=4 g_seq=1\n"
		"GoBlock dt=1 reason_string=20 stack=3\n"
		"GoStart dt=1 g=3 g_seq=3\n"
		"GoUnblock dt=1 g=4 g_seq=2 stack=4\n"
		"GoDestroy dt=1\n"
		"GoStart dt=1 g=4 g_seq=3\n"
		"GoDestroy dt=1\n");

	check_first(list, (struct wanted){ "lock", "main.hold", 12, 100 });
	forget();
}

/* Two senders, and one that sleeps between two receives. */
static void the_one_that_receives_slowly_is_to_blame(void)
{
	const struct vec *list = find(BEGIN
		"GoCreate dt=1 new_g=2 new_stack=10 stack=9\n"
		"GoCreate dt=1 new_g=3 new_stack=11 stack=9\n"
		"GoCreate dt=1 new_g=4 new_stack=11 stack=9\n"
		"GoBlock dt=1 reason_string=23 stack=9\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoBlock dt=1 reason_string=21 stack=1\n"
		"GoStart dt=1 g=3 g_seq=1\n"
		"GoBlock dt=1 reason_string=22 stack=5\n"
		"GoStart dt=1 g=4 g_seq=1\n"
		"GoBlock dt=1 reason_string=22 stack=5\n"
		"GoUnblock dt=50 g=2 g_seq=2 stack=0\n"
		"GoStart dt=1 g=2 g_seq=3\n"
		"GoUnblock dt=1 g=3 g_seq=2 stack=6\n"		/* after 54 */
		"GoBlock dt=1 reason_string=21 stack=1\n"
		"GoUnblock dt=50 g=2 g_seq=4 stack=0\n"
		"GoStart dt=1 g=2 g_seq=5\n"
		"GoUnblock dt=1 g=4 g_seq=2 stack=6\n"		/* after 105 */
		"GoBlock dt=1 reason_string=21 stack=1\n");

	check_first(list, (struct wanted){ "slow consumer", "main.hold", 12, 54 + 105 });
	forget();
}

/* The one that gives work sleeps most of the time: there is no work. */
static void to_wait_for_work_loses_nothing(void)
{
	check_none(BEGIN
		"GoCreate dt=1 new_g=2 new_stack=10 stack=9\n"
		"GoCreate dt=1 new_g=3 new_stack=11 stack=9\n"
		"GoCreate dt=1 new_g=4 new_stack=11 stack=9\n"
		"GoBlock dt=1 reason_string=23 stack=9\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoBlock dt=1 reason_string=21 stack=1\n"
		"GoStart dt=1 g=3 g_seq=1\n"
		"GoBlock dt=1 reason_string=23 stack=7\n"
		"GoStart dt=1 g=4 g_seq=1\n"
		"GoBlock dt=1 reason_string=23 stack=7\n"
		"GoUnblock dt=50 g=2 g_seq=2 stack=0\n"
		"GoStart dt=1 g=2 g_seq=3\n"
		"GoUnblock dt=1 g=3 g_seq=2 stack=8\n"
		"GoUnblock dt=1 g=4 g_seq=2 stack=8\n"
		"GoBlock dt=1 reason_string=21 stack=1\n");
}

/* The same, but it runs all that time. */
static void one_that_feeds_all_and_always_runs_is_to_blame(void)
{
	const struct vec *list = find(BEGIN
		"GoCreate dt=1 new_g=2 new_stack=10 stack=9\n"
		"GoCreate dt=1 new_g=3 new_stack=11 stack=9\n"
		"GoCreate dt=1 new_g=4 new_stack=11 stack=9\n"
		"GoBlock dt=1 reason_string=23 stack=9\n"
		"GoStart dt=1 g=3 g_seq=1\n"
		"GoBlock dt=1 reason_string=23 stack=7\n"
		"GoStart dt=1 g=4 g_seq=1\n"
		"GoBlock dt=1 reason_string=23 stack=7\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoUnblock dt=100 g=3 g_seq=2 stack=8\n"	/* after 103 */
		"GoUnblock dt=50 g=4 g_seq=2 stack=8\n"		/* after 151 */
		"GoDestroy dt=1\n");

	check_first(list, (struct wanted){ "serialised", "main.hold", 18, 103 + 151 });
	forget();
}

/* What the holder did while nothing was recorded is not known, and no time of it counts. */
static void a_gap_is_not_lost(void)
{
	const struct vec *list = find(BEGIN
		"GoCreate dt=1 new_g=2 new_stack=10 stack=9\n"
		"GoCreate dt=1 new_g=3 new_stack=11 stack=9\n"
		"GoBlock dt=1 reason_string=23 stack=9\n"
		"GoStart dt=1 g=3 g_seq=1\n"
		"GoBlock dt=1 reason_string=20 stack=3\n"	/* waits 200 */
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoBlock dt=99 reason_string=24 stack=0\n"
		"GoUnblock dt=50 g=2 g_seq=2 stack=0\n"
		"GoStart dt=1 g=2 g_seq=3\n"
		"GoUnblock dt=49 g=3 g_seq=2 stack=2\n"
		"GoDestroy dt=1\n");

	check_first(list, (struct wanted){ "lock", "main.hold", 14, 150 });
	forget();
}

static void who_waits_for_ever_with_a_lock_is_to_blame(void)
{
	const struct vec *list = find(BEGIN
		"GoCreate dt=1 new_g=2 new_stack=10 stack=9\n"
		"GoCreate dt=1 new_g=3 new_stack=10 stack=9\n"
		"GoBlock dt=1 reason_string=21 stack=9\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoBlock dt=1 reason_string=23 stack=13\n"
		"GoStart dt=1 g=3 g_seq=1\n"
		"GoBlock dt=1 reason_string=20 stack=12\n"
		"GoUnblock dt=900000000 g=1 g_seq=1 stack=0\n");

	check_first(list, (struct wanted){ "stuck", "main.hold", 13, 0 });
	forget();
}

/* Without stacks nobody can be named, and nothing is said. */
static void without_stacks_less_is_said(void)
{
	check_none(BEGIN
		"GoCreate dt=1 new_g=2 new_stack=0 stack=0\n"
		"GoCreate dt=1 new_g=3 new_stack=0 stack=0\n"
		"GoBlock dt=1 reason_string=23 stack=0\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoBlock dt=1 reason_string=21 stack=0\n"
		"GoStart dt=1 g=3 g_seq=1\n"
		"GoBlock dt=2 reason_string=20 stack=0\n"
		"GoUnblock dt=90 g=2 g_seq=2 stack=0\n"
		"GoStart dt=1 g=2 g_seq=3\n"
		"GoUnblock dt=9 g=3 g_seq=2 stack=0\n"
		"GoDestroy dt=1\n");
}

/*
 * Each 10 ms a goroutine is created, @n in all, and waits to send; but the first @ended ones end. @older goroutines,
 * which wait since before the trace, end one by one.
 */
static char *leak_story(unsigned n, unsigned ended, unsigned older)
{
	struct buf text = { 0 };
	unsigned i, seq = 0;

	buf_printf(&text, "%s", BEGIN);
	for (i = 0; i < older; i++)
		buf_printf(&text, "GoStatusStack dt=1 g=%u m=18446744073709551615 gstatus=4 stack=5\n", 1000 + i);
	for (i = 0; i < n; i++) {
		if (i < older)
			buf_printf(&text, "GoUnblock dt=1 g=%u g_seq=1 stack=0\nGoStop dt=1 reason_string=21 stack=9\n"
				   "GoStart dt=1 g=%u g_seq=2\nGoDestroy dt=1\nGoStart dt=1 g=1 g_seq=%u\n",
				   1000 + i, 1000 + i, ++seq);
		buf_printf(&text, "GoCreate dt=10000000 new_g=%u new_stack=11 stack=10\n", 10 + i);
		buf_printf(&text, "GoStop dt=1 reason_string=21 stack=9\nGoStart dt=1 g=%u g_seq=1\n", 10 + i);
		if (i < ended)
			buf_printf(&text, "GoDestroy dt=1\n");
		else
			buf_printf(&text, "GoBlock dt=1 reason_string=22 stack=5\n");
		buf_printf(&text, "GoStart dt=1 g=1 g_seq=%u\n", ++seq);
		buf_printf(&text, "GoStop dt=1 reason_string=21 stack=9\nGoStart dt=1 g=1 g_seq=%u\n", ++seq);
	}
	buf_add_byte(&text, 0);
	return (char *)text.data;
}

static void goroutines_that_never_end_are_a_leak(void)
{
	char *story = leak_story(100, 0, 39);

	check_first(find(story), (struct wanted){ "leak", "main.hold", 10, 0 });
	forget();
	free(story);
}

static void goroutines_that_end_are_no_leak(void)
{
	char *story = leak_story(100, 99, 0);

	check_none(story);
	free(story);
}

/*
 * As many goroutines end as are created, but none that was created in the trace: it is shorter than a wait in their
 * queue.
 */
static void a_queue_that_is_longer_than_the_trace_is_no_leak(void)
{
	char *story = leak_story(100, 0, 100);
	const struct vec *list = find(story);
	size_t i;

	for (i = 0; i < list->len; i++)
		CHECK(strcmp(vec_at(list, struct finding, i)->kind, "leak"));
	forget();
	free(story);
}

/*
 * 600 goroutines wait to send. Goroutine 1 lets one go each ms, and sleeps: most waits last for more than 256 of its
 * stays.
 */
static void one_who_takes_from_a_long_queue_is_to_blame(void)
{
	struct buf text = { 0 };
	unsigned i, seq = 0;

	buf_printf(&text, "%s", BEGIN);
	for (i = 0; i < 600; i++)
		buf_printf(&text, "GoCreate dt=1 new_g=%u new_stack=11 stack=10\nGoStop dt=1 reason_string=21 stack=9\n"
			   "GoStart dt=1 g=%u g_seq=1\nGoBlock dt=1 reason_string=22 stack=5\nGoStart dt=1 g=1 g_seq=%u\n",
			   10 + i, 10 + i, ++seq);
	for (i = 0; i < 600; i++) {
		buf_printf(&text, "GoUnblock dt=1 g=%u g_seq=2 stack=6\nGoBlock dt=1 reason_string=21 stack=1\n"
			   "GoStart dt=1 g=%u g_seq=3\nGoDestroy dt=1\n", 10 + i, 10 + i);
		buf_printf(&text, "GoUnblock dt=1000000 g=1 g_seq=%u stack=0\nGoStart dt=1 g=1 g_seq=%u\n", seq + 1, seq + 2);
		seq += 2;
	}
	buf_add_byte(&text, 0);
	check_first(find((char *)text.data), (struct wanted){ "slow consumer", "main.hold", 12, 0 });
	forget();
	buf_free(&text);
}

/* Goroutine 1 begins 2, and 3 and 4 that send; 2 receives once and ends. */
#define SENDERS(RECEIVER_ENDS) \
	"GoCreate dt=1 new_g=2 new_stack=10 stack=9\n" \
	"GoCreate dt=1 new_g=3 new_stack=11 stack=9\n" \
	"GoCreate dt=1 new_g=4 new_stack=11 stack=9\n" \
	"GoCreate dt=1 new_g=5 new_stack=9 stack=9\n" \
	"GoBlock dt=1 reason_string=20 stack=14\n" \
	"GoStart dt=1 g=3 g_seq=1\n" \
	"GoBlock dt=1 reason_string=22 stack=5\n" \
	"GoStart dt=1 g=4 g_seq=1\n" \
	"GoBlock dt=1 reason_string=22 stack=5\n" \
	"GoStart dt=1 g=2 g_seq=1\n" \
	"GoUnblock dt=1 g=3 g_seq=2 stack=6\n" \
	RECEIVER_ENDS \
	"GoStart dt=1 g=3 g_seq=3\n" \
	"GoBlock dt=1 reason_string=22 stack=5\n" \
	"GoStart dt=1 g=5 g_seq=1\n" \
	"GoStop dt=900000000 reason_string=21 stack=9\n"

static void who_waits_to_send_to_those_that_are_gone_is_stuck(void)
{
	const struct vec *list = find(BEGIN SENDERS("GoDestroy dt=1\n"));
	const struct finding *f = list->data;

	check_first(list, (struct wanted){ "stuck", "main.use", 50, 900000002 + 900000007 });
	CHECK_EQ(f->ngoroutines, 2);
	CHECK(strstr(f->text, "main.hold (x.go:16)") != NULL);
	CHECK(strstr(f->text, "1 goroutine waits for them at main.main (x.go:81)") != NULL);
	forget();
}

/* As long as one lives that received, it may do so again. */
static void who_waits_to_send_to_one_that_lives_is_not_stuck(void)
{
	check_none(BEGIN SENDERS("GoBlock dt=1 reason_string=21 stack=1\n"));
}

/* Goroutine 1 feeds 3, and then waits for it: nobody closes the channel. */
static void who_waits_for_those_that_wait_for_it_is_stuck(void)
{
	const struct vec *list = find(BEGIN
		"GoCreate dt=1 new_g=3 new_stack=11 stack=9\n"
		"GoStop dt=1 reason_string=21 stack=9\n"
		"GoStart dt=1 g=3 g_seq=1\n"
		"GoBlock dt=1 reason_string=23 stack=7\n"
		"GoStart dt=1 g=1 g_seq=1\n"
		"GoUnblock dt=1 g=3 g_seq=2 stack=9\n"
		"GoCreate dt=1 new_g=5 new_stack=9 stack=9\n"
		"GoBlock dt=1 reason_string=20 stack=14\n"
		"GoStart dt=1 g=3 g_seq=3\n"
		"GoBlock dt=1 reason_string=23 stack=7\n"
		"GoStart dt=1 g=5 g_seq=1\n"
		"GoStop dt=900000000 reason_string=21 stack=9\n");

	check_first(list, (struct wanted){ "stuck", "main.use", 60, 900000002 });
	CHECK(strstr(((struct finding *)list->data)->text, "close") != NULL);
	forget();
}

/* Goroutine 1 waits for 2 and 3, of which 3 ends as @last says. */
#define JOINED(LAST) \
	"GoCreate dt=1 new_g=2 new_stack=10 stack=9\n" \
	"GoCreate dt=1 new_g=3 new_stack=11 stack=9\n" \
	"GoBlock dt=1 reason_string=20 stack=14\n" \
	"GoStart dt=1 g=2 g_seq=1\n" \
	"GoCreate dt=1 new_g=5 new_stack=9 stack=10\n" \
	"GoDestroy dt=1\n" \
	"GoStart dt=1 g=3 g_seq=1\n" \
	LAST \
	"GoStart dt=1 g=5 g_seq=1\n" \
	"GoStop dt=900000000 reason_string=21 stack=9\n"

static void who_waits_for_goroutines_that_have_ended_is_stuck(void)
{
	const struct vec *list = find(BEGIN JOINED("GoDestroy dt=1\n"));

	check_first(list, (struct wanted){ "stuck", "main.main", 81, 900000002 });
	forget();
	check_none(BEGIN JOINED("GoBlock dt=1 reason_string=23 stack=7\n"));
}

/* One that a timer wakes each 100 us, @n times, and that then does @work. */
static char *timer_story(unsigned n, const char *work)
{
	struct buf text = { 0 };
	unsigned i, seq = 2;

	buf_printf(&text, "%s", BEGIN
		   "GoCreate dt=1 new_g=2 new_stack=10 stack=9\n"
		   "GoCreate dt=1 new_g=3 new_stack=11 stack=9\n"
		   "GoBlock dt=1 reason_string=23 stack=9\n"
		   "GoStart dt=1 g=3 g_seq=1\nGoBlock dt=1 reason_string=20 stack=3\n"
		   "GoStart dt=1 g=2 g_seq=1\nGoBlock dt=1 reason_string=21 stack=1\n");
	for (i = 0; i < n; i++, seq += 2) {
		buf_printf(&text, "GoUnblock dt=100000 g=2 g_seq=%u stack=0\nGoStart dt=1 g=2 g_seq=%u\n", seq, seq + 1);
		if (work)
			buf_printf(&text, work, 2 * i + 2, 2 * i + 3);
		buf_printf(&text, "GoBlock dt=1000 reason_string=21 stack=1\n");
		if (work)
			buf_printf(&text, "GoStart dt=1 g=3 g_seq=%u\nGoBlock dt=1 reason_string=20 stack=3\n", 2 * i + 3);
	}
	buf_add_byte(&text, 0);
	return (char *)text.data;
}

static void who_yields_again_and_again_polls(void)
{
	struct buf text = { 0 };
	unsigned i;

	buf_printf(&text, "%s", BEGIN);
	for (i = 0; i < 100; i++)
		buf_printf(&text, "GoStop dt=%u reason_string=26 stack=9\nGoStart dt=100 g=1 g_seq=%u\n", 400, i + 1);
	buf_add_byte(&text, 0);
	check_first(find((char *)text.data), (struct wanted){ "polling", "main.main", 80, 40002 });
	forget();
	buf_free(&text);
}

static void who_only_sleeps_and_looks_polls(void)
{
	char *story = timer_story(200, NULL);

	check_first(find(story), (struct wanted){ "polling", "main.load", 40, 0 });
	forget();
	free(story);
}

/* It lets others have the lock that it had while it slept: the lock is the fault, and not that it wakes up. */
static void who_lets_go_of_a_lock_after_its_sleep_does_not_poll(void)
{
	char *story = timer_story(200, "GoUnblock dt=1 g=3 g_seq=%u stack=2\n");
	const struct vec *list = find(story);

	check_first(list, (struct wanted){ "lock", "main.hold", 12, 0 });
	CHECK_EQ(list->len, 1);
	forget();
	free(story);
}

/* Goroutine 2 feeds 3 and 4; 5 lets it wait to send for 900, and sleeps. */
static void who_lets_the_feeder_of_others_wait_is_to_blame(void)
{
	const struct vec *list = find(BEGIN
		"GoCreate dt=1 new_g=2 new_stack=11 stack=9\n"
		"GoCreate dt=1 new_g=3 new_stack=11 stack=9\n"
		"GoCreate dt=1 new_g=4 new_stack=11 stack=9\n"
		"GoCreate dt=1 new_g=5 new_stack=10 stack=9\n"
		"GoBlock dt=1 reason_string=23 stack=9\n"
		"GoStart dt=1 g=3 g_seq=1\nGoBlock dt=1 reason_string=23 stack=7\n"
		"GoStart dt=1 g=4 g_seq=1\nGoBlock dt=1 reason_string=23 stack=7\n"
		"GoStart dt=1 g=5 g_seq=1\nGoBlock dt=1 reason_string=21 stack=1\n"
		"GoStart dt=1 g=2 g_seq=1\nGoBlock dt=1 reason_string=22 stack=5\n"
		"GoUnblock dt=900 g=5 g_seq=2 stack=0\n"
		"GoStart dt=1 g=5 g_seq=3\nGoUnblock dt=1 g=2 g_seq=2 stack=6\n"
		"GoBlock dt=1 reason_string=21 stack=1\n"
		"GoStart dt=1 g=2 g_seq=3\n"
		"GoUnblock dt=1 g=3 g_seq=2 stack=5\n"
		"GoUnblock dt=1 g=4 g_seq=2 stack=5\n"
		"GoBlock dt=1 reason_string=22 stack=5\n");

	check_first(list, (struct wanted){ "slow consumer", "main.hold", 12, 0 });
	CHECK(strstr(((struct finding *)list->data)->text, "main.use (x.go:60)") != NULL);
	forget();
}

/* Three that wait to send at one place, each until the one before it has asked the network; the last one as @LAST says. */
#define TOKENS(LAST) \
	"GoCreate dt=1 new_g=2 new_stack=11 stack=9\n" \
	"GoCreate dt=1 new_g=3 new_stack=11 stack=9\n" \
	"GoCreate dt=1 new_g=4 new_stack=11 stack=9\n" \
	"GoBlock dt=1 reason_string=23 stack=9\n" \
	"GoStart dt=1 g=2 g_seq=1\nGoBlock dt=1 reason_string=25 stack=16\n" \
	"GoStart dt=1 g=3 g_seq=1\nGoBlock dt=1 reason_string=22 stack=5\n" \
	"GoStart dt=1 g=4 g_seq=1\nGoBlock dt=1 reason_string=22 stack=5\n" \
	"GoUnblock dt=900 g=2 g_seq=2 stack=0\n" \
	"GoStart dt=1 g=2 g_seq=3\nGoUnblock dt=1 g=3 g_seq=2 stack=15\nGoBlock dt=1 reason_string=22 stack=5\n" \
	"GoStart dt=1 g=3 g_seq=3\nGoBlock dt=1 reason_string=25 stack=16\n" \
	"GoUnblock dt=900 g=3 g_seq=4 stack=0\n" \
	"GoStart dt=1 g=3 g_seq=5\nGoUnblock dt=1 g=4 g_seq=2 stack=15\nGoDestroy dt=1\n" \
	"GoStart dt=1 g=4 g_seq=3\nGoBlock dt=1 reason_string=25 stack=16\n" \
	"GoUnblock dt=900 g=4 g_seq=4 stack=0\n" \
	"GoStart dt=1 g=4 g_seq=5\n" LAST "GoDestroy dt=1\n"

static void who_waits_for_the_network_with_a_token_is_to_blame(void)
{
	check_first(find(BEGIN TOKENS("GoUnblock dt=1 g=2 g_seq=4 stack=15\n")),
		    (struct wanted){ "lock", "main.use", 55, 0 });
	forget();
}

/* Each waits for the next one, and nobody for the first: stages of a pipeline that run the same function. */
static void the_stages_of_a_pipeline_take_no_turns(void)
{
	check_none(BEGIN TOKENS(""));
}

/* Goroutine 3 runs for @ns in one go, ten times; 2 is ready meanwhile, made so by 3, or by nobody. */
static char *queue_story(bool by_hog, unsigned ns)
{
	static const char *const order[2] = {
		"GoUnblock dt=1 g=2 g_seq=%u stack=0\nGoStart dt=1 g=3 g_seq=%u\n",
		"GoStart dt=1 g=3 g_seq=%2$u\nGoUnblock dt=1 g=2 g_seq=%1$u stack=6\n",
	};
	struct buf text = { 0 };
	unsigned i;

	/* Two Ps, of which one is taken away. */
	buf_printf(&text, "%s", BEGIN
		   "ProcsChange dt=1 procs_value=2 stack=0\nProcsChange dt=1 procs_value=1 stack=0\n"
		   "GoCreate dt=1 new_g=2 new_stack=11 stack=9\nGoCreate dt=1 new_g=3 new_stack=10 stack=9\n"
		   "GoBlock dt=1 reason_string=23 stack=9\n"
		   "GoStart dt=1 g=2 g_seq=1\nGoBlock dt=1 reason_string=22 stack=5\n");
	for (i = 0; i < 10; i++) {
		buf_printf(&text, order[by_hog], 2 * i + 2, i + 1);
		buf_printf(&text, "GoStop dt=%u reason_string=21 stack=10\n"
			   "GoStart dt=1 g=2 g_seq=%u\nGoBlock dt=1000 reason_string=22 stack=5\n", ns, 2 * i + 3);
	}
	buf_add_byte(&text, 0);
	return (char *)text.data;
}

static void who_works_for_the_one_that_runs_is_not_starved(void)
{
	char *story = queue_story(false, 7000000);
	const struct vec *list = find(story);

	check_first(list, (struct wanted){ "starvation", "main.hold", 10, 0 });
	CHECK(!strstr(((struct finding *)list->data)->text, "other processes"));
	forget();
	free(story);
	story = queue_story(true, 7000000);
	check_none(story);
	free(story);
}

/* The runtime would have preempted it: the trace does not tell whether it had a CPU. */
static void runs_that_are_too_long_may_be_those_of_other_processes(void)
{
	char *story = queue_story(false, 70000000);
	const struct vec *list = find(story);

	check_first(list, (struct wanted){ "starvation", "main.hold", 10, 0 });
	CHECK(strstr(((struct finding *)list->data)->text, "had lost their CPU to other processes"));
	forget();
	free(story);
}

/*
 * Reasons 30 and 31 are waits for mutexes 0x1000 and 0x1010. Goroutines 4 and 5 wait for them from the begin on; 2 gets
 * the first one and waits for the second, 3 gets the second one and waits for the first.
 */
#define TWO_LOCKS_TABLES \
	TABLES \
	"batch\nStrings\nString id=30\n\tdata=\"sync\"\nString id=31\n\tdata=\"sync\"\n" \
	"batch m=512735409267\nStrings\n" \
	"String id=32\n\tdata=\"gotap.w1r<$\\x80@\\x00\\x02$ \\x00\"\n" \
	"batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n"
#define TWO_LOCKS \
	TWO_LOCKS_TABLES \
	"GoCreate dt=1 new_g=2 new_stack=10 stack=9\nGoCreate dt=1 new_g=3 new_stack=11 stack=9\n" \
	"GoCreate dt=1 new_g=4 new_stack=10 stack=9\nGoCreate dt=1 new_g=5 new_stack=11 stack=9\n" \
	"GoCreate dt=1 new_g=6 new_stack=9 stack=9\nGoStop dt=1 reason_string=26 stack=9\n" \
	"GoStart dt=1 g=4 g_seq=1\nGoBlock dt=1 reason_string=30 stack=3\n" \
	"GoStart dt=1 g=5 g_seq=1\nGoBlock dt=1 reason_string=31 stack=3\n"

#define GETS(g, lock) \
	"GoStart dt=1 g=" g " g_seq=1\nGoBlock dt=1 reason_string=" lock " stack=3\n" \
	"GoStart dt=1 g=1 g_seq=SEQ\nGoUnblock dt=1 g=" g " g_seq=2 stack=2\nGoStop dt=1 reason_string=26 stack=9\n" \
	"GoStart dt=1 g=" g " g_seq=3\n"
#define UP_TO_THE_END \
	"GoStart dt=1 g=6 g_seq=1\nGoBlock dt=900000000 reason_string=21 stack=9\n"

/* The story with the numbers of the starts of goroutine 1 in place of SEQ. */
static const struct vec *find_two_locks(const char *story)
{
	static char text[8192];
	const char *at;
	int seq = 1, n = 0;

	for (; (at = strstr(story, "SEQ")); story = at + 3)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%.*s%d", (int)(at - story), story, seq++);
	snprintf(text + n, sizeof(text) - (size_t)n, "%s", story);
	return find(text);
}

/* Goroutines 4 and 5 wait at one line, for reason 30 and the reason @second; goroutine 1 releases both in turn. */
#define ONE_LINE(second) \
	TWO_LOCKS_TABLES \
	"GoCreate dt=1 new_g=4 new_stack=10 stack=9\nGoCreate dt=1 new_g=5 new_stack=11 stack=9\n" \
	"GoStop dt=1 reason_string=26 stack=9\n" \
	"GoStart dt=1 g=4 g_seq=1\nGoBlock dt=1 reason_string=30 stack=3\n" \
	"GoStart dt=1 g=5 g_seq=1\nGoBlock dt=1 reason_string=" second " stack=3\n" \
	"GoStart dt=1 g=1 g_seq=1\nGoUnblock dt=200 g=4 g_seq=2 stack=2\n" \
	"GoUnblock dt=100 g=5 g_seq=2 stack=2\nGoBlock dt=1 reason_string=21 stack=9\n"

static void check_says(const char *story, const char *says)
{
	const struct vec *list = find(story);
	const char *text = list->len ? vec_at(list, struct finding, 0)->text : "";

	check_first(list, (struct wanted){ "lock", "main.hold", 14, 0 });
	if (!strstr(text, says))
		printf("# %s\n", text);
	CHECK(strstr(text, says));
	forget();
}

static void a_line_with_one_lock_and_one_with_two_are_told_apart(void)
{
	check_says(ONE_LINE("30"), " It is always the same: mutex 0x1000.");
	check_says(ONE_LINE("31"), " These are 2 mutexes; the one with 60 % of the time is mutex 0x1010.");
}

static void two_that_have_the_lock_of_the_other_are_a_deadlock(void)
{
	const struct vec *list = find_two_locks(TWO_LOCKS
		GETS("2", "30") "GoBlock dt=1 reason_string=31 stack=12\n"
		GETS("3", "31") "GoBlock dt=1 reason_string=30 stack=3\n" UP_TO_THE_END);
	const char *text = list->len ? vec_at(list, struct finding, 0)->text : "";

	check_first(list, (struct wanted){ "deadlock", "main.hold", 11, 0 });
	CHECK(strstr(text, "Deadlock: goroutine 2 has mutex 0x1000 and waits for mutex 0x1010 at main.hold (x.go:11), "
			   "goroutine 3 has mutex 0x1010 and waits for mutex 0x1000 at main.use (x.go:30)"));
	CHECK(strstr(text, "each has the lock that the other wants (AB-BA). 2 more wait for these locks."));
	forget();
}

/* Goroutine 2 and 3 have got nothing that the trace shows. */
static void two_locks_that_nobody_releases_are_likely_a_deadlock(void)
{
	const struct vec *list = find_two_locks(TWO_LOCKS UP_TO_THE_END);
	const char *text = list->len ? vec_at(list, struct finding, 0)->text : "";

	check_first(list, (struct wanted){ "deadlock", "main.use", 30, 0 });
	CHECK(strstr(text, "Likely a deadlock: goroutine 4 waits for mutex 0x1000"));
	CHECK(!strstr(text, " has mutex"));
	forget();
}

/* Goroutines that wait for one lock are no deadlock of two; the goroutine that holds it is not known. */
static void one_lock_is_no_deadlock(void)
{
	const struct vec *list = find_two_locks(TWO_LOCKS
		"GoStart dt=1 g=1 g_seq=SEQ\nGoUnblock dt=1 g=5 g_seq=2 stack=2\nGoStop dt=1 reason_string=26 stack=9\n"
		"GoStart dt=1 g=5 g_seq=3\nGoDestroy dt=1\n" UP_TO_THE_END);

	CHECK(!list->len || strcmp(vec_at(list, struct finding, 0)->kind, "deadlock"));
	forget();
}

static void who_holds_the_memory_stands_first_and_takes_no_time(void)
{
	const struct vec *list;
	const struct finding *f;

	memory = &(struct finding_memory){ "Out of memory: who", "main.leak", "x.go", 7 };
	list = find(BEGIN LOCKED "GoUnblock dt=9 g=3 g_seq=2 stack=2\nGoDestroy dt=1\n"
		    "GoStart dt=1 g=3 g_seq=3\nGoDestroy dt=1\n");
	memory = NULL;
	f = list->data;
	CHECK_EQ(list->len, 2);
	CHECK_STR(f[0].kind, "out of memory");
	CHECK_STR(f[0].function, "main.leak");
	CHECK_EQ(f[0].line, 7);
	CHECK(f[0].share == 0 && f[0].first && f[0].from == 0 && f[0].to > 0);
	CHECK_STR(f[1].kind, "lock");
	CHECK(f[1].share > 0);
	forget();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_holder_that_sleeps_is_to_blame_at_its_own_line),
		UNIT(who_hands_on_what_it_waited_for_is_not_to_blame),
		UNIT(the_one_that_receives_slowly_is_to_blame),
		UNIT(to_wait_for_work_loses_nothing),
		UNIT(one_that_feeds_all_and_always_runs_is_to_blame),
		UNIT(a_gap_is_not_lost),
		UNIT(who_waits_for_ever_with_a_lock_is_to_blame),
		UNIT(without_stacks_less_is_said),
		UNIT(goroutines_that_never_end_are_a_leak),
		UNIT(goroutines_that_end_are_no_leak),
		UNIT(one_who_takes_from_a_long_queue_is_to_blame),
		UNIT(a_queue_that_is_longer_than_the_trace_is_no_leak),
		UNIT(a_line_with_one_lock_and_one_with_two_are_told_apart),
		UNIT(two_that_have_the_lock_of_the_other_are_a_deadlock),
		UNIT(two_locks_that_nobody_releases_are_likely_a_deadlock),
		UNIT(one_lock_is_no_deadlock),
		UNIT(who_waits_to_send_to_those_that_are_gone_is_stuck),
		UNIT(who_waits_to_send_to_one_that_lives_is_not_stuck),
		UNIT(who_waits_for_those_that_wait_for_it_is_stuck),
		UNIT(who_waits_for_goroutines_that_have_ended_is_stuck),
		UNIT(who_yields_again_and_again_polls),
		UNIT(who_only_sleeps_and_looks_polls),
		UNIT(who_lets_go_of_a_lock_after_its_sleep_does_not_poll),
		UNIT(who_lets_the_feeder_of_others_wait_is_to_blame),
		UNIT(who_waits_for_the_network_with_a_token_is_to_blame),
		UNIT(the_stages_of_a_pipeline_take_no_turns),
		UNIT(who_works_for_the_one_that_runs_is_not_starved),
		UNIT(who_holds_the_memory_stands_first_and_takes_no_time),
		UNIT(runs_that_are_too_long_may_be_those_of_other_processes),
		{0},
	});
}
