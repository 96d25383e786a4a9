// SPDX-License-Identifier: Apache-2.0
/*
 * threads: records are missing. The kernel's sums in the next record of the thread tell how long it ran and waited
 * meanwhile.
 */
#include "threads_told.h"

/* By the sums in the next record the time goes to the right states. */
static void a_lost_record_costs_what_it_said(void)
{
	struct threads *t = story();

	on(t, 110, 1, 10, 1000);
	off(t, 120, REC_OFF_SLEEP, 10, FUTEX);
	on(t, 160, 1, 14, 1000);	/* no WAKE: it waited 4 */
	off(t, 170, REC_OFF_SLEEP, 20, FUTEX);
	CHECK_EQ(threads_missing(t), 0);
	off(t, 200, REC_OFF_SLEEP, 27, FUTEX);	/* no WAKE, no ON: it ran 7 */
	CHECK_EQ(threads_missing(t), 1);
	CHECK_STR(end_of(t, 200), "5 queued 100-110 (before)\n"
				  "5 on_cpu 110-120 cpu1 ran10\n"
				  "5 sleeping 120-156 call202\n"
				  "5 queued 156-160\n"
				  "5 on_cpu 160-170 cpu1 ran10\n"
				  "5 sleeping 170-193 call202\n"
				  "5 on_cpu 193-200 cpu1 ran7\n"
				  "5 left 200 ran27 waited14 moves0\n");
}

/*
 * The kernel shows no switches from some tasks, and no wake-ups by them. How long the thread waited is in the sum of
 * its next record.
 */
static void waits_for_stays_without_a_begin_count(void)
{
	struct threads *t = story();

	snap(t, 100, REC_OFF_SLEEP, 0, 0, FUTEX);
	step(t, 100, REC_THREADS_READ);
	wake(t, 110, REC_WAKER_TASK);
	on(t, 120, 1, 10, 1000);
	off(t, 130, REC_OFF_RUNNABLE, 10, FUTEX);
	off(t, 50000130, REC_OFF_SLEEP, 20, FUTEX);	/* no ON: it waited 49999990 */
	wake(t, 50000140, REC_WAKER_TASK);
	on(t, 50000150, 1, 50000010, 1000);
	off(t, 50000160, REC_OFF_SLEEP, 30, FUTEX);
	off(t, 50000260, REC_OFF_SLEEP, 40, FUTEX);	/* neither WAKE nor ON: it waited 50 */
	CHECK_EQ(threads_missing(t), 2);
	snap(t, 50000300, REC_OFF_SLEEP, 40, 50000060, FUTEX);
	CHECK_STR(end_of(t, 50000300), "5 sleeping 100-110 call202 (before)\n"
				       "5 queued 110-120 woken:waker\n"
				       "5 on_cpu 120-130 cpu1 ran10\n"
				       "5 queued 130-50000120 call202 preempted:other\n"
				       "5 on_cpu 50000120-50000130 cpu1 ran10\n"
				       "5 sleeping 50000130-50000140 call202\n"
				       "5 queued 50000140-50000150 woken:waker\n"
				       "5 on_cpu 50000150-50000160 cpu1 ran10\n"
				       "5 sleeping 50000160-50000250 call202\n"
				       "5 on_cpu 50000250-50000260 cpu1 ran10\n"
				       "5 sleeping 50000260-50000300 call202 (on)\n"
				       "5 left 50000300 ran40 waited50000060 moves0\n");
}

/*
 * /proc showed the thread runnable 40 ms after the begin, and its first record is that of its leave of a CPU. By the
 * sum it ran for all of the time since /proc was read, but for what the sum in /proc may be behind, up to a tick; or
 * for less: then it waited first.
 */
static void a_first_stay_without_a_begin_was_waited_for(void)
{
	enum { MS = 1000000 };
	struct threads *t = story();

	snap(t, 40 * MS, REC_OFF_RUNNABLE, 7, 0, FUTEX);
	step(t, 40 * MS, REC_THREADS_READ);
	off(t, 100 * MS, REC_OFF_SLEEP, 7 + 51 * MS, FUTEX);
	CHECK_EQ(threads_missing(t), 0);
	CHECK_STR(end_of(t, 100 * MS), "5 on_cpu 100-100000000 cpu1 ran99999900 (before)\n"
				       "5 left 100000000 ran99999900 waited0 moves0\n");
	t = story();
	snap(t, 40 * MS, REC_OFF_RUNNABLE, 7, 0, FUTEX);
	step(t, 40 * MS, REC_THREADS_READ);
	off(t, 100 * MS, REC_OFF_SLEEP, 7 + 20 * MS, FUTEX);
	CHECK_EQ(threads_missing(t), 1);
	CHECK_STR(end_of(t, 100 * MS), "5 queued 100-80000000 (before)\n"
				       "5 on_cpu 80000000-100000000 cpu1 ran20000000\n"
				       "5 left 100000000 ran20000000 waited0 moves0\n");
}

