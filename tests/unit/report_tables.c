// SPDX-License-Identifier: Apache-2.0
/* report: the sums, distributions and curves that small traces give, by values; and that tables stay small. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "report/tables.h"
#include "trace_text.h"

/* Strings 1 to 9 and stacks 1 to 3: of f1, called by main.main; of f2; of runtime.f3. */
#define TABLES \
	"batch\nStrings\n" \
	"String id=1\n\tdata=\"main.f1\"\nString id=2\n\tdata=\"main.f2\"\nString id=3\n\tdata=\"runtime.f3\"\n" \
	"String id=4\n\tdata=\"x.go\"\nString id=5\n\tdata=\"chan receive\"\nString id=6\n\tdata=\"GC mark termination\"\n" \
	"String id=7\n\tdata=\"main.main\"\nString id=8\n\tdata=\"gotap: not recorded\"\n" \
	"String id=9\n\tdata=\"gotap\"\nString id=10\n\tdata=\"forever\"\nString id=11\n\tdata=\"GC (dedicated)\"\n" \
	"String id=12\n\tdata=\"gotap.labels\"\n" \
	"batch\nStacks\n" \
	"Stack id=1 nframes=2\n\tpc=16 func=1 file=4 line=11\n\tpc=32 func=7 file=4 line=70\n" \
	"Stack id=2 nframes=1\n\tpc=48 func=2 file=4 line=22\n" \
	"Stack id=3 nframes=1\n\tpc=64 func=3 file=4 line=33\n"

static struct spans *spans;
static struct tables *tables;

static void read_one(const char *name, const char *text)
{
	struct buf bytes;
	struct trace_reader *r = trace_of_text(text, &bytes);
	struct error err = {0};

	tables_trace(tables, name);
	if (spans_read(spans, r, &err))
		printf("# %s\n", err.text);
	trace_reader_close(r);
	buf_free(&bytes);
}

static void read_story(const char *text)
{
	spans = spans_new();
	tables = tables_new(spans, &(struct tables_options){ .top = 3 });
	read_one("one", text);
}

static void done(void)
{
	tables_delete(tables);
	spans_free(spans);
}

static const struct function_row *function(const char *name)
{
	size_t i;

	for (i = 0; i < tables->functions.len; i++)
		if (!strcmp(vec_at(&tables->functions, struct function_row, i)->name, name))
			return vec_at(&tables->functions, struct function_row, i);
	CHECK(!"the function is there");
	return NULL;
}

static uint32_t wait_of(const char *reason)
{
	uint32_t stay;

	for (stay = STAY_WAITS; stay < tables_stays(tables); stay++)
		if (!strcmp(tables_stay_name(tables, stay), reason))
			return stay;
	CHECK(!"the reason is there");
	return STAY_WAITS;
}

static int64_t sum_of(const char *name, uint32_t stay)
{
	return tables_dist(function(name), stay)->sum;
}

/* Each goroutine's states add up to its life, and so do those of all of a function. */
static void check_closed(void)
{
	size_t i;

	CHECK_EQ(tables->unclosed, 0);
	for (i = 0; i < tables->functions.len; i++) {
		const struct function_row *row = vec_at(&tables->functions, struct function_row, i);

		CHECK_EQ(row->states, row->life.sum);
	}
}

static const struct type_row *type(const struct vec *rows, const char *name)
{
	size_t i;

	for (i = 0; i < rows->len; i++)
		if (!strcmp(vec_at(rows, struct type_row, i)->type, name))
			return vec_at(rows, struct type_row, i);
	CHECK(!"the type is there");
	return NULL;
}

/* --- goroutines --- */

