// SPDX-License-Identifier: Apache-2.0
/* threads: what each record of the scheduler means: threads that are made, sleep, wait for a CPU, run and end. */
#include "threads_told.h"

#include "threads/lacks.h"

static void a_thread_that_sleeps_was_asleep_since_the_begin(void)
{
	struct threads *t = story();

	snap(t, 150, REC_OFF_SLEEP, 40, 9, FUTEX);
	step(t, 150, REC_THREADS_READ);
	wake(t, 200, REC_WAKER_TASK);
	on(t, 210, 1, 19, 1000);
	off(t, 250, REC_OFF_SLEEP, 78, FUTEX);
	CHECK_STR(end_of(t, 300), "5 sleeping 100-200 call202 (before)\n"
				  "5 queued 200-210 woken:waker\n"
				  "5 on_cpu 210-250 cpu1 ran38\n"
				  "5 sleeping 250-300 call202 (on)\n"
				  "5 left 300 ran38 waited10 moves0\n");
}

static void the_first_record_says_what_a_runnable_thread_did(void)
{
	struct threads *t = story();

	snap(t, 150, REC_OFF_RUNNABLE, 40, 9, FAULT);
	off(t, 160, REC_OFF_RUNNABLE, 95, FAULT);
	CHECK_STR(end_of(t, 170), "5 on_cpu 100-160 cpu1 ran60 (before)\n"
				  "5 queued 160-170 preempted:other (on)\n"
				  "5 left 170 ran60 waited10 moves0\n");
	t = story();
	snap(t, 150, REC_OFF_RUNNABLE, 40, 9, FAULT);
	on(t, 160, 2, 70, 1000);
	CHECK_STR(end_of(t, 170), "5 queued 100-160 (before)\n"
				  "5 on_cpu 160-170 cpu2 ran10 (on)\n"
				  "5 left 170 ran10 waited60 moves1\n");
	t = story();
	wake(t, 120, REC_WAKER_INTERRUPT);
	on(t, 125, 2, 70, 1000);
	snap(t, 150, REC_OFF_SLEEP, 40, 9, FAULT);	/* /proc may have been read before the wake-up: records count more */
	CHECK_STR(end_of(t, 170), "5 sleeping 100-120 (before)\n"
				  "5 queued 120-125 interrupt:waker\n"
				  "5 on_cpu 125-170 cpu2 ran45 (on)\n"
				  "5 left 170 ran45 waited5 moves0\n");
}

/* The thread has no record: by the sums in /proc at the begin and the end it ran, or waited. */
static void a_thread_without_a_record_ran_or_waited_all_the_time(void)
{
	struct threads *t = story();

	snap(t, 150, REC_OFF_RUNNABLE, 40, 9, FAULT);
	step(t, 150, REC_THREADS_READ);
	snap(t, 300, REC_OFF_RUNNABLE, 180, 9, FAULT);
	step(t, 300, REC_THREADS_END);
	CHECK_STR(end_of(t, 999), "5 on_cpu 100-300 cpu1 ran200 (before) (on)\n5 left 300 ran200 waited0 moves0\n");
	t = story();
	snap(t, 150, REC_OFF_RUNNABLE, 40, 9, FAULT);
	step(t, 150, REC_THREADS_READ);
	snap(t, 300, REC_OFF_RUNNABLE, 40, 9, FAULT);
	step(t, 300, REC_THREADS_END);
	CHECK_STR(end_of(t, 999), "5 queued 100-300 (before) (on)\n5 left 300 ran0 waited200 moves0\n");
}

struct cause {
	const char *name;
	enum rec_off off;
	int64_t syscall;
	const char *spans;
};

