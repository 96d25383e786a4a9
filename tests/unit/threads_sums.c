// SPDX-License-Identifier: Apache-2.0
/*
 * threads: sums over stays, also of random records: the states add up to the life, and a hostile file cannot take any
 * amount of memory.
 */
#include "threads_told.h"
#include "unit_random.h"

#include "threads/sums.h"

static void count_begin(void *ctx, const struct thread *t)
{
	++*(uint64_t *)ctx;
}

static void a_file_cannot_have_threads_without_bound(void)
{
	struct threads *t = story();
	uint64_t n = 0;
	uint32_t i;

	threads_visit(t, &(struct threads_visitor){ .ctx = &n, .thread_begin = count_begin });
	for (i = 0; i < THREADS_MAX + 10; i++) {
		struct rec r = { .kind = REC_THREAD_ON, .time = 110, .tid = THREADS_TID_MAX - i };

		threads_record(t, &r);
	}
	put(t, REC_THREAD_NEW, 120, 3, REC_WAKER_TASK, "prog", 0, 0, 0);
	wake(t, 120, REC_WAKER_TASK);
	off(t, 120, REC_OFF_SLEEP, 0, FUTEX);
	snap(t, 120, REC_OFF_SLEEP, 0, 0, FUTEX);
	put(t, REC_THREAD_WAKE, 120, THREADS_TID_MAX + 1, REC_WAKER_TASK, "waker", 0, 0, 0);
	CHECK_EQ(n, THREADS_MAX);
	CHECK_EQ(threads_lost(t), 10 + 4 + 1);
	threads_free(t);
}

static void sums_close(void)
{
	struct threads *t = story();
	struct thread_sums *s = thread_sums_new(t);
	uint64_t sum = 0;
	unsigned int i;

	snap(t, 150, REC_OFF_SLEEP, 40, 9, FUTEX);
	wake(t, 200, REC_WAKER_TASK);
	on(t, 210, 1, 19, 1000);
	off(t, 250, REC_OFF_RUNNABLE, 78, FAULT);
	on(t, 290, 1, 59, 1030);
	off(t, 295, REC_OFF_SLEEP, 83, FUTEX);
	threads_finish(t, 300);
	for (i = 0; i < THREAD_STATES; i++)
		sum += s->total.state_ns[i];
	CHECK_EQ(sum, 200);
	CHECK_EQ(s->total.life_ns, 200);
	CHECK_EQ(s->total.state_ns[THREAD_THROTTLED], 30);
	CHECK_EQ(s->total.ran_ns, 43);
	CHECK_EQ(s->total.waited_ns, 50);
	CHECK_EQ(s->total.preempted, 1);
	CHECK_EQ(s->total.woken, 1);
	CHECK_EQ(s->total.stays, 2);
	CHECK_EQ(s->takers.len, 1);
	CHECK_EQ(s->done.len, 1);
	CHECK_STR(vec_at(&s->done, struct thread_sum, 0)->comm, "prog");
	thread_sums_free(s);
	threads_free(t);
}

/* More programs take the CPU than there are rows; each has it 1 ns longer than the one before. */
static void takers_that_took_least_are_added_up(void)
{
	struct threads *t = story();
	struct thread_sums *s = thread_sums_new(t);
	uint64_t i, time = 200, times = 0, ns = 0;

	on(t, 110, 1, 0, 0);
	for (i = 1; i <= SUMS_TAKERS + 5; i++) {
		struct rec_thread r = { .r = { .kind = REC_THREAD_OFF, .time = time, .tid = 5, .sub = REC_OFF_RUNNABLE,
					       .flags = 1, .id = i << 32 | i, .ptr = UINT64_MAX }, .arg = UINT64_MAX };

		threads_record(t, &r.r);
		on(t, time + i, 1, 0, 0);
		time += i + 1;
	}
	CHECK_EQ(s->takers.len, SUMS_TAKERS);
	CHECK_EQ(s->other_takers.times, 5);
	CHECK_EQ(s->other_takers.ns, 1 + 2 + 3 + 4 + 5);
	for (i = 0; i < s->takers.len; i++) {
		times += vec_at(&s->takers, struct taker, i)->times;
		ns += vec_at(&s->takers, struct taker, i)->ns;
	}
	CHECK_EQ(times, SUMS_TAKERS);
	CHECK_EQ(ns + s->other_takers.ns, (SUMS_TAKERS + 5) * (SUMS_TAKERS + 6) / 2);
	threads_free(t);
	thread_sums_free(s);
}