#define WAITS \
	TABLES \
	"batch m=1\n" \
	"ProcStatus dt=1 p=0 pstatus=1\n" \
	"GoStatus dt=1 g=1 m=1 gstatus=2\n" \
	"ProcsChange dt=1 procs_value=2 stack=0\n"	/* 3 */ \
	"GoCreate dt=2 new_g=2 new_stack=2 stack=1\n"	/* 5 */ \
	"GoBlock dt=5 reason_string=5 stack=1\n"	/* 10 */ \
	"GoStart dt=2 g=2 g_seq=1\n"			/* 12 */ \
	"GoUnblock dt=8 g=1 g_seq=1 stack=2\n"		/* 20 */ \
	"GoBlock dt=1 reason_string=10 stack=2\n"	/* 21: as a select without cases */ \
	"GoStart dt=4 g=1 g_seq=2\n"			/* 25 */ \
	"GoStop dt=5 reason_string=5 stack=1\n"		/* 30 */

static void states_add_up_to_the_life(void)
{
	read_story(WAITS);
	check_closed();
	CHECK_EQ(sum_of("main.main", STAY_RUNNING), 15);
	CHECK_EQ(sum_of("main.main", STAY_RUNNABLE), 6);
	CHECK_EQ(sum_of("main.main", wait_of("chan receive")), 10);
	CHECK_EQ(sum_of("main.f2", STAY_RUNNABLE), 7);
	CHECK_EQ(sum_of("main.f2", wait_of("forever")), 10);
	CHECK_EQ(function("main.f2")->life.sum, 26);
	CHECK_EQ(function("main.f2")->line, 22);
	CHECK_EQ(function("main.main")->goroutines, 1);
	CHECK_EQ(function("main.main")->created, 0);
	CHECK_EQ(function("main.f2")->created, 1);
	done();
}

static void traces_add_up(void)
{
	read_story(WAITS);
	read_one("two", WAITS);
	check_closed();
	CHECK_EQ(sum_of("main.main", wait_of("chan receive")), 20);
	CHECK_EQ(tables_dist(function("main.main"), STAY_RUNNING)->count, 4);
	CHECK_EQ(function("main.f2")->goroutines, 2);
	CHECK_EQ(tables->traces.len, 2);
	CHECK_STR(vec_at(&tables->traces, struct trace_row, 1)->name, "two");
	CHECK_EQ(vec_at(&tables->traces, struct trace_row, 1)->gomaxprocs, 2);
	done();
}

/* The third one lives since the begin, though the trace names it when the second one has ended. */
static void one_that_is_named_late_counts_from_the_begin(void)
{
	read_story(
		"batch\nStrings\nString id=1\n\tdata=\"x\"\n"
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"GoCreate dt=1 new_g=2 new_stack=0 stack=0\n"
		"GoStop dt=1 reason_string=1 stack=0\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoDestroy dt=1\n"
		"GoStart dt=1 g=1 g_seq=1\n"
		"GoStatus dt=1 g=3 m=18446744073709551615 gstatus=4\n"
		"GoUnblock dt=1 g=3 g_seq=1 stack=0\n");
	CHECK_EQ(vec_at(&tables->traces, struct trace_row, 0)->goroutines_max, 3);
	done();
}

static void a_call_is_split_where_it_loses_its_p(void)
{
	read_story(TABLES
		TRACE_TEXT_CALLS);
	check_closed();
	CHECK_EQ(sum_of("main.main", STAY_SYSCALL), 10);
	CHECK_EQ(sum_of("main.main", STAY_SYSCALL_BLOCKED), 10);
	CHECK_EQ(tables_dist(function("main.main"), STAY_SYSCALL_BLOCKED)->count, 1);
	CHECK_EQ(sum_of("main.main", STAY_CALL), 20);
	CHECK_EQ(tables_dist(function("main.main"), STAY_CALL)->max_from, 1015);
	done();
}

