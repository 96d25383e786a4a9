// SPDX-License-Identifier: Apache-2.0
/*
 * report with a file of threads: the parts of running and of system calls add up; a finding for each cause; files that
 * add nothing.
 */
#define _GNU_SOURCE
#include "unit.h"

#include "oncpu_story.h"
#include "report/finding.h"
#include "report/tables.h"

enum { FAULT = -1, FUTEX = 202, PREAD = 17, QUOTA = 20000000, PERIOD = 100000000 };

#define TABLES \
	"batch\nStrings\n" \
	"String id=1\n\tdata=\"main.burn\"\nString id=2\n\tdata=\"x.go\"\nString id=3\n\tdata=\"sleep\"\n" \
	"String id=4\n\tdata=\"section\"\nString id=5\n\tdata=\"sync.(*Mutex).Unlock\"\n" \
	"String id=6\n\tdata=\"sync.(*Mutex).Lock\"\nString id=7\n\tdata=\"sync\"\nString id=8\n\tdata=\"main.wait\"\n" \
	"batch\nStacks\n" \
	"Stack id=1 nframes=1\n\tpc=16 func=1 file=2 line=11\n" \
	"Stack id=2 nframes=2\n\tpc=32 func=5 file=2 line=1\n\tpc=48 func=1 file=2 line=12\n" \
	"Stack id=3 nframes=2\n\tpc=64 func=6 file=2 line=2\n\tpc=80 func=8 file=2 line=21\n"

/* Goroutine 1 runs on thread 1 from 1000 to 1100. */
#define BURN \
	TABLES \
	"batch m=1\n" \
	"ProcStatus dt=0 p=0 pstatus=1\n" \
	"GoStatus dt=0 g=1 m=1 gstatus=2\n" \
	"ProcsChange dt=0 procs_value=1 stack=0\n" \
	"GoBlock dt=100 reason_string=3 stack=1\n"

static struct tables *tables;
static struct findings *findings;
static struct thread_sums *sums;
static struct thread_story story;
static struct oncpu_story both;

static void begin(void)
{
	thread_story_begin(&story);
	thread_on(&story, 1, 995, 0);
}

static void quota(uint64_t time, uint64_t periods)
{
	struct rec_cgroup r = { .r = { .kind = REC_CGROUP_CPU, .time = time, .id = QUOTA, .ptr = PERIOD },
				.periods = periods, .throttled = periods };

	threads_record(story.threads, &r.r);
}

/* Reads the trace @text with the file of the story, which ends at @time; returns the findings. */
static const struct vec *read_beside(uint64_t time, const char *text)
{
	thread_story_end(&story, time);
	oncpu_story_open(&both, &story);
	tables = tables_new(both.spans, &(struct tables_options){ .top = 3 });
	tables_trace(tables, "one");
	sums = thread_sums_new(oncpu_threads(both.oncpu));
	tables_threads(tables, both.oncpu);
	findings = findings_new(both.spans);
	findings_threads(findings, both.oncpu, sums);
	oncpu_story_read(&both, text);
	return findings_finish(findings);
}

static void done(void)
{
	findings_free(findings);
	tables_delete(tables);
	thread_sums_free(sums);
	oncpu_story_close(&both, &story);
}

static const struct function_row *burn(void)
{
	size_t i;

	for (i = 0; i < tables->functions.len; i++)
		if (!strcmp(vec_at(&tables->functions, struct function_row, i)->name, "main.burn"))
			return vec_at(&tables->functions, struct function_row, i);
	CHECK(!"the function is there");
	return vec_at(&tables->functions, struct function_row, 0);
}

static int64_t running(enum split split)
{
	return tables_dist(burn(), STAY_LINUX + split)->sum;
}

