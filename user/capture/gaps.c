// SPDX-License-Identifier: Apache-2.0
/* gaps: see gaps.h. */
#define _GNU_SOURCE
#include "capture/gaps.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/limits.h"

#define TICK_NS (20 * 1000 * 1000)
/* The reader counts as absent after this time without a read of the full rings. */
#define UNREAD_NS 200000000ULL
#define RETRY_NS 1000000000ULL
/* gotap gives up --attach inline if it finds no thread to borrow in this time. */
#define INLINE_NS 5000000000ULL
#define INLINE_GRACE_NS 1000000000ULL

void gaps_init(struct gaps *g)
{
	pthread_condattr_t attr;

	*g = (struct gaps){0};
	pthread_mutex_init(&g->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&g->changed, &attr);
	pthread_condattr_destroy(&attr);
}

void gaps_destroy(struct gaps *g)
{
	assert(!g->runs);
	pthread_cond_destroy(&g->changed);
	pthread_mutex_destroy(&g->lock);
}

/* False: the capture ends. */
static bool wait_tick(struct gaps *g)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += TICK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&g->lock);
	while (!g->stop && !pthread_cond_timedwait(&g->changed, &g->lock, &until))
		;
	stop = g->stop;
	pthread_mutex_unlock(&g->lock);
	return !stop;
}

/*
 * Returns whether there may be gaps: not before the first states, since it is not known yet where
 * in the program's memory states lie.
 */
static bool may_begin(struct gaps *g)
{
	bool begun;

	pthread_mutex_lock(&g->lock);
	begun = g->begun;
	pthread_mutex_unlock(&g->lock);
	return begun && states_known(g->states);
}

/* --- all states, read anew --- */

/* Returns the CPU time of this thread, in ns. */
static uint64_t gaps_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * The cost is measured as CPU time of this thread: the elapsed time is mostly waiting, for the
 * target's threads and for a CPU. The thread that reads the target's memory (live/memory.c) takes
 * about as much again.
 */
static bool read_anew(struct gaps *g, enum rec_gap why)
{
	uint64_t begin = gaps_cpu_ns(), lost;
	bool ok = states_read_anew(g->states, why, &lost);

	if (ok)
		reread_done(&g->reread, lost);
	reread_ended(&g->reread, now_ns(), 2 * (gaps_cpu_ns() - begin));
	return ok;
}

/* --- times without probes --- */

static void say_gap(struct gaps *g, enum rec_gap why, bool may_begin_later)
{
	struct rec gap = { .kind = REC_GAP, .sub = (uint8_t)why, .flags = may_begin_later };

	user_records_add(g->records, &gap, sizeof(gap));
}

/*
 * Begins a gap before the probes are taken away. They go one after the other, so that the records
 * in between are incomplete; they are not used. For a slice of the budget the first REC_GAP comes a
 * tick before the second: the model begins the gap at a record of a running goroutine, which then
 * has the log event about the gap. If the reader is absent, no record would come, and there is one
 * REC_GAP.
 */
static void gaps_leave(struct gaps *g, enum rec_gap why)
{
	if (why == REC_GAP_BUDGET) {
		say_gap(g, why, true);
		if (!wait_tick(g))
			return;
	}
	say_gap(g, why, false);
	bpf_names_unknown(g->probes->bpf);
	probes_detach(g->probes, BPF_ALL);
	g->away = true;
	g->why = why;
}

/*
 * Attaches the probes again and reads all states. After a failure a later call tries again, unless
 * the program has ended.
 */
static void gaps_come_back(struct gaps *g)
{
	struct error err;

	assert(g->away);
	if (now_ns() < g->not_before)
		return;
	g->not_before = now_ns() + RETRY_NS;
	if (probes_attach(g->probes, budget_control_parts(&g->budget), &err))
		return;
	probes_activate(g->probes);
	if (!read_anew(g, g->why)) {
		probes_detach(g->probes, BPF_ALL);
		return;
	}
	g->not_before = 0;
	g->away = false;
}