/* Of one that is found waiting the stack tells; one that runs into a wait has the reason of the trace. */
static void a_wait_from_before_has_the_reason_of_its_stack(void)
{
	read_story(TABLES
		"batch\nStrings\nString id=20\n\tdata=\"runtime.gopark\"\nString id=21\n\tdata=\"runtime.chanrecv1\"\n"
		"batch\nStacks\n"
		"Stack id=9 nframes=3\n\tpc=1 func=20 file=4 line=1\n\tpc=2 func=21 file=4 line=2\n\tpc=3 func=2 file=4 line=3\n"
		"Stack id=10 nframes=1\n\tpc=4 func=2 file=4 line=4\n"
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"GoStatusStack dt=1 g=2 m=18446744073709551615 gstatus=4 stack=9\n"
		"GoStatusStack dt=1 g=3 m=18446744073709551615 gstatus=4 stack=10\n"
		"GoBlock dt=6 reason_string=5 stack=1\n");
	check_closed();
	CHECK_EQ(tables_dist(function("main.f2"), wait_of("chan receive (by its stack)"))->count, 1);
	CHECK_EQ(tables_dist(function("main.f2"), wait_of("no reason given"))->count, 1);
	CHECK_EQ(tables_dist(function("main.main"), wait_of("chan receive"))->count, 1);
	done();
}

static void gaps_and_notes_are_kept(void)
{
	read_story(TABLES
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"GoCreate dt=1 new_g=2 new_stack=2 stack=1\n"	/* 3 */
		"UserLog dt=1 task=0 key_string=9 value_string=7 stack=0\n"
		"GoBlock dt=6 reason_string=8 stack=1\n"	/* 10 */
		"GoStart dt=2 g=2 g_seq=1\n"			/* 12 */
		"GoBlock dt=1 reason_string=8 stack=2\n"	/* 13 */
		"GoUnblock dt=17 g=1 g_seq=1 stack=0\n"		/* 30 */
		"GoUnblock dt=1 g=2 g_seq=2 stack=0\n");	/* 31 */
	CHECK_EQ(vec_at(&tables->traces, struct trace_row, 0)->unrecorded, 21);
	CHECK_EQ(tables->notes_total, 1);
	CHECK_STR(vec_at(&tables->notes, struct note, 0)->text, "main.main");
	check_closed();
	done();
}

/* --- regions and tasks --- */

static void regions_have_what_happened_inside(void)
{
	const struct type_row *row;

	read_story(TABLES
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"GoCreate dt=1 new_g=2 new_stack=2 stack=1\n"		/* 3 */
		"UserTaskBegin dt=1 task=7 parent_task=0 name_string=2 stack=0\n"	/* 4 */
		"UserRegionBegin dt=1 task=7 name_string=1 stack=1\n"	/* 5 */
		"UserRegionBegin dt=5 task=0 name_string=2 stack=1\n"	/* 10 */
		"GoBlock dt=2 reason_string=5 stack=1\n"		/* 12 */
		"GoStart dt=1 g=2 g_seq=1\n"				/* 13 */
		"GoUnblock dt=7 g=1 g_seq=1 stack=2\n"			/* 20 */
		"GoDestroy dt=1\n"					/* 21 */
		"GoStart dt=4 g=1 g_seq=2\n"				/* 25 */
		"UserRegionEnd dt=5 task=0 name_string=2 stack=0\n"	/* 30 */
		"UserRegionEnd dt=10 task=7 name_string=1 stack=0\n"	/* 40 */
		"GoDestroy dt=5\n"					/* 45 */
		"GoCreate dt=5 new_g=3 new_stack=2 stack=0\n"		/* 50 */
		"GoStart dt=1 g=3 g_seq=1\n"				/* 51 */
		"UserTaskEnd dt=4 task=7 stack=0\n"			/* 55 */
		"UserRegionBegin dt=1 task=0 name_string=3 stack=0\n");	/* 56 to the end */
	row = type(&tables->regions, "main.f2");
	CHECK_EQ(row->whole.sum, 20);
	CHECK_EQ(stay_sum(&row->sums, STAY_RUNNING), 7);
	CHECK_EQ(stay_sum(&row->sums, STAY_RUNNABLE), 5);
	CHECK_EQ(stay_sum(&row->sums, wait_of("chan receive")), 8);
	row = type(&tables->regions, "main.f1");
	CHECK_EQ(row->whole.sum, 35);
	CHECK_EQ(stay_sum(&row->sums, STAY_RUNNING), 22);
	row = type(&tables->regions, "runtime.f3");
	CHECK_EQ(row->whole.count, 0);
	CHECK_EQ(row->open, 1);
	row = type(&tables->tasks, "main.f2");
	CHECK_EQ(row->whole.sum, 51);
	CHECK_EQ(stay_sum(&row->sums, STAY_RUNNING), 28);
	CHECK_EQ(row->elsewhere, 10);	/* its goroutine ended at 45 */
	done();
}