static void check_closes(const struct function_row *row)
{
	int64_t ran = 0, called = 0;
	uint32_t i;

	for (i = 0; i < SPLITS; i++) {
		ran += tables_dist(row, STAY_LINUX + i)->sum;
		called += tables_dist(row, STAY_LINUX_CALL + i)->sum;
	}
	CHECK_EQ(ran, tables_dist(row, STAY_RUNNING)->sum);
	CHECK_EQ(called, tables_dist(row, STAY_CALL)->sum);
	CHECK_EQ(tables->unclosed, 0);
}

static void check_first(const struct vec *list, const char *kind, const char *function, uint64_t line, uint64_t ns)
{
	const struct finding *f = list->data;

	CHECK(list->len > 0);
	if (!list->len)
		return;
	if (strcmp(f->kind, kind) || strcmp(f->function, function))
		printf("# %s: %s\n", f->kind, f->text);
	CHECK(!strcmp(f->kind, kind));
	CHECK(!strcmp(f->function, function));
	CHECK_EQ(f->line, line);
	CHECK_EQ((uint64_t)(f->seconds * 1e9 + 0.5), ns);
	CHECK(f->share > 0 && f->share <= 1.0000001);
}

static bool says(const struct vec *list, const char *text)
{
	bool there = list->len && strstr(((const struct finding *)list->data)->text, text);

	if (!there && list->len)
		printf("# %s\n", ((const struct finding *)list->data)->text);
	return there;
}

static void running_is_split(void)
{
	begin();
	thread_off_by(&story, 1, 1010, 4242, "other");
	thread_on(&story, 1, 1012, 0);
	thread_off(&story, 1, 1020, REC_OFF_IO, FAULT);
	thread_wake(&story, 1, 1024);
	thread_on(&story, 1, 1025, 0);
	thread_off(&story, 1, 1090, REC_OFF_STOPPED, FAULT);
	thread_wake(&story, 1, 1093);
	thread_on(&story, 1, 1094, 0);
	CHECK_EQ(read_beside(1200, BURN)->len, 0);
	CHECK_EQ(running(SPLIT_PREEMPTED), 2);
	CHECK_EQ(running(SPLIT_FAULT), 4);
	CHECK_EQ(running(SPLIT_QUEUED), 2);
	CHECK_EQ(running(SPLIT_STOPPED), 3);
	CHECK_EQ(running(SPLIT_ON_CPU), 89);
	CHECK_EQ(tables_dist(burn(), STAY_LINUX + SPLIT_ON_CPU)->count, 4);
	check_closes(burn());
	CHECK(findings_lost(findings) > 10.5e-9 && findings_lost(findings) < 11.5e-9);
	done();
}

/* A region within one stay of running, and one around a system call, have the parts of their own time only. */
static void regions_are_split(void)
{
	const struct stay_sums *s;

	begin();
	thread_off_by(&story, 1, 1010, 4242, "other");
	thread_on(&story, 1, 1030, 0);
	thread_off_by(&story, 1, 1050, 4242, "other");
	thread_on(&story, 1, 1055, 0);
	thread_off(&story, 1, 1075, REC_OFF_IO, PREAD);
	thread_wake(&story, 1, 1085);
	thread_on(&story, 1, 1086, 0);
	read_beside(1200, TABLES
		"batch m=1\n"
		"ProcStatus dt=0 p=0 pstatus=1\n"
		"GoStatus dt=0 g=1 m=1 gstatus=2\n"
		"UserRegionBegin dt=40 task=0 name_string=4 stack=1\n"
		"UserRegionEnd dt=20 task=0 name_string=4 stack=1\n"
		"UserRegionBegin dt=5 task=0 name_string=4 stack=1\n"
		"GoSyscallBegin dt=5 p_seq=1 stack=1\n"
		"GoSyscallEnd dt=20\n"
		"UserRegionEnd dt=5 task=0 name_string=4 stack=1\n"
		"GoBlock dt=5 reason_string=3 stack=1\n");
	CHECK_EQ(tables->regions.len, 1);
	s = &vec_at(&tables->regions, struct type_row, 0)->sums;
	CHECK_EQ(stay_sum(s, STAY_RUNNING), 30);
	CHECK_EQ(stay_sum(s, STAY_LINUX + SPLIT_PREEMPTED), 5);
	CHECK_EQ(stay_sum(s, STAY_LINUX + SPLIT_ON_CPU), 25);
	CHECK_EQ(stay_sum(s, STAY_CALL), 20);
	CHECK_EQ(stay_sum(s, STAY_LINUX_CALL + SPLIT_IO), 10);
	CHECK_EQ(stay_sum(s, STAY_LINUX_CALL + SPLIT_QUEUED), 1);
	CHECK_EQ(stay_sum(s, STAY_LINUX_CALL + SPLIT_ON_CPU), 9);
	check_closes(burn());
	done();
}