static const struct cause causes[] = {
	{ "waits for a lock of the program", REC_OFF_SLEEP, FUTEX, "5 sleeping 120-150 call202" },
	{ "reads a file", REC_OFF_IO, PREAD, "5 io 120-150 call17" },
	{ "waits for a lock of the kernel", REC_OFF_BLOCKED, PREAD, "5 blocked 120-150 call17" },
	{ "page fault that reads", REC_OFF_IO, FAULT, "5 page_fault 120-150" },
	{ "page fault that waits for a lock", REC_OFF_BLOCKED, FAULT, "5 page_fault 120-150" },
	{ "page fault that a program serves", REC_OFF_SLEEP, FAULT, "5 page_fault 120-150" },
	{ "SIGSTOP", REC_OFF_STOPPED, FAULT, "5 stopped 120-150" },
	{ "debugger", REC_OFF_TRACED, FAULT, "5 traced 120-150" },
	{ "freezer", REC_OFF_FROZEN, FAULT, "5 frozen 120-150" },
};

static void each_cause(const void *row)
{
	const struct cause *c = row;
	struct threads *t = story();
	char want[128];

	on(t, 110, 1, 0, 1000);
	told.len = 0;
	off(t, 120, c->off, 10, c->syscall);
	told.len = 0;
	wake(t, 150, REC_WAKER_TASK);
	snprintf(want, sizeof(want), "%s\n", c->spans);
	buf_add_byte(&told, 0);
	CHECK_STR((const char *)told.data, want);
	threads_free(t);
}

static void a_quota_keeps_a_thread_off(void)
{
	struct threads *t = story();
	struct rec_long move = { .r = { .kind = REC_THREAD_MOVE, .time = 190, .tid = 5, .id = 2, .ptr = 1060 }, .stack = 500 };

	on(t, 110, 1, 10, 1000);
	off(t, 120, REC_OFF_THROTTLED, 10, FAULT);
	on(t, 180, 1, 70, 1050);		/* throttled for 50 of the 60 ns */
	off(t, 185, REC_OFF_RUNNABLE, 15, FAULT);
	threads_record(t, &move.r);		/* for 60 ns in the first CPU's queue, 3 in the second */
	on(t, 260, 2, 145, 503);
	CHECK_STR(end_of(t, 260), "5 queued 100-110 (before)\n"
				  "5 on_cpu 110-120 cpu1 ran10\n"
				  "5 throttled 120-170 preempted:other\n"
				  "5 queued 170-180 preempted:other\n"
				  "5 on_cpu 180-185 cpu1 ran5\n"
				  "5 throttled 185-248 preempted:other\n"
				  "5 queued 248-260 preempted:other\n"
				  "5 left 260 ran15 waited145 moves1\n");
}

/* The number is that of the machine that was recorded: on arm64 sched_yield(2) is 124. */
static void a_yield_is_one_by_the_number_of_the_machine(void)
{
	struct threads *t = story();

	threads_set_machine(t, EM_AARCH64);
	on(t, 110, 1, 10, 1000);
	off(t, 120, REC_OFF_RUNNABLE, 10, YIELD);
	on(t, 130, 1, 20, 1000);
	off(t, 140, REC_OFF_RUNNABLE, 20, 124);
	CHECK_STR(end_of(t, 150), "5 queued 100-110 (before)\n"
				  "5 on_cpu 110-120 cpu1 ran10\n"
				  "5 queued 120-130 call24 preempted:other\n"
				  "5 on_cpu 130-140 cpu1 ran10\n"
				  "5 queued 140-150 call124 yielded:other (on)\n"
				  "5 left 150 ran20 waited30 moves0\n");
}

static void a_thread_is_made_and_ends(void)
{
	struct threads *t = story();

	put(t, REC_THREAD_NEW, 120, 5, REC_WAKER_TASK, "prog", 0, 0, 0);
	on(t, 125, 1, 5, 0);
	off(t, 130, REC_OFF_RUNNABLE, 5, YIELD);
	on(t, 140, 1, 15, 0);
	off(t, 150, REC_OFF_DEAD, 14, 60);
	put(t, REC_THREAD_NEW, 160, 5, REC_WAKER_TASK, "prog", 0, 0, 0);	/* another thread with the same id */
	CHECK_STR(end_of(t, 200), "5 queued 120-125 new:\n"
				  "5 on_cpu 125-130 cpu1 ran5\n"
				  "5 queued 130-140 call24 yielded:other\n"
				  "5 on_cpu 140-150 cpu1 ran9\n"
				  "5 ended 150 ran14 waited15 moves0\n"
				  "5 queued 160-200 new: (on)\n"
				  "5 left 200 ran0 waited40 moves0\n");
}