/* --- GC --- */

/* Two Ps; the world is stopped for 10 us, then one of them assists for 20 us. */
static void utilisation_is_that_of_the_worst_window(void)
{
	const struct mmu_curve *c;

	read_story(TABLES
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"ProcsChange dt=1 procs_value=2 stack=0\n"		/* 3 */
		"STWBegin dt=49997 kind_string=6 stack=1\n"		/* 50000 */
		"STWEnd dt=10000\n"					/* 60000 */
		"GCMarkAssistBegin dt=10000 stack=2\n"			/* 70000 */
		"GCMarkAssistEnd dt=20000\n"				/* 90000 */
		"GoStop dt=110000 reason_string=5 stack=1\n");		/* 200000 */
	c = mmu_curve(vec_at(&tables->traces, struct trace_row, 0)->mmu, MMU_PAUSES);
	CHECK(c->known && c->windows[0].known && !c->windows[0].whole);
	CHECK(fabs(c->windows[0].min - 0.8) < 1e-12);
	CHECK(c->windows[0].at > 0 && c->windows[0].at <= 51000);
	CHECK(c->windows[1].whole && fabs(c->windows[1].min - (1 - 20000.0 / 199998)) < 1e-12);
	CHECK_EQ(vec_at(&tables->stw, struct stw_row, 0)->dist.sum, 10000);
	CHECK_EQ(sum_of("main.main", STAY_ASSIST), 20000);
	check_closed();
	done();
}

/* A worker runs twice for 10 us each, with a label each time: go1.27's own count would never go back. */
static void a_worker_counts_while_it_runs(void)
{
	const struct mmu_curve *all, *pauses;

	read_story(TABLES
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"ProcsChange dt=1 procs_value=1 stack=0\n"
		"GoCreate dt=1 new_g=2 new_stack=3 stack=1\n"
		"GoStop dt=10000 reason_string=5 stack=1\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoLabel dt=1 label_string=11\n"
		"GoStop dt=10000 reason_string=5 stack=3\n"
		"GoStart dt=1 g=1 g_seq=1\n"
		"GoStop dt=50000 reason_string=5 stack=1\n"
		"GoStart dt=1 g=2 g_seq=2\n"
		"GoLabel dt=1 label_string=11\n"
		"GoStop dt=10000 reason_string=5 stack=3\n"
		"GoStart dt=1 g=1 g_seq=2\n"
		"GoStop dt=120000 reason_string=5 stack=1\n");
	all = mmu_curve(vec_at(&tables->traces, struct trace_row, 0)->mmu, MMU_ALL);
	pauses = mmu_curve(vec_at(&tables->traces, struct trace_row, 0)->mmu, MMU_PAUSES);
	CHECK(fabs(all->windows[0].min - 0.8) < 1e-12);
	CHECK(fabs(pauses->windows[0].min - 1) < 1e-12);
	done();
}

/* --- labels --- */

static void time_by_label(void)
{
	spans = spans_new();
	tables = tables_new(spans, &(struct tables_options){ .label = "path" });
	read_one("one", TABLES
		"batch\nStrings\nString id=13\n\tdata=\"path=\\\"/buy\\\" user=\\\"7\\\"\"\n"
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"UserLog dt=1 task=0 key_string=12 value_string=13 stack=0\n"
		"GoBlock dt=7 reason_string=5 stack=1\n"
		"GoCreate dt=1 new_g=2 new_stack=2 stack=0\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoStop dt=9 reason_string=5 stack=2\n");
	/* Of a goroutine that is created by one with labels. */
	CHECK_EQ(sum_of("/buy", STAY_RUNNING), 10);
	CHECK_EQ(sum_of("/buy", wait_of("chan receive")), 12);
	CHECK_EQ(sum_of("", STAY_RUNNING), 9);
	CHECK_EQ(tables->unclosed, 0);
	CHECK_STR(tables_name(tables, function("")), "(no such label)");
	done();
}