/* The throttled part of the stay lies before the region, the preempted one in it. */
static void a_region_has_its_own_parts_only(void)
{
	const struct stay_sums *s;

	begin();
	thread_off(&story, 1, 1010, REC_OFF_THROTTLED, FAULT);
	thread_on(&story, 1, 1030, 20);
	thread_off_by(&story, 1, 1050, 4242, "other");
	thread_on(&story, 1, 1055, 0);
	read_beside(1200, TABLES
		"batch m=1\n"
		"ProcStatus dt=0 p=0 pstatus=1\n"
		"GoStatus dt=0 g=1 m=1 gstatus=2\n"
		"UserRegionBegin dt=40 task=0 name_string=4 stack=1\n"
		"UserRegionEnd dt=20 task=0 name_string=4 stack=1\n"
		"GoBlock dt=40 reason_string=3 stack=1\n");
	s = &vec_at(&tables->regions, struct type_row, 0)->sums;
	CHECK_EQ(stay_sum(s, STAY_RUNNING), 20);
	CHECK_EQ(stay_sum(s, STAY_LINUX + SPLIT_PREEMPTED), 5);
	CHECK_EQ(stay_sum(s, STAY_LINUX + SPLIT_THROTTLED), 0);
	CHECK_EQ(stay_sum(s, STAY_LINUX + SPLIT_ON_CPU), 15);
	check_closes(burn());
	done();
}

/* The parts are added up before the function is known: their sum is exact, but the longest part is 1 ns, not the sum. */
static void parts_before_the_function_is_known(void)
{
	const struct dist *d;
	uint64_t i;

	begin();
	for (i = 0; i < 400; i++) {
		thread_off_by(&story, 1, 1010 + 4 * i, 4242, "other");
		thread_on(&story, 1, 1011 + 4 * i, 0);
	}
	read_beside(3000, TABLES
		"batch m=1\n"
		"ProcStatus dt=0 p=0 pstatus=1\n"
		"GoStatus dt=0 g=1 m=1 gstatus=2\n"
		"GoBlock dt=1900 reason_string=3 stack=0\n"
		"GoUnblock dt=1 g=1 g_seq=1 stack=0\n"
		"GoStart dt=1 g=1 g_seq=2\n"
		"GoBlock dt=1 reason_string=3 stack=1\n");
	d = tables_dist(burn(), STAY_LINUX + SPLIT_PREEMPTED);
	CHECK_EQ(d->sum, 400);
	CHECK_EQ(d->count, 400);
	CHECK_EQ(d->max, 1);
	CHECK_EQ(vec_at(&tables->stays[STAY_LINUX + SPLIT_PREEMPTED].moments, struct moment, 0)->to -
		 vec_at(&tables->stays[STAY_LINUX + SPLIT_PREEMPTED].moments, struct moment, 0)->from, 1);
	check_closes(burn());
	done();
}

static void a_quota_is_named(void)
{
	const struct vec *list;

	begin();
	quota(996, 5);
	thread_off(&story, 1, 1020, REC_OFF_THROTTLED, FAULT);
	thread_on(&story, 1, 1080, 60);
	quota(1100, 6);
	list = read_beside(1200, BURN);
	check_first(list, "throttled", "", 0, 60);
	CHECK(says(list, "60 % of the time"));
	CHECK(says(list, "a quota of 0.20 CPUs, used up in 1 of 1 periods, while GOMAXPROCS is 1"));
	CHECK_EQ(running(SPLIT_THROTTLED), 60);
	check_closes(burn());
	done();
}

