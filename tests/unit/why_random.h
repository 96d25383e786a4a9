/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why_random: a random trace of two threads with a P each, and the file of their threads: a thread is off its CPU only
 * between two of its events.
 */
#ifndef GOTAP_TESTS_WHY_RANDOM_H
#define GOTAP_TESTS_WHY_RANDOM_H

#include "thread_story.h"
#include "why_story.h"

enum { GOROUTINES = 14, THREADS = 2, EVENTS = 160, BEGIN_TIME = 1000, LATEST = 8192, CHANGES = 4 * EVENTS };

/* A record for the file of threads. */
struct change {
	long time;
	int thread;		/* counts from 1 */
	uint8_t kind;		/* enum rec_kind */
	enum rec_off why;	/* of THREAD_OFF */
	long syscall, throttled;
};

enum state { NONE, RUNNABLE, RUNNING, WAITING, SYSCALL, GONE };

struct machine {
	struct buf text[THREADS];
	long last[THREADS];	/* time of the last event */
	int on[THREADS];	/* the goroutine that runs there, 0 none */
	enum state state[GOROUTINES + 1];
	int seq[GOROUTINES + 1], syscalls[THREADS];
	long now;
	unsigned random, other_random;
	/* for the file of threads: */
	struct change changes[CHANGES];
	size_t n;
	uint8_t states[THREADS + 1][LATEST];	/* enum thread_state by thread and time */
};

static unsigned next_random(unsigned *random, unsigned n)
{
	*random = *random * 1103515245u + 12345u;
	return (*random >> 16) % n;
}

static unsigned pick(struct machine *m, unsigned n)
{
	return next_random(&m->random, n);
}

/* --- threads --- */

static void change(struct machine *m, int thread, long time, uint8_t kind, enum rec_off why, long syscall, long throttled)
{
	m->changes[m->n++] = (struct change){ time, thread, kind, why, syscall, throttled };
}

static void paint(struct machine *m, int thread, long from, long to, enum thread_state state)
{
	for (; from < to; from++)
		m->states[thread][BEGIN_TIME + from] = (uint8_t)state;
}

/* Another task has the CPU from @from to @to. In the first part of that, or in none, the quota is used up. */
static void preempt(struct machine *m, int thread, long from, long to)
{
	long throttled = next_random(&m->other_random, 2) ? next_random(&m->other_random, (unsigned)(to - from)) : 0;

	change(m, thread, from, REC_THREAD_OFF, REC_OFF_RUNNABLE, -1, 0);
	change(m, thread, to, REC_THREAD_ON, 0, 0, throttled);
	paint(m, thread, from, from + throttled, THREAD_THROTTLED);
	paint(m, thread, from + throttled, to, THREAD_QUEUED);
}

static void wait_in_kernel(struct machine *m, int thread, long from, long to)
{
	static const struct {
		enum rec_off why;
		long syscall;
		enum thread_state state;
	} waits[] = {
		{ REC_OFF_SLEEP, 202, THREAD_SLEEPING }, { REC_OFF_IO, 17, THREAD_IO }, { REC_OFF_BLOCKED, 17, THREAD_BLOCKED },
		{ REC_OFF_IO, -1, THREAD_FAULT }, { REC_OFF_STOPPED, -1, THREAD_STOPPED },
		{ REC_OFF_TRACED, -1, THREAD_TRACED }, { REC_OFF_FROZEN, -1, THREAD_FROZEN },
	};
	unsigned i = next_random(&m->other_random, sizeof(waits) / sizeof(waits[0]));
	long woken = from + next_random(&m->other_random, (unsigned)(to - from)) + 1;

	change(m, thread, from, REC_THREAD_OFF, waits[i].why, waits[i].syscall, 0);
	change(m, thread, woken, REC_THREAD_WAKE, 0, 0, 0);
	change(m, thread, to, REC_THREAD_ON, 0, 0, 0);
	paint(m, thread, from, woken, waits[i].state);
	paint(m, thread, woken, to, THREAD_QUEUED);
}

/* Perhaps the thread is off its CPU between two of its events, at which it is on one. */
static void between(struct machine *m, int thread, long from, long to)
{
	if (to - from < 4 || !next_random(&m->other_random, 3))
		return;
	(next_random(&m->other_random, 2) ? preempt : wait_in_kernel)(m, thread + 1, from + 1, to - 1);
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return x->time != y->time ? (x->time < y->time ? -1 : 1) : x < y ? -1 : x > y;
}