/* Goroutine 1 has the labels from 11 to 20 while it runs, and when it waits; goroutine 2 inherits them. */
static void time_with_labels(void)
{
	static const struct labels_asked both = { .label = { "path=/b*", "user=7" }, .n = 2 };
	struct labelled *only;

	spans = spans_new();
	only = labelled_new_all(spans, &both);
	tables = tables_new(spans, &(struct tables_options){ .only = only });
	read_one("one", TABLES
		"batch\nStrings\nString id=13\n\tdata=\"path=\\\"/buy\\\" user=\\\"7\\\"\"\n"
		"String id=14\n\tdata=\"path=\\\"/buy\\\" user=\\\"8\\\"\"\n"
		"batch m=1\n"
		"ProcStatus dt=1 p=0 pstatus=1\n"
		"GoStatus dt=1 g=1 m=1 gstatus=2\n"
		"UserLog dt=10 task=0 key_string=12 value_string=13 stack=0\n"
		"UserLog dt=9 task=0 key_string=12 value_string=14 stack=0\n"
		"UserLog dt=100 task=0 key_string=12 value_string=13 stack=0\n"
		"GoCreate dt=2 new_g=2 new_stack=2 stack=0\n"
		"GoBlock dt=5 reason_string=5 stack=1\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoStop dt=9 reason_string=5 stack=2\n"
		"GoStart dt=1 g=2 g_seq=2\n"
		"UserLog dt=4 task=0 key_string=12 value_string=14 stack=0\n"
		"GoDestroy dt=50\n");
	CHECK_EQ(tables->functions.len, 2);
	CHECK_EQ(sum_of("main.main", STAY_RUNNING), 9 + 7);
	CHECK_EQ(tables_dist(function("main.main"), STAY_RUNNING)->count, 2);
	/* the trace ends 1 after its last event */
	CHECK_EQ(sum_of("main.main", wait_of("chan receive")), 1 + 9 + 1 + 4 + 50 + 1);
	CHECK_EQ(sum_of("main.f2", STAY_RUNNING), 9 + 4);
	CHECK_EQ(sum_of("main.f2", STAY_RUNNABLE), 5 + 1 + 1);
	CHECK_EQ(function("main.f2")->life.sum, 9 + 4 + 5 + 1 + 1);
	CHECK_EQ(tables->unclosed, 0);
	labelled_free(only);
	done();
}

/* --- bounds --- */

static void rows_beyond_the_limit_count_together(void)
{
	struct buf text = {0};
	const struct function_row *last;
	int i, n = TABLES_FUNCTIONS + 100;

	buf_printf(&text, TABLES "batch\nStrings\n");
	for (i = 0; i < n; i++)
		buf_printf(&text, "String id=%d\n\tdata=\"main.g%d\"\n", 100 + i, i);
	buf_printf(&text, "batch\nStacks\n");
	for (i = 0; i < n; i++)
		buf_printf(&text, "Stack id=%d nframes=1\n\tpc=%d func=%d file=4 line=1\n", 100 + i, 1000 + i, 100 + i);
	buf_printf(&text, "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n");
	for (i = 0; i < n; i++)
		buf_printf(&text, "GoCreate dt=1 new_g=%d new_stack=%d stack=0\n", 10 + i, 100 + i);
	buf_add_byte(&text, 0);
	read_story((char *)text.data);
	CHECK_EQ(tables->functions.len, TABLES_FUNCTIONS);
	last = vec_at(&tables->functions, struct function_row, TABLES_FUNCTIONS - 1);
	CHECK(last->others);
	CHECK_STR(tables_name(tables, last), "(others)");
	/* That of g1, which has no stack, is the last one that is needed: it comes to the others, too. */
	CHECK(last->goroutines >= 100);
	check_closed();
	buf_free(&text);
	done();
}