/* Goroutine 2 is ready while the thread with the only P is throttled: its wait counts for the same quota, and once. */
static void who_waits_for_a_throttled_p_is_counted_once(void)
{
	const struct vec *list;

	begin();
	thread_off(&story, 1, 1020, REC_OFF_THROTTLED, FAULT);
	thread_on(&story, 1, 1080, 60);
	list = read_beside(1200, TABLES
		"batch m=1\n"
		"ProcStatus dt=0 p=0 pstatus=1\n"
		"GoStatus dt=0 g=1 m=1 gstatus=2\n"
		"ProcsChange dt=0 procs_value=1 stack=0\n"
		"GoCreate dt=0 new_g=2 new_stack=1 stack=1\n"
		"GoBlock dt=100 reason_string=3 stack=1\n"
		"GoStart dt=0 g=2 g_seq=1\n"
		"GoDestroy dt=1\n");
	/*
	 * Goroutine 2 was ready for 97 of the 100 ns, as no two events have the same time: 58.2 of the 60 throttled ns
	 * fall in that.
	 */
	check_first(list, "throttled", "", 0, 118);
	CHECK(says(list, "Others that are ready wait for it, too: 58 ns"));
	CHECK_EQ(list->len, 1);
	CHECK_EQ((uint64_t)(findings_lost(findings) * 1e9 + 0.5), 157);
	done();
}

/* While goroutine 2 is ready, a thread with a P and the thread that was woken for 2 are both throttled. */
static void who_waits_for_two_throttled_threads_waits_once(void)
{
	const struct vec *list;

	begin();
	thread_on(&story, 2, 996, 0);
	thread_off(&story, 2, 998, REC_OFF_SLEEP, FUTEX);
	thread_off(&story, 1, 1020, REC_OFF_THROTTLED, FAULT);
	thread_wake(&story, 2, 1021);
	thread_on(&story, 1, 1100, 80);
	thread_on(&story, 2, 1101, 80);
	list = read_beside(1200, TABLES
		"batch m=1\n"
		"ProcStatus dt=0 p=0 pstatus=1\n"
		"GoStatus dt=0 g=1 m=1 gstatus=2\n"
		"ProcsChange dt=0 procs_value=2 stack=0\n"
		"GoCreate dt=20 new_g=2 new_stack=3 stack=1\n"
		"GoBlock dt=100 reason_string=3 stack=1\n"
		"batch m=2\n"
		"ProcStatus dt=0 p=1 pstatus=1\n"
		"GoStart dt=105 g=2 g_seq=1\n"
		"GoBlock dt=5 reason_string=3 stack=3\n");
	CHECK_EQ((uint64_t)(findings_lost(findings) * 1e9 + 0.5), 165);
	check_first(list, "throttled", "", 0, 165);
	done();
}

/*
 * A thread gets a CPU late after a wake-up also on an idle machine: one preemption does not show that other programs
 * caused it.
 */
static void late_wake_ups_are_no_blame_for_others(void)
{
	begin();
	thread_off_by(&story, 1, 1005, 4242, "other");
	thread_on(&story, 1, 1010, 0);
	thread_off(&story, 1, 1020, REC_OFF_SLEEP, FUTEX);
	thread_wake(&story, 1, 1030);
	thread_on(&story, 1, 1066, 0);
	CHECK_EQ(read_beside(1200, BURN)->len, 0);
	CHECK_EQ(running(SPLIT_QUEUED), 36);
	CHECK_EQ(running(SPLIT_PREEMPTED), 5);
	done();
}