/*
 * The stay is on the CPU of the record that ends it (1 in off()), not on the one before, which another thread may have
 * had.
 */
static void a_stay_without_a_begin_is_on_the_cpu_of_its_end(void)
{
	struct rec_thread leaves_cpu_2 = {
		.r = { .kind = REC_THREAD_OFF, .time = 120, .tid = 5, .sub = REC_OFF_SLEEP, .flags = 2, .id = 7 },
		.stack = 10, .arg = FUTEX,
	};
	struct threads *t = story();

	on(t, 110, 2, 10, 1000);
	threads_record(t, &leaves_cpu_2.r);
	wake(t, 150, REC_WAKER_TASK);
	off(t, 200, REC_OFF_SLEEP, 17, FUTEX);
	CHECK_EQ(threads_missing(t), 1);
	CHECK_STR(end_of(t, 200), "5 queued 100-110 (before)\n"
				  "5 on_cpu 110-120 cpu2 ran10\n"
				  "5 sleeping 120-150 call202\n"
				  "5 queued 150-193 woken:waker\n"
				  "5 on_cpu 193-200 cpu1 ran7\n"
				  "5 left 200 ran17 waited10 moves1\n");
}

/* By the kernel's clock it ran for 85 ns, but its preemption was only 80 ns ago. */
static void between_two_stays_is_a_moment_off_the_cpu(void)
{
	struct threads *t = story();

	on(t, 110, 1, 10, 1000);
	off(t, 120, REC_OFF_RUNNABLE, 10, FUTEX);
	off(t, 200, REC_OFF_SLEEP, 95, FUTEX);
	CHECK_EQ(threads_missing(t), 1);
	CHECK_STR(end_of(t, 200), "5 queued 100-110 (before)\n"
				  "5 on_cpu 110-120 cpu1 ran10\n"
				  "5 queued 120-121 call202 preempted:other\n"
				  "5 on_cpu 121-200 cpu1 ran85\n"
				  "5 left 200 ran95 waited10 moves0\n");
}

/* It is not known when the thread left the first CPU. */
static void a_stay_that_began_on_another_cpu_is_not_known(void)
{
	struct threads *t = story();

	on(t, 110, 2, 10, 1000);
	off(t, 200, REC_OFF_SLEEP, 70, FUTEX);
	on(t, 210, 1, 20, 1000);
	off(t, 220, REC_OFF_SLEEP, 80, FUTEX);
	CHECK_EQ(threads_missing(t), 2);
	CHECK_STR(end_of(t, 220), "5 queued 100-110 (before)\n"
				  "5 unknown 110-200\n"
				  "5 sleeping 200-201 call202\n"
				  "5 queued 201-210\n"
				  "5 on_cpu 210-220 cpu1 ran10\n"
				  "5 left 220 ran100 waited20 moves1\n");
}

static void on_as(struct threads *t, uint64_t time, uint32_t tid)
{
	struct rec r = { .kind = REC_THREAD_ON, .time = time, .tid = tid, .flags = 1 };

	threads_record(t, &r);
}

static void off_as(struct threads *t, uint64_t time, uint32_t tid, uint64_t ran)
{
	put(t, REC_THREAD_OFF, time, tid, REC_OFF_SLEEP, "other", 1000, ran, FUTEX);
}

/* Thread 6 gets the CPU that 5 has: the record of 5's leave is missing, and then that of its return. */
static void a_stay_ends_when_another_thread_has_the_cpu(void)
{
	struct threads *t = story();

	on(t, 110, 1, 10, 1000);
	off(t, 115, REC_OFF_SLEEP, 1005, FUTEX);
	on(t, 120, 1, 10, 1000);
	on_as(t, 130, 6);
	off_as(t, 140, 6, 10);
	off(t, 150, REC_OFF_SLEEP, 1025, FUTEX);
	CHECK_EQ(threads_missing(t), 2);
	CHECK_STR(end_of(t, 150), "5 queued 100-110 (before)\n"
				  "5 on_cpu 110-115 cpu1 ran5\n"
				  "5 sleeping 115-120 call202\n"
				  "6 queued 100-130 (before)\n"
				  "6 on_cpu 130-140 cpu1 ran10\n"
				  "5 unknown 120-150\n"
				  "5 left 150 ran25 waited10 moves0\n"
				  "6 sleeping 140-150 call202 (on)\n"
				  "6 left 150 ran10 waited30 moves0\n");
}

