// SPDX-License-Identifier: Apache-2.0
/* cpus: which tasks of other programs had the CPUs. Each case puts in records and compares the spans. */
#include "unit.h"
#include "unit_random.h"

#include "base/vec.h"
#include "threads/cpus.h"

static struct buf told;

static void say(void *ctx, const struct cpu_span *s)
{
	buf_printf(&told, "cpu%u %u/%u \"%s\" %lu-%lu why%u\n", s->cpu, s->task.pid, s->task.tid, s->task.comm, s->from, s->to, s->why);
}

static struct threads *t;
static struct cpus *c;

static void story(uint64_t with)
{
	struct rec begin = { .kind = REC_THREADS, .sub = REC_THREADS_BEGIN, .time = 100, .ptr = with };

	told.len = 0;
	t = threads_new();
	c = cpus_new(t, say, NULL);
	threads_record(t, &begin);
}

static const char *end_of(uint64_t time)
{
	threads_finish(t, time);
	threads_free(t);
	cpus_free(c);
	buf_add_byte(&told, 0);
	return (const char *)told.data;
}

static uint64_t ids(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

/* CPU 1 switches from thread @from of process 9, which has run for @ran ns since it was made, to @to. */
static void change_ran(uint64_t time, uint32_t from, uint64_t ran, enum rec_off why, uint64_t to, const char *name, bool ours)
{
	struct rec_thread r = {
		.r = { .kind = REC_CPU_SWITCH, .time = time, .tid = from, .sub = (uint8_t)why, .flags = 1, .id = to, .ptr = ran },
		.stack = 9, .arg = ours,
	};

	snprintf(r.comm, sizeof(r.comm), "%s", name);
	threads_record(t, &r.r);
}

static void change(uint64_t time, uint32_t from, uint64_t to, const char *name, bool ours)
{
	change_ran(time, from, 0, REC_OFF_SLEEP, to, name, ours);
}

static void off(uint64_t time, uint64_t to, const char *name)
{
	struct rec_thread r = { .r = { .kind = REC_THREAD_OFF, .time = time, .tid = 5, .sub = REC_OFF_SLEEP, .flags = 1, .id = to } };

	snprintf(r.comm, sizeof(r.comm), "%s", name);
	threads_record(t, &r.r);
}

static void on(uint64_t time)
{
	struct rec r = { .kind = REC_THREAD_ON, .time = time, .tid = 5, .flags = 1 };

	threads_record(t, &r);
}

static void other_programs_follow_one_another(void)
{
	story(REC_WITH_SYSTEM);
	change(110, 11, ids(9, 12), "two", false);	/* so 11 had the CPU since the begin */
	change(120, 12, 0, "swapper", false);
	change(130, 0, ids(9, 11), "one", false);
	CHECK_STR(end_of(150), "cpu1 9/11 \"\" 100-110 why3\n"
			       "cpu1 9/12 \"two\" 110-120 why3\n"
			       "cpu1 9/11 \"one\" 130-150 why0\n");
}

static void threads_of_the_program_are_not_among_them(void)
{
	story(REC_WITH_SYSTEM);
	change(110, 11, ids(4, 5), "prog", true);
	on(110);
	off(120, ids(4, 5), "prog");	/* the next one is a thread of the program, too */
	on(120);
	off(130, ids(9, 12), "two");
	change(140, 12, ids(4, 5), "prog", true);
	on(140);
	CHECK_STR(end_of(150), "cpu1 9/11 \"\" 100-110 why3\n"
			       "cpu1 9/12 \"two\" 130-140 why3\n");
}

/* From 110, before the lost record, to 130 it is not known who had the CPU. */
static void a_lost_record_makes_no_span(void)
{
	struct rec_long lost = { .r = { .kind = REC_THREADS_LOST, .time = 120, .id = 1 }, .arg = 1 };

	story(REC_WITH_SYSTEM);
	change(110, 11, ids(9, 12), "two", false);
	threads_record(t, &lost.r);
	change(130, 13, ids(9, 12), "two", false);
	change(140, 12, 0, "swapper", false);
	CHECK_STR(end_of(150), "cpu1 9/11 \"\" 100-110 why3\n"
			       "cpu1 9/12 \"two\" 130-140 why3\n");
}

/* The CPU switched from 12 to 13, but the kernel showed no switch from 13: the next stay has no begin. */
static void a_stay_without_a_begin_is_as_long_as_the_task_ran(void)
{
	story(REC_WITH_SYSTEM);
	change_ran(110, 11, 1000, REC_OFF_SLEEP, ids(9, 12), "two", false);
	change_ran(120, 12, 500, REC_OFF_RUNNABLE, ids(9, 13), "hidden", false);
	change_ran(150, 12, 520, REC_OFF_RUNNABLE, ids(9, 11), "one", false);
	change_ran(160, 11, 1010, REC_OFF_SLEEP, ids(9, 13), "hidden", false);
	change_ran(170, 12, 620, REC_OFF_SLEEP, 0, "swapper", false);	/* ran 100, but 160 is 10 ago */
	CHECK_EQ(cpus_missing(c), 2);
	CHECK_STR(end_of(180), "cpu1 9/11 \"\" 100-110 why3\n"
			       "cpu1 9/12 \"two\" 110-120 why1\n"
			       "cpu1 9/12 \"\" 130-150 why1\n"
			       "cpu1 9/11 \"one\" 150-160 why3\n"
			       "cpu1 9/12 \"\" 160-170 why3\n");
}

/*
 * A stay without a begin has no known length if it is the task's first record, or if the task has run for less than in
 * the record before: then it is another task with the same id.
 */
static void a_stay_of_unknown_length_is_not_shown(void)
{
	story(REC_WITH_SYSTEM);
	change_ran(110, 11, 1000, REC_OFF_DEAD, ids(9, 13), "hidden", false);
	change_ran(120, 12, 500, REC_OFF_SLEEP, ids(9, 13), "hidden", false);
	change_ran(130, 11, 1005, REC_OFF_SLEEP, ids(9, 13), "hidden", false);
	change_ran(140, 11, 1003, REC_OFF_SLEEP, ids(9, 13), "hidden", false);
	change_ran(150, 12, 0, REC_OFF_SLEEP, 0, "swapper", false);
	CHECK_EQ(cpus_missing(c), 4);
	CHECK_STR(end_of(180), "cpu1 9/11 \"\" 100-110 why9\n");
}

/*
 * Without REC_WITH_SYSTEM there are only records of the program's threads: they name the next task, but not when its
 * stay ends.
 */
static void without_system_there_is_nothing(void)
{
	story(0);
	on(110);
	off(120, ids(9, 12), "two");
	on(130);
	CHECK_STR(end_of(150), "");
}

static uint64_t until[4];

/* The spans of a CPU do not overlap. */
static void check_order(void *ctx, const struct cpu_span *s)
{
	CHECK(s->from < s->to && s->cpu < 4 && s->from >= until[s->cpu] && s->task.tid);
	until[s->cpu] = s->to;
}

/* Random records, but of rising times. */
static void spans_of_any_records_follow_one_another(void)
{
	static const uint8_t kinds[] = { REC_CPU_SWITCH, REC_CPU_SWITCH, REC_THREAD_OFF, REC_THREAD_ON, REC_THREADS_LOST };
	uint64_t seed = 88172645463325252ULL;
	struct rec begin = { .kind = REC_THREADS, .sub = REC_THREADS_BEGIN, .time = 100, .ptr = REC_WITH_SYSTEM };
	int i;

	told.len = 0;
	t = threads_new();
	c = cpus_new(t, check_order, NULL);
	threads_record(t, &begin);
	for (i = 0; i < 20000; i++) {
		struct rec_thread r = {
			.r = { .kind = kinds[unit_random(&seed) % 5], .time = 100 + (uint64_t)i / 3, .sub = REC_OFF_SLEEP,
			       .tid = (uint32_t)(unit_random(&seed) % 6), .flags = (uint16_t)(unit_random(&seed) % 4),
			       .id = unit_random(&seed) % 6, .ptr = unit_random(&seed) % 100 },
			.stack = 9, .arg = unit_random(&seed) % 4 == 0,
		};

		threads_record(t, &r.r);
	}
	change(10000, 1, ids(9, 12), "two", false);
	end_of(100000);
	CHECK_EQ(until[1], 100000);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(other_programs_follow_one_another), UNIT(threads_of_the_program_are_not_among_them),
		UNIT(a_lost_record_makes_no_span), UNIT(a_stay_without_a_begin_is_as_long_as_the_task_ran),
		UNIT(a_stay_of_unknown_length_is_not_shown), UNIT(without_system_there_is_nothing),
		UNIT(spans_of_any_records_follow_one_another), {0} });
}