/* A ptrace(2) tracer can stop single threads: the finding counts only stops of threads that run a goroutine. */
static void a_tracer_stops_threads(void)
{
	const struct vec *list;

	begin();
	thread_on(&story, 2, 996, 0);
	thread_off(&story, 2, 1010, REC_OFF_TRACED, FUTEX);
	thread_off(&story, 1, 1050, REC_OFF_TRACED, FUTEX);
	thread_wake(&story, 1, 1060);
	thread_on(&story, 1, 1060, 0);
	thread_wake(&story, 2, 1080);
	thread_on(&story, 2, 1080, 0);
	list = read_beside(1200, BURN);
	check_first(list, "stopped", "", 0, 10);
	CHECK(says(list, "Threads are stopped by a debugger or tracer"));
	CHECK(findings_lost(findings) > 9.5e-9 && findings_lost(findings) < 10.5e-9);
	done();
}

static void who_takes_the_cpu_is_named(void)
{
	const struct vec *list;

	begin();
	thread_off_by(&story, 1, 1010, 4242, "hog");
	thread_on(&story, 1, 1050, 0);
	thread_off_by(&story, 1, 1060, 77, "self");
	thread_on(&story, 1, 1062, 0);
	list = read_beside(1200, BURN);
	check_first(list, "preempted", "", 0, 40);
	CHECK(says(list, "mostly by hog (pid 4242): 1 times"));
	CHECK_EQ(list->len, 1);
	done();
}

/*
 * Goroutine 1 runs on thread 1 for 100 ms. The thread sleeps ten times and waits for a CPU after each wake-up: 4 ms are
 * for a task that has the CPU; 0.9 ms can be those of an idle one.
 */
static void woken_threads_wait_for_a_cpu(void)
{
	enum { MS = 1000000 };
	static const uint64_t waits[] = { 4 * MS, MS - MS / 10 };
	const struct vec *list;
	uint64_t at;
	int i, k;

	for (k = 0; k < 2; k++) {
		begin();
		for (i = 0; i < 10; i++) {
			at = 1000 + (uint64_t)i * 10 * MS;
			thread_off(&story, 1, at + MS, REC_OFF_SLEEP, FUTEX);
			thread_wake(&story, 1, at + 2 * MS);
			thread_on(&story, 1, at + 2 * MS + waits[k], 0);
		}
		list = read_beside(1000 + 100 * MS + 100, TABLES
			"batch m=1\n"
			"ProcStatus dt=0 p=0 pstatus=1\n"
			"GoStatus dt=0 g=1 m=1 gstatus=2\n"
			"ProcsChange dt=0 procs_value=1 stack=0\n"
			"GoBlock dt=100000000 reason_string=3 stack=1\n");
		if (k == 0) {
			check_first(list, "queued", "", 0, 40 * MS);
			CHECK(says(list, "the longest for 4.0 ms"));
		}
		CHECK_EQ(list->len, k == 0);
		done();
	}
}

/*
 * Another thread of the program takes the CPU: with GOMAXPROCS 2 that is one P too many; with 1 the runtime's own
 * threads may do so.
 */
static void more_ps_than_cpus(void)
{
	const struct vec *list;

	begin();
	thread_off_by(&story, 1, 1010, 77, "self");
	thread_on(&story, 1, 1050, 0);
	list = read_beside(1200, TABLES
		"batch m=1\n"
		"ProcStatus dt=0 p=0 pstatus=1\n"
		"GoStatus dt=0 g=1 m=1 gstatus=2\n"
		"ProcsChange dt=0 procs_value=2 stack=0\n"
		"GoBlock dt=100 reason_string=3 stack=1\n");
	check_first(list, "too many Ps", "", 0, 40);
	CHECK(says(list, "GOMAXPROCS is 2 on 1 CPU:"));
	done();
	begin();
	thread_off_by(&story, 1, 1010, 77, "self");
	thread_on(&story, 1, 1050, 0);
	CHECK_EQ(read_beside(1200, BURN)->len, 0);
	done();
}

static void page_faults_have_a_place(void)
{
	const struct vec *list;

	begin();
	thread_off(&story, 1, 1020, REC_OFF_IO, FAULT);
	thread_wake(&story, 1, 1050);
	thread_on(&story, 1, 1051, 0);
	list = read_beside(1200, BURN);
	check_first(list, "page faults", "main.burn", 11, 30);
	done();
}