/*
 * Thread 5 has the CPU and execs: it becomes the main thread, with id 6. So the record of its leave is of 6, from the
 * CPU of 5, and there was none of 6 before.
 */
static void a_thread_that_leaves_the_cpu_of_another_one(void)
{
	struct threads *t = story();

	step(t, 100, REC_THREADS_READ);
	put(t, REC_THREAD_NEW, 100, 5, REC_WAKER_TASK, "prog", 0, 0, 0);
	on(t, 110, 1, 10, 0);
	off_as(t, 140, 6, 30);
	CHECK_STR(end_of(t, 150), "5 queued 100-110 new:\n"
				  "5 unknown 110-150 (on)\n"
				  "5 left 150 ran0 waited10 moves0\n"
				  "6 sleeping 140-150 call202 (on)\n"
				  "6 left 150 ran0 waited0 moves0\n");
}

/* /proc was read, and this thread was not in it: it was made later, and its life begins with its first record. */
static void a_thread_without_a_begin_was_not_there_before(void)
{
	struct threads *t = story();

	step(t, 105, REC_THREADS_READ);
	on(t, 110, 1, 8, 1000);
	off(t, 120, REC_OFF_SLEEP, 10, FUTEX);
	CHECK_STR(end_of(t, 120), "5 on_cpu 110-120 cpu1 ran10\n"
				  "5 left 120 ran10 waited0 moves0\n");
	t = story();
	step(t, 105, REC_THREADS_READ);
	off(t, 120, REC_OFF_SLEEP, 1000, FUTEX);
	wake(t, 130, REC_WAKER_TASK);
	CHECK_STR(end_of(t, 140), "5 sleeping 120-130 call202\n"
				  "5 queued 130-140 woken:waker (on)\n"
				  "5 left 140 ran0 waited10 moves0\n");
}

static void an_end_that_is_missing_is_at_no_known_time(void)
{
	struct threads *t = story();

	put(t, REC_THREAD_NEW, 100, 5, REC_WAKER_TASK, "prog", 0, 0, 0);
	on(t, 110, 1, 10, 0);
	put(t, REC_THREAD_NEW, 140, 5, REC_WAKER_TASK, "prog", 0, 0, 0);
	CHECK_EQ(threads_missing(t), 1);
	CHECK_STR(end_of(t, 150), "5 queued 100-110 new:\n"
				  "5 unknown 110-140\n"
				  "5 ended 140 ran0 waited10 moves0\n"
				  "5 queued 140-150 new: (on)\n"
				  "5 left 150 ran0 waited10 moves0\n");
}

/*
 * Its OFF is missing, so it is not known when it went to sleep: the stay is unknown, not on_cpu. The sum in the next
 * OFF has what it ran.
 */
static void a_lost_sleep_is_no_time_on_a_cpu(void)
{
	struct threads *t = story();

	snap(t, 100, REC_OFF_RUNNABLE, 40, 0, FAULT);
	on(t, 110, 1, 10, 1000);
	wake(t, 5000, REC_WAKER_TASK);	/* OFF is missing: it slept from 120 on */
	on(t, 5004, 1, 14, 1000);
	off(t, 5010, REC_OFF_SLEEP, 56, FUTEX);	/* it ran 6 of these 16 now */
	CHECK_EQ(threads_missing(t), 1);
	CHECK_STR(end_of(t, 5010), "5 queued 100-110 (before)\n"
				   "5 unknown 110-5000\n"
				   "5 queued 5000-5004\n"
				   "5 on_cpu 5004-5010 cpu1 ran6\n"
				   "5 left 5010 ran16 waited14 moves0\n");
}

static struct threads *story_up_to_a_stay(void)
{
	struct threads *t = story();

	snap(t, 100, REC_OFF_SLEEP, 40, 9, FUTEX);
	step(t, 100, REC_THREADS_READ);
	wake(t, 110, REC_WAKER_TASK);
	on(t, 110, 1, 9, 1000);
	return t;
}