/* Since Linux 6.18 the count of a queue's throttled time goes on for its other tasks: it says nothing of this thread. */
static void a_thread_that_is_not_throttled_is_queued(void)
{
	struct threads *t = story();
	struct rec_long move = { .r = { .kind = REC_THREAD_MOVE, .time = 125, .tid = 5, .id = 1, .ptr = 1010 }, .stack = 1000 };

	on(t, 110, 1, 10, 1000);
	put(t, REC_THREAD_OFF, 120, 5, REC_OFF_RUNNABLE, "other", UINT64_MAX, 10, FAULT);
	threads_record(t, &move.r);
	on(t, 180, 1, 70, 1050);
	off(t, 185, REC_OFF_SLEEP, 15, FUTEX);
	put(t, REC_THREAD_WAKE, 190, 5, REC_WAKER_EITHER, "waker", UINT64_MAX, 0, 0);
	on(t, 200, 1, 80, 1080);
	CHECK_STR(end_of(t, 200), "5 queued 100-110 (before)\n"
				  "5 on_cpu 110-120 cpu1 ran10\n"
				  "5 queued 120-180 preempted:other\n"
				  "5 on_cpu 180-185 cpu1 ran5\n"
				  "5 sleeping 185-190 call202\n"
				  "5 queued 190-200 woken:\n"
				  "5 left 200 ran15 waited80 moves0\n");
}

static void woken_before_it_slept_it_goes_on(void)
{
	struct threads *t = story();

	on(t, 110, 1, 10, 1000);
	wake(t, 115, REC_WAKER_TASK);
	off(t, 120, REC_OFF_RUNNABLE, 10, FUTEX);
	CHECK_STR(end_of(t, 130), "5 queued 100-110 (before)\n"
				  "5 on_cpu 110-120 cpu1 ran10\n"
				  "5 queued 120-130 call202 preempted:other (on)\n"
				  "5 left 130 ran10 waited20 moves0\n");
}

static void a_kernel_lacks_something(void)
{
	struct rec begin = { .kind = REC_THREADS, .sub = REC_THREADS_BEGIN,
			     .ptr = REC_WITH_SYSTEM | REC_WITHOUT_DELAYS | REC_WITHOUT_QUOTAS };
	struct threads *t = threads_new();
	const char *texts[THREADS_LACKS];

	threads_record(t, &begin);
	CHECK_EQ(threads_lacks(threads_with(t), texts), 2);
	CHECK_STR(texts[0], "when a CPU quota keeps threads off (CONFIG_CFS_BANDWIDTH)");
	CHECK_STR(texts[1], "how long threads wait for a CPU by its own account (CONFIG_SCHED_INFO)");
	CHECK_EQ(threads_lacks(UINT64_MAX, texts), THREADS_LACKS);
	CHECK_EQ(threads_lacks(REC_WITH_SYSTEM | REC_WITH_INNER_IDS, texts), 0);
	threads_free(t);
}

int main(void)
{
	struct unit_case cases[32] = {
		UNIT(a_thread_that_sleeps_was_asleep_since_the_begin),
		UNIT(the_first_record_says_what_a_runnable_thread_did),
		UNIT(a_thread_without_a_record_ran_or_waited_all_the_time),
		UNIT(a_quota_keeps_a_thread_off),
		UNIT(a_yield_is_one_by_the_number_of_the_machine),
		UNIT(a_thread_is_made_and_ends),
		UNIT(a_thread_that_is_not_throttled_is_queued),
		UNIT(woken_before_it_slept_it_goes_on),
		UNIT(a_kernel_lacks_something),
	};

	UNIT_ROWS(cases, causes, each_cause);
	return unit_main(cases);
}