static void a_stop_counts_even_if_nothing_ran(void)
{
	const struct vec *list;

	begin();
	thread_off(&story, 1, 1100, REC_OFF_STOPPED, FUTEX);
	thread_wake(&story, 1, 1180);
	thread_on(&story, 1, 1181, 0);
	list = read_beside(1300, BURN
		"GoUnblock dt=100 g=1 g_seq=1 stack=0\n"
		"GoStart dt=0 g=1 g_seq=2\n"
		"GoBlock dt=1 reason_string=3 stack=1\n");
	check_first(list, "stopped", "", 0, 80);
	done();
}

/* Goroutine 2 waits for a lock that 1 holds, while another program has the CPU of 1: that is the finding, not the lock. */
static void who_has_no_cpu_holds_no_lock_too_long(void)
{
	static const char lock[] = TABLES
		"batch m=1\n"
		"ProcStatus dt=0 p=0 pstatus=1\n"
		"GoStatus dt=0 g=1 m=1 gstatus=2\n"
		"ProcsChange dt=0 procs_value=2 stack=0\n"
		"GoCreate dt=0 new_g=2 new_stack=3 stack=1\n"
		"GoUnblock dt=100 g=2 g_seq=2 stack=2\n"
		"GoBlock dt=0 reason_string=3 stack=1\n"
		"batch m=2\n"
		"ProcStatus dt=0 p=1 pstatus=1\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoBlock dt=4 reason_string=7 stack=3\n";

	begin();
	check_first(read_beside(1200, lock), "lock", "main.burn", 12, 93);
	done();
	begin();
	thread_off_by(&story, 1, 1006, 4242, "hog");
	thread_on(&story, 1, 1096, 0);
	check_first(read_beside(1200, lock), "preempted", "", 0, 91);
	CHECK_EQ(findings_finish(findings)->len, 1);
	done();
}

/*
 * Goroutine 1 wakes 2 twice within one stay of running. The time of the first wait ends in the middle of a part of that
 * stay, that of the second one begins there.
 */
static void the_holder_is_asked_again(void)
{
	begin();
	thread_off_by(&story, 1, 1006, 4242, "hog");
	thread_on(&story, 1, 1096, 0);
	check_first(read_beside(1200, TABLES
		"batch m=1\n"
		"ProcStatus dt=0 p=0 pstatus=1\n"
		"GoStatus dt=0 g=1 m=1 gstatus=2\n"
		"ProcsChange dt=0 procs_value=2 stack=0\n"
		"GoCreate dt=0 new_g=2 new_stack=3 stack=1\n"
		"GoUnblock dt=50 g=2 g_seq=2 stack=2\n"
		"GoUnblock dt=50 g=2 g_seq=4 stack=2\n"
		"GoBlock dt=0 reason_string=3 stack=1\n"
		"batch m=2\n"
		"ProcStatus dt=0 p=1 pstatus=1\n"
		"GoStart dt=1 g=2 g_seq=1\n"
		"GoBlock dt=4 reason_string=7 stack=3\n"
		"GoStart dt=48 g=2 g_seq=3\n"
		"GoBlock dt=1 reason_string=7 stack=3\n"), "preempted", "", 0, 93);
	CHECK_EQ(findings_finish(findings)->len, 1);
	done();
}

