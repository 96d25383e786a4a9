/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads_told: from records of the scheduler to stays of threads in states. A case puts in records, mostly of thread
 * 5, and compares the spans and the ends of threads as text, a line each. "(before)": the span began before the
 * records, "(on)": it had not ended when they ended.
 */
#ifndef GOTAP_TESTS_THREADS_TOLD_H
#define GOTAP_TESTS_THREADS_TOLD_H

#include "unit.h"

#include <elf.h>

#include "base/vec.h"
#include "threads/threads.h"

enum { FUTEX = 202, PREAD = 17, YIELD = 24, FAULT = -1 };

static struct buf told;

static inline void say_span(void *ctx, const struct thread_span *s)
{
	buf_printf(&told, "%u %s %lu-%lu", s->thread->tid, thread_state_name(s->state), s->from, s->to);
	if (s->state == THREAD_RUNNING)
		buf_printf(&told, " cpu%u ran%lu", s->cpu, s->ran);
	else if (s->syscall >= 0)
		buf_printf(&told, " call%ld", s->syscall);
	if (s->queued)
		buf_printf(&told, " %s:%s", (const char *[]){ "", "preempted", "yielded", "woken", "interrupt", "new" }[s->queued],
			   s->by.comm);
	buf_printf(&told, "%s%s\n", s->open_begin ? " (before)" : "", s->open_end ? " (on)" : "");
}

static inline void say_end(void *ctx, const struct thread *t, uint64_t time, bool ended)
{
	buf_printf(&told, "%u %s %lu ran%lu waited%lu moves%lu\n", t->tid, ended ? "ended" : "left", time, t->ran_ns,
		   t->waited_ns, t->moves);
}

static inline struct threads *story(void)
{
	struct threads *t = threads_new();
	struct rec begin = { .kind = REC_THREADS, .sub = REC_THREADS_BEGIN, .time = 100 };

	told.len = 0;
	threads_set_machine(t, EM_X86_64);
	threads_visit(t, &(struct threads_visitor){ .span = say_span, .thread_end = say_end });
	threads_record(t, &begin);
	return t;
}

static inline const char *end_of(struct threads *t, uint64_t time)
{
	threads_finish(t, time);
	threads_free(t);
	buf_add_byte(&told, 0);
	return (const char *)told.data;
}

/* @other: the name of the other task, whose thread id is 7. */
static inline void put(struct threads *t, uint8_t kind, uint64_t time, uint32_t tid, uint8_t sub, const char *other,
		       uint64_t throttled, uint64_t ran, int64_t syscall)
{
	struct rec_thread r = {
		.r = { .kind = kind, .time = time, .tid = tid, .sub = sub, .flags = 1, .id = 7, .ptr = throttled },
		.stack = ran, .arg = (uint64_t)syscall,
	};

	snprintf(r.comm, sizeof(r.comm), "%s", other);
	threads_record(t, &r.r);
}

static inline void off(struct threads *t, uint64_t time, enum rec_off why, uint64_t ran, int64_t syscall)
{
	put(t, REC_THREAD_OFF, time, 5, (uint8_t)why, "other", 1000, ran, syscall);
}

static inline void on(struct threads *t, uint64_t time, uint16_t cpu, uint64_t waited, uint64_t throttled)
{
	struct rec r = { .kind = REC_THREAD_ON, .time = time, .tid = 5, .flags = cpu, .id = waited, .ptr = throttled };

	threads_record(t, &r);
}

static inline void wake(struct threads *t, uint64_t time, enum rec_waker by)
{
	put(t, REC_THREAD_WAKE, time, 5, (uint8_t)by, "waker", 1000, 0, 0);
}

static inline void snap(struct threads *t, uint64_t time, enum rec_off state, uint64_t ran, uint64_t waited, int64_t syscall)
{
	struct rec_thread r = { .r = { .kind = REC_SNAP_THREAD, .time = time, .tid = 5, .sub = (uint8_t)state, .flags = 1,
				       .id = waited }, .stack = ran, .arg = (uint64_t)syscall, .comm = "prog" };

	threads_record(t, &r.r);
}

static inline void step(struct threads *t, uint64_t time, enum rec_threads which)
{
	struct rec r = { .kind = REC_THREADS, .time = time, .sub = (uint8_t)which };

	threads_record(t, &r);
}

#endif