/*
 * Returns whether the reader is absent: the queue is full all the time, and records are lost.
 * Losses alone may be one burst, a full queue alone an idle program.
 */
static void look_for_reader(struct gaps *g)
{
	uint64_t full = chunk_queue_full_since(g->queue), lost = ring_set_lost(g->rings);

	if (!full) {
		g->unread = false;
		g->lost_with_room = lost;
	} else if (lost > g->lost_with_room && now_ns() - full >= UNREAD_NS) {
		g->unread = true;
	}
}

/*
 * Until code in the target takes over, the cost of the uprobes only counts: it is ten times the
 * later cost, and no measure of how much to leave out.
 */
static bool waits_for_inline(const struct gaps *g)
{
	return g->inline_wanted && now_ns() - g->begin < INLINE_GRACE_NS;
}

/*
 * Attaches no probe and reads no state while the queue is full: there would be no room for the
 * records.
 */
static void gaps_tick(struct gaps *g)
{
	bool may = may_begin(g), off;

	budget_control_tick(&g->budget, g->away || waits_for_inline(g), may);
	look_for_reader(g);
	off = g->budget.budget.off || g->unread;
	if (off && !g->away && may)
		gaps_leave(g, g->unread ? REC_GAP_LOST : REC_GAP_BUDGET);
	else if (!off && g->away && !chunk_queue_full_since(g->queue))
		gaps_come_back(g);
	else if (!g->away && may && reread_is_due(&g->reread, ring_set_lost(g->rings), now_ns()) &&
		 !chunk_queue_full_since(g->queue))
		read_anew(g, REC_GAP_REREAD);
}

/* --- code in the target --- */

/*
 * The time in which the program is stopped or frozen does not count: none of its threads can be
 * borrowed then.
 */
static bool gaps_wait_for_target(struct gaps *g)
{
	struct error why = {0};

	if (!bpf_inline_is_stopped(g->probes->bpf))
		return false;
	g->inline_until = 0;
	error_set(&why, -EAGAIN, "the program was stopped");
	bpf_inline_failed(g->probes->bpf, &why);
	return true;
}

/*
 * Begins --attach inline, with a launched program as soon as the runtime has a thread that sleeps:
 * only such a thread can be made to map the code.
 */
static void begin_inline(struct gaps *g)
{
	struct error err = {0};
	uint64_t now = now_ns();
	int r;

	if (!g->inline_wanted || g->away || !may_begin(g) || gaps_wait_for_target(g))
		return;
	if (!g->inline_until)
		g->inline_until = now + INLINE_NS;
	r = probes_begin_inline(g->probes, &err);
	if (r)
		bpf_inline_failed(g->probes->bpf, &err);
	else
		budget_control_begin_anew(&g->budget);
	g->inline_wanted = r == -EAGAIN && (now < g->inline_until || gaps_wait_for_target(g));
}

/* --- the thread --- */

static void *gaps_run(void *arg)
{
	struct gaps *g = arg;

	while (wait_tick(g)) {
		bpf_beat(g->probes->bpf);
		states_look_whether_it_fits(g->states);
		begin_inline(g);
		gaps_tick(g);
	}
	return NULL;
}

int gaps_start(struct gaps *g, struct error *err)
{
	int r;

	g->begin = now_ns();
	reread_init(&g->reread, g->begin);
	r = thread_start(&g->thread, gaps_run, g);
	if (r)
		return error_set(err, -r, "cannot start a thread: %s", strerror(r));
	pthread_setname_np(g->thread, "gotap-gaps");
	g->runs = true;
	return 0;
}

void gaps_allow(struct gaps *g)
{
	pthread_mutex_lock(&g->lock);
	g->begun = true;
	pthread_mutex_unlock(&g->lock);
}

void gaps_stop(struct gaps *g)
{
	states_stop(g->states);
	pthread_mutex_lock(&g->lock);
	g->stop = true;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

void gaps_join(struct gaps *g)
{
	if (g->runs)
		pthread_join(g->thread, NULL);
	g->runs = false;
}