/* Goroutine 1 runs 40 ms at a time, while 2 is ready and there is one P. */
static char *long_runs(void)
{
	struct buf text = {0};
	unsigned int i;

	buf_printf(&text, TABLES "batch m=1\nProcStatus dt=0 p=0 pstatus=1\nGoStatus dt=0 g=1 m=1 gstatus=2\n"
		   "ProcsChange dt=0 procs_value=1 stack=0\n");
	for (i = 0; i < 6; i++) {
		if (i)
			buf_printf(&text, "GoUnblock dt=0 g=2 g_seq=%u stack=1\n", 2 * i);
		else
			buf_printf(&text, "GoCreate dt=0 new_g=2 new_stack=3 stack=1\n");
		buf_printf(&text, "GoBlock dt=40000000 reason_string=3 stack=1\nGoStart dt=0 g=2 g_seq=%u\n"
			   "GoUnblock dt=0 g=1 g_seq=%u stack=3\nGoBlock dt=0 reason_string=3 stack=3\n"
			   "GoStart dt=0 g=1 g_seq=%u\n", 2 * i + 1, 2 * i + 1, 2 * i + 2);
	}
	buf_printf(&text, "GoBlock dt=1 reason_string=3 stack=1\n");
	buf_add(&text, "", 1);
	return (char *)text.data;
}

static void who_sleeps_in_linux_can_be_preempted(void)
{
	char *text = long_runs();
	const struct vec *list;
	uint64_t i;

	begin();
	list = read_beside(300000000, text);
	check_first(list, "starvation", "main.burn", 11, 239999971);
	CHECK(says(list, "its threads had CPUs: it is code that cannot be preempted."));
	done();
	begin();
	for (i = 0; i < 6; i++) {
		thread_off(&story, 1, i * 40000100 + 5000000, REC_OFF_SLEEP, PREAD);
		thread_wake(&story, 1, i * 40000100 + 35000000);
		thread_on(&story, 1, i * 40000100 + 35000001, 0);
	}
	list = read_beside(300000000, text);
	check_first(list, "starvation", "main.burn", 11, 239999965);
	CHECK(says(list, "slept meanwhile, as in system calls that are not in the trace."));
	done();
	free(text);
}

static void another_time_says_nothing(void)
{
	struct spans *spans = spans_new();
	struct oncpu *o;
	struct error err;
	uint64_t i;

	begin();
	thread_story_end(&story, 1200);
	for (i = 0; i < 3; i++) {
		const int64_t times[] = { 1000, 9000000000, INT64_MAX };

		CHECK(!oncpu_open(&o, spans, story.path, &err));
		CHECK_EQ(oncpu_begins(o, times[i]), i == 0);
		oncpu_free(o);
	}
	spans_free(spans);
	close(story.fd);
}

static void what_was_said_can_be_taken_back(void)
{
	begin();
	thread_off_by(&story, 1, 1010, 4242, "hog");
	thread_on(&story, 1, 1050, 0);
	read_beside(1200, BURN);
	CHECK_EQ(running(SPLIT_PREEMPTED), 40);
	tables_forget_threads(tables);
	CHECK_EQ(running(SPLIT_PREEMPTED), 0);
	CHECK_EQ(running(SPLIT_ON_CPU), 0);
	CHECK_EQ(tables_dist(burn(), STAY_RUNNING)->sum, 100);
	done();
}

int main(void)
{
	static const struct unit_case cases[] = {
		UNIT(running_is_split),
		UNIT(regions_are_split),
		UNIT(a_region_has_its_own_parts_only),
		UNIT(parts_before_the_function_is_known),
		UNIT(who_waits_for_two_throttled_threads_waits_once),
		UNIT(late_wake_ups_are_no_blame_for_others),
		UNIT(a_tracer_stops_threads),
		UNIT(who_sleeps_in_linux_can_be_preempted),
		UNIT(a_quota_is_named),
		UNIT(who_waits_for_a_throttled_p_is_counted_once),
		UNIT(who_takes_the_cpu_is_named),
		UNIT(woken_threads_wait_for_a_cpu),
		UNIT(more_ps_than_cpus),
		UNIT(page_faults_have_a_place),
		UNIT(a_stop_counts_even_if_nothing_ran),
		UNIT(who_has_no_cpu_holds_no_lock_too_long),
		UNIT(the_holder_is_asked_again),
		UNIT(another_time_says_nothing),
		UNIT(what_was_said_can_be_taken_back),
		{0},
	};

	return unit_main(cases);
}