/* --- distributions --- */

static void quantiles_are_as_near_as_promised(void)
{
	static const double qs[] = { 0.01, 0.1, 0.5, 0.9, 0.99, 0.999 };
	struct dist d = {0}, more = {0};
	int64_t ns, sum = 0;
	size_t i;

	for (ns = 1; ns <= 1000000; ns += 7) {
		dist_add(&d, ns);
		sum += ns;
	}
	CHECK_EQ(d.sum, sum);
	CHECK_EQ(d.max, 999993 + 7);
	for (i = 0; i < sizeof(qs) / sizeof(*qs); i++) {
		double want = qs[i] * 1000000, got = (double)dist_quantile(&d, qs[i]);

		CHECK(fabs(got - want) <= want * 0.0165);
	}
	CHECK_EQ(dist_quantile(&d, 1), d.max);
	dist_add_of(&more, INT64_MAX, 5, 3, 1);
	dist_merge(&d, &more);
	CHECK_EQ(d.sum, INT64_MAX);
	CHECK_EQ(dist_quantile(&d, 1), INT64_MAX);
	CHECK_EQ(d.max_g, 5);
	dist_free(&d);
	dist_free(&more);
}

static void buckets_meet(void)
{
	unsigned i;

	for (i = 0; i + 1 < DIST_BUCKETS; i++)
		if (dist_bucket_to(i) != dist_bucket_from(i + 1))
			break;
	CHECK_EQ(i, DIST_BUCKETS - 1);
	CHECK_EQ(dist_bucket_to(i), 1ULL << 63);
}

/* --- time --- */

static void a_timeline_keeps_its_sums_when_it_grows(void)
{
	struct timeline t;
	uint64_t sum = 0;
	uint32_t i;

	timeline_init(&t, 100);
	timeline_add(&t, TIMELINE_RUNNING, 0, 150);	/* 50 of it */
	timeline_add(&t, TIMELINE_RUNNING, 100000, 200000);
	timeline_add(&t, TIMELINE_RUNNING, 5000000000, 5000000001);
	timeline_value(&t, TIMELINE_HEAP_LIVE, 5, 7);
	timeline_value(&t, TIMELINE_HEAP_LIVE, 6000000000, 3);
	for (i = 0; i < TIMELINE_BUCKETS; i++)
		sum += t.ns[TIMELINE_RUNNING][i];
	CHECK_EQ(sum, 50 + 100000 + 1);
	CHECK(t.used <= TIMELINE_BUCKETS && t.used > TIMELINE_BUCKETS / 2);
	CHECK_EQ(t.values[TIMELINE_HEAP_LIVE][0].max, 7);
	CHECK_EQ(t.values[TIMELINE_HEAP_LIVE][t.used - 1].last, 3);
	CHECK_EQ(timeline_width(&t, t.used - 1, 6000000100), 6000000000 - ((int64_t)(t.used - 1) << t.shift));
	timeline_add(&t, TIMELINE_RUNNING, INT64_MAX - 1, INT64_MAX);
	CHECK(t.used <= TIMELINE_BUCKETS);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(states_add_up_to_the_life),
		UNIT(traces_add_up),
		UNIT(one_that_is_named_late_counts_from_the_begin),
		UNIT(a_call_is_split_where_it_loses_its_p),
		UNIT(a_wait_from_before_has_the_reason_of_its_stack),
		UNIT(gaps_and_notes_are_kept),
		UNIT(regions_have_what_happened_inside),
		UNIT(utilisation_is_that_of_the_worst_window),
		UNIT(a_worker_counts_while_it_runs),
		UNIT(time_by_label), UNIT(time_with_labels),
		UNIT(rows_beyond_the_limit_count_together),
		UNIT(quantiles_are_as_near_as_promised),
		UNIT(buckets_meet),
		UNIT(a_timeline_keeps_its_sums_when_it_grows),
		{0},
	});
}