/* A damaged file may have such times. */
static void times_that_go_back_make_no_span_of_the_past(void)
{
	struct threads *t = story();

	on(t, 1000, 1, 0, 0);
	off(t, 500, REC_OFF_SLEEP, 10, FUTEX);
	wake(t, 400, REC_WAKER_TASK);
	on(t, 300, 1, UINT64_MAX, 0);
	off(t, 200, REC_OFF_DEAD, 0, FUTEX);
	CHECK_STR(end_of(t, 150), "5 queued 100-1000 (before)\n5 ended 200 ran0 waited900 moves0\n");
}

/* A random record of the family; its numbers are small, but some are any number. */
static struct rec_thread any_record(uint64_t *seed, uint64_t now)
{
	struct rec_thread r = {
		.r = { .kind = (uint8_t)(REC_THREAD_OFF + unit_random(seed) % (REC_PRESSURE - REC_THREAD_OFF + 1)),
		       .tid = (uint32_t)(unit_random(seed) % 5), .sub = (uint8_t)(unit_random(seed) % 12),
		       .flags = (uint16_t)unit_random(seed), .id = unit_random(seed) % 1000, .ptr = unit_random(seed) % 1000,
		       .time = unit_random(seed) % 20 ? now : unit_random(seed) },
		.stack = unit_random(seed) % 3 ? now : unit_random(seed),
		.arg = unit_random(seed) % 400 - 1,
	};

	if (r.r.kind == REC_THREADS)
		r.r.sub = REC_THREADS_READ;
	return r;
}

/* When the last span of each thread of any_record() ended. */
struct ends {
	uint64_t of[5];
};

static void begin_at(void *ctx, const struct thread *t)
{
	((struct ends *)ctx)->of[t->tid] = t->since;
}

static void follow(void *ctx, const struct thread_span *s)
{
	uint64_t *end = &((struct ends *)ctx)->of[s->thread->tid];

	CHECK_EQ(s->from, *end);
	CHECK(s->to > s->from);
	*end = s->to;
}

static void spans_of_any_records_follow_one_another(void)
{
	uint64_t run, seed, now, sum;
	unsigned int i;

	for (run = 1; run < 300; run++) {
		struct threads *t = threads_new();
		struct thread_sums *s = thread_sums_new(t);
		struct ends ends = {0};

		threads_visit(t, &(struct threads_visitor){ .ctx = &ends, .thread_begin = begin_at, .span = follow });
		for (i = 0, seed = run * 7919, now = 1000; i < 300; i++, now += unit_random(&seed) % 100) {
			struct rec_thread r = any_record(&seed, now);

			threads_record(t, &r.r);
		}
		threads_finish(t, now);
		for (i = 0, sum = 0; i < THREAD_STATES; i++)
			sum += s->total.state_ns[i];
		CHECK_EQ(sum, s->total.life_ns);
		CHECK_EQ(s->live.len, 0);
		thread_sums_free(s);
		threads_free(t);
	}
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_file_cannot_have_threads_without_bound),
		UNIT(takers_that_took_least_are_added_up),
		UNIT(sums_close),
		UNIT(times_that_go_back_make_no_span_of_the_past),
		UNIT(spans_of_any_records_follow_one_another),
		{0},
	});
}