static void a_lost_sleep_at_the_end_is_no_time_on_a_cpu(void)
{
	struct threads *t = story_up_to_a_stay();

	snap(t, 5000, REC_OFF_SLEEP, 47, 9, FUTEX);	/* it ran 7, and slept */
	step(t, 5000, REC_THREADS_END);
	CHECK_STR(end_of(t, 5000), "5 sleeping 100-110 call202 (before)\n"
				   "5 unknown 110-5000 (on)\n"
				   "5 left 5000 ran7 waited0 moves0\n");
	t = story_up_to_a_stay();
	snap(t, 120, REC_OFF_SLEEP, 40, 9, FUTEX);	/* read before 110: it has not run more */
	step(t, 120, REC_THREADS_END);
	CHECK_STR(end_of(t, 120), "5 sleeping 100-110 call202 (before)\n"
				  "5 on_cpu 110-120 cpu1 ran10 (on)\n"
				  "5 left 120 ran10 waited0 moves0\n");
}

/* A thread that ends has given back its id in the PID namespace: its record has tid 0. */
static void off_without_id(struct threads *t, uint64_t time, enum rec_off why, uint64_t ran)
{
	put(t, REC_THREAD_OFF, time, 0, (uint8_t)why, "other", UINT64_MAX, ran, 60);
}

static void a_thread_without_an_id_ends(void)
{
	struct threads *t = story();
	struct rec again = { .kind = REC_THREAD_ON, .time = 135, .flags = 1 };

	put(t, REC_THREAD_NEW, 100, 5, REC_WAKER_TASK, "prog", 0, 0, 0);
	on(t, 110, 1, 10, 0);
	off_without_id(t, 130, REC_OFF_RUNNABLE, 20);	/* preempted on its way to the end */
	threads_record(t, &again);
	off_without_id(t, 140, REC_OFF_DEAD, 25);
	put(t, REC_THREAD_WAKE, 150, 0, REC_WAKER_TASK, "waker", 0, 0, 0);
	CHECK_STR(end_of(t, 200), "5 queued 100-110 new:\n"
				  "5 on_cpu 110-130 cpu1 ran20\n"
				  "5 ended 130 ran20 waited10 moves0\n");
}

static void lose_on(struct threads *t, uint64_t cpu)
{
	struct rec_long lost = { .r = { .kind = REC_THREADS_LOST, .time = 120, .id = cpu }, .arg = 3 };

	threads_record(t, &lost.r);
}

/* A record without an id ends the thread that has the CPU; but not after a loss, as another one may have the CPU since. */
static void no_other_thread_ends_in_its_place(void)
{
	struct threads *t = story();

	on(t, 110, 1, 10, 0);
	lose_on(t, 1);
	off_without_id(t, 130, REC_OFF_DEAD, 20);
	CHECK_STR(end_of(t, 140), "5 queued 100-110 (before)\n"
				  "5 on_cpu 110-140 cpu1 ran30 (on)\n"
				  "5 left 140 ran30 waited10 moves0\n");
	t = story();
	on(t, 110, 2, 10, 0);
	off_without_id(t, 130, REC_OFF_DEAD, 20);	/* it comes from CPU 1 */
	CHECK_STR(end_of(t, 140), "5 queued 100-110 (before)\n"
				  "5 on_cpu 110-140 cpu2 ran30 (on)\n"
				  "5 left 140 ran30 waited10 moves0\n");
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_lost_record_costs_what_it_said),
		UNIT(a_stay_without_a_begin_is_on_the_cpu_of_its_end),
		UNIT(between_two_stays_is_a_moment_off_the_cpu),
		UNIT(a_stay_that_began_on_another_cpu_is_not_known),
		UNIT(a_lost_sleep_is_no_time_on_a_cpu),
		UNIT(a_lost_sleep_at_the_end_is_no_time_on_a_cpu),
		UNIT(a_stay_ends_when_another_thread_has_the_cpu),
		UNIT(a_thread_that_leaves_the_cpu_of_another_one),
		UNIT(a_thread_without_a_begin_was_not_there_before),
		UNIT(an_end_that_is_missing_is_at_no_known_time),
		UNIT(waits_for_stays_without_a_begin_count),
		UNIT(a_first_stay_without_a_begin_was_waited_for),
		UNIT(a_thread_without_an_id_ends),
		UNIT(no_other_thread_ends_in_its_place),
		{0},
	});
}