/* The file of threads; the caller closes it. */
static void random_threads(struct machine *m, struct thread_story *s)
{
	size_t i;

	thread_story_begin(s);
	for (i = 1; i <= THREADS; i++)
		thread_on(s, (uint32_t)i, 950, 0);
	qsort(m->changes, m->n, sizeof(m->changes[0]), by_time);
	for (i = 0; i < m->n; i++) {
		const struct change *c = &m->changes[i];
		uint64_t time = (uint64_t)(BEGIN_TIME + c->time);

		if (c->kind == REC_THREAD_OFF)
			thread_off(s, (uint32_t)c->thread, time, c->why, c->syscall);
		else if (c->kind == REC_THREAD_WAKE)
			thread_wake(s, (uint32_t)c->thread, time);
		else
			thread_on(s, (uint32_t)c->thread, time, (uint64_t)c->throttled);
	}
	thread_story_end(s, (uint64_t)(BEGIN_TIME + m->now + 100));
}

/* --- goroutines --- */

static void emit(struct machine *m, int thread, const char *name, const char *args)
{
	buf_printf(&m->text[thread], "%s dt=%ld%s\n", name, m->now - m->last[thread], args);
	between(m, thread, m->last[thread], m->now);
	m->last[thread] = m->now;
}

/* A random goroutine in @state, or 0. */
static int any(struct machine *m, enum state state)
{
	int first = 1 + (int)pick(m, GOROUTINES), i;

	for (i = 0; i < GOROUTINES; i++) {
		int g = 1 + (first + i) % GOROUTINES;

		if (m->state[g] == state)
			return g;
	}
	return 0;
}

static void unblock(struct machine *m, int thread)
{
	int g = any(m, WAITING);
	char args[64];

	if (!g)
		return;
	snprintf(args, sizeof(args), " g=%d g_seq=%d stack=%d", g, ++m->seq[g], m->on[thread] ? 2 : 0);
	emit(m, thread, "GoUnblock", args);
	m->state[g] = RUNNABLE;
}

static void start(struct machine *m, int thread)
{
	int g = any(m, RUNNABLE);
	char args[64];

	if (!g)
		return;
	snprintf(args, sizeof(args), " g=%d g_seq=%d", g, ++m->seq[g]);
	emit(m, thread, "GoStart", args);
	m->state[g] = RUNNING;
	m->on[thread] = g;
}

static void create(struct machine *m, int thread)
{
	int g = any(m, NONE);
	char args[64];

	if (!g)
		return;
	snprintf(args, sizeof(args), " new_g=%d new_stack=3 stack=2", g);
	emit(m, thread, "GoCreate", args);
	m->state[g] = RUNNABLE;
}

static void leave(struct machine *m, int thread, const char *event, const char *args, enum state state)
{
	emit(m, thread, event, args);
	m->state[m->on[thread]] = state;
	m->on[thread] = 0;
}

static void in_syscall(struct machine *m, int thread)
{
	char args[64];

	snprintf(args, sizeof(args), " p_seq=%d stack=1", ++m->syscalls[thread]);
	emit(m, thread, "GoSyscallBegin", args);
	m->now += 1 + pick(m, 30);
	emit(m, thread, "GoSyscallEnd", "");
}

static void act(struct machine *m, int thread)
{
	unsigned what = pick(m, 10);

	m->now += 1 + pick(m, 12);
	if (!m->on[thread])
		(what < 3 ? unblock : start)(m, thread);
	else if (what < 3)
		unblock(m, thread);
	else if (what < 5)
		create(m, thread);
	else if (what < 7)
		leave(m, thread, "GoBlock", " reason_string=5 stack=1", WAITING);
	else if (what == 7)
		leave(m, thread, "GoStop", " reason_string=6 stack=1", RUNNABLE);
	else if (what == 8)
		in_syscall(m, thread);
	else if (m->on[thread] != 1)
		leave(m, thread, "GoDestroy", "", GONE);
}

/* Times count from BEGIN_TIME; goroutine 1 runs on thread 1. The caller frees both. */
static char *random_trace(unsigned seed, struct machine **ret)
{
	struct machine *m = xcalloc(1, sizeof(*m));
	struct buf all = {0};
	int i;

	m->random = m->other_random = seed;
	memset(m->states, THREAD_RUNNING, sizeof(m->states));
	buf_printf(&m->text[0], "batch m=1\nProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=1 gstatus=2\n");
	buf_printf(&m->text[1], "batch m=2\nProcStatus dt=2 p=1 pstatus=1\n");
	m->last[0] = m->last[1] = m->now = 2;
	m->on[0] = 1;
	m->state[1] = RUNNING;
	for (i = 0; i < EVENTS; i++)
		act(m, (int)pick(m, THREADS));
	buf_add(&all, TABLES, sizeof(TABLES) - 1);
	for (i = 0; i < THREADS; i++) {
		buf_add(&all, m->text[i].data, m->text[i].len);
		buf_free(&m->text[i]);
	}
	buf_add_byte(&all, 0);
	*ret = m;
	return (char *)all.data;
}

#endif
