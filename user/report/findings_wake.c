// SPDX-License-Identifier: Apache-2.0
/*
 * findings_wake: goroutines that are woken, do nothing, and wait again at the same place:
 * goroutines that a broadcast wakes although there is work for one, and loops that check again and
 * again whether something has happened.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"

enum { SLEEPERS_MAX = 1 << 14 };

/*
 * Limit, ns, on a run in which a goroutine only checked a condition: with the trap of a probe at
 * each end (docs/measurements.md), and no work.
 */
#define NOTHING_NS 30000
/* Least wake-ups a second, and the least proportion of futile wake-ups. */
#define STORM_RATE 500.0
#define STORM_SHARE 0.7
#define STORM_WAITERS 4
/*
 * A ticker of 1 kHz costs less than a hundredth of a CPU, whatever its purpose. More wake-ups count
 * as a polling loop only if each goroutine sleeps for a short time: a thousand goroutines with a
 * heartbeat each are no loop.
 */
#define POLL_RATE 2000.0
#define POLL_SHARE 0.9
/* Least yields a second: a goroutine that computes and yields now and then yields less often. */
#define YIELD_RATE 20000.0
#define YIELD_SHARE 0.05		/* part of one P */
#define POLL_WAIT 500000		/* ns: limit on the sleep of a polling goroutine */

struct sleeper {
	uint32_t place;
	uint64_t wakes, futile, broadcast;
	/* of the futile wake-ups: @ns ready or running, @ran of them running; both in ns */
	double ns, ran;
	struct vote waker;
	struct few goroutines;
	int64_t from, to;		/* the first wake-up for nothing */
};

struct wakes {
	struct vec sleepers;		/* struct sleeper: goroutines that goroutines wake */
	struct vec pollers;		/* struct sleeper: goroutines that timers wake */
	struct vec yielders;		/* struct sleeper: goroutines that call runtime.Gosched */
	struct map64 sleeper_of, poller_of, yielder_of;
	bool syscalls;			/* the trace has system calls */
};

static void wakes_new(struct findings *f)
{
	struct wakes *w = xcalloc(1, sizeof(*w));

	vec_push(&w->sleepers, sizeof(struct sleeper));
	vec_push(&w->pollers, sizeof(struct sleeper));
	vec_push(&w->yielders, sizeof(struct sleeper));
	f->wakes = w;
}

static void wakes_free(struct findings *f)
{
	struct wakes *w = f->wakes;

	vec_free(&w->sleepers);
	vec_free(&w->pollers);
	vec_free(&w->yielders);
	map64_free(&w->sleeper_of);
	map64_free(&w->poller_of);
	map64_free(&w->yielder_of);
	free(w);
}

/* --- what finding.c shows --- */

static bool can_be_woken(uint8_t why)
{
	return why == WHY_COND || why == WHY_RECEIVE || why == WHY_SELECT || why == WHY_SLEEP;
}

/* The goroutine waits again at the same place: counts how it spent the time since its wake-up. */
static void waits_again(struct findings *f, const struct stay *stay)
{
	struct goroutine_state *state = stay->state;
	const struct span *span = stay->span;
	struct vec *all = state->woken_by_timer ? &f->wakes->pollers : &f->wakes->sleepers;
	bool is_new;
	struct map64 *map = state->woken_by_timer ? &f->wakes->poller_of : &f->wakes->sleeper_of;
	uint32_t number = findings_number(map, all, sizeof(struct sleeper), SLEEPERS_MAX,
					  stay->facts.place, &is_new);
	struct sleeper *s = vec_at(all, struct sleeper, number);

	s->place = number ? stay->facts.place : 0;
	s->wakes++;
	if (state->woken_ran > NOTHING_NS || state->woken_worked ||
	    (state->woken_by_timer && (state->woken_locked || state->woken_waited > POLL_WAIT)))
		return;
	s->futile++;
	s->broadcast += state->woken_broadcast;
	s->ns += (double)(span->from - state->woken_at);
	s->ran += (double)state->woken_ran;
	vote_add(&s->waker, state->woken_from, 1);
	few_add(&s->goroutines, span->g->id);
	if (!s->to) {
		s->from = state->woken_at;
		s->to = span->from;
	}
}

static void is_woken(struct findings *f, const struct stay *stay)
{
	struct goroutine_state *state = stay->state;
	const struct span *span = stay->span;
	struct stack_facts release = findings_stack(f, span->end.stack);

	state->woken_place = stay->facts.place;
	state->woken_why = stay->why;
	state->woken_at = span->to;
	state->woken_ran = 0;
	state->woken_worked = state->woken_locked = false;
	state->woken_waited = span->to - span->from;
	state->woken_by_timer = span->end.g == TRACEV2_NO_ID;
	state->woken_from = release.place;
	state->woken_broadcast = release.traits & STACK_BROADCAST;
}

/*
 * A goroutine that wakes another one has worked, unless it only releases a lock: after a broadcast
 * all woken goroutines want the same lock. For a goroutine that a timer woke, releasing a lock
 * counts as work, too (waits_again()): it may have slept while it held the lock.
 */
static void finding_wake_works(struct findings *f, const struct stay *stay)
{
	struct goroutine *by = stay->span->end.g == TRACEV2_NO_ID ? NULL :
		spans_goroutine(f->spans, stay->span->end.g);

	if (by && stay->why == WHY_LOCK)
		findings_state(f, by)->woken_locked = true;
	else if (by)
		findings_state(f, by)->woken_worked = true;
}

/* The goroutine is ready again after a call of runtime.Gosched: counts the run before it. */
static void finding_wake_yields(struct findings *f, const struct stay *stay)
{
	int64_t ran = stay->state->last_run;
	bool is_new;
	uint32_t number = findings_number(&f->wakes->yielder_of, &f->wakes->yielders,
					  sizeof(struct sleeper), SLEEPERS_MAX, stay->facts.place,
					  &is_new);
	struct sleeper *s = vec_at(&f->wakes->yielders, struct sleeper, number);

	s->place = number ? stay->facts.place : 0;
	s->wakes++;
	if (ran > NOTHING_NS)
		return;
	s->futile++;
	s->ran += (double)ran;
	few_add(&s->goroutines, stay->span->g->id);
	if (!s->to) {
		s->from = stay->span->from - ran;
		s->to = stay->span->to;
	}
}

static void wakes_stay(struct findings *f, const struct stay *stay)
{
	struct goroutine_state *state = stay->state;
	const struct span *span = stay->span;

	if (span->state == GO_RUNNING) {
		state->last_run = span->to - span->from;
		state->woken_ran += state->last_run;
	} else if (span->state == GO_RUNNABLE && !strcmp(span->reason, "runtime.Gosched")) {
		finding_wake_yields(f, stay);
	}
	if (span->state == GO_SYSCALL)
		state->woken_worked = f->wakes->syscalls = true;
	if (span->state != GO_WAITING)
		return;
	finding_wake_works(f, stay);
	if (stay->why == WHY_LOCK)
		return;
	if (state->woken_at && state->woken_place == stay->facts.place &&
	    state->woken_why == stay->why)
		waits_again(f, stay);
	if (can_be_woken(stay->why) && span->end.type)
		is_woken(f, stay);
	else
		state->woken_at = 0;
}

/* --- judgement --- */

static double finding_wake_rate(const struct findings *f, uint64_t n)
{
	return (double)n * 1e9 / findings_wall(f);
}

static void say_storm(struct findings *f, const struct sleeper *s)
{
	struct buf text = { 0 };

	findings_name(f, &text, s->waker.value);
	buf_printf(&text, " wakes all that wait at ");
	findings_name(f, &text, s->place);
	buf_printf(&text,
		   ", and %.0f %% of %.0f wake-ups a second are futile: those that wake look and "
		   "wait again.",
		   100 * (double)s->futile / (double)s->wakes, finding_wake_rate(f, s->wakes));
	f->lost += s->ns;
	findings_add(f,
		     &(struct verdict){ "futile wake-ups", s->ns, s->waker.value,
					&s->goroutines, s->from, s->to },
		     &text);
}

static void say_poll(struct findings *f, const struct sleeper *s)
{
	struct buf text = { 0 };

	findings_name(f, &text, s->place);
	buf_printf(&text,
		   " wakes up %.0f times a second by a timer, and %.0f %% of the times waits again "
		   "after ",
		   finding_wake_rate(f, s->wakes), 100 * (double)s->futile / (double)s->wakes);
	findings_time(&text, s->ran / (double)s->futile);
	buf_printf(&text, ": if it looks whether something has happened, it could wait for that%s.",
		   f->wakes->syscalls ? "" :
					" (whether it makes system calls is not in the trace)");
	f->lost += s->ns;
	findings_add(
		f, &(struct verdict){ "polling", s->ns, s->place, &s->goroutines, s->from, s->to },
		&text);
}

static void say_yield(struct findings *f, const struct sleeper *s)
{
	struct buf text = { 0 };

	findings_name(f, &text, s->place);
	buf_printf(&text,
		   " yields (runtime.Gosched) %.0f times a second, and %.0f %% of the times after ",
		   finding_wake_rate(f, s->wakes), 100 * (double)s->futile / (double)s->wakes);
	findings_time(&text, s->ran / (double)s->futile);
	buf_printf(&text,
		   "; together it runs %.0f %% of the time: if it looks whether something has "
		   "happened, it "
		   "could wait for that.",
		   100 * s->ran / findings_wall(f));
	f->lost += s->ran;
	findings_add(
		f, &(struct verdict){ "polling", s->ran, s->place, &s->goroutines, s->from, s->to },
		&text);
}

static void wakes_judge(struct findings *f)
{
	size_t i;

	for (i = 1; i < f->wakes->yielders.len; i++) {
		const struct sleeper *s = vec_at(&f->wakes->yielders, struct sleeper, i);

		if (finding_wake_rate(f, s->futile) >= YIELD_RATE &&
		    (double)s->futile >= POLL_SHARE * (double)s->wakes &&
		    s->ran >= YIELD_SHARE * findings_wall(f))
			say_yield(f, s);
	}

	for (i = 1; i < f->wakes->sleepers.len; i++) {
		const struct sleeper *s = vec_at(&f->wakes->sleepers, struct sleeper, i);

		if (s->goroutines.n >= STORM_WAITERS &&
		    finding_wake_rate(f, s->futile) >= STORM_RATE &&
		    (double)s->futile >= STORM_SHARE * (double)s->wakes &&
		    (double)s->broadcast >= 0.5 * (double)s->futile)
			say_storm(f, s);
	}
	for (i = 1; i < f->wakes->pollers.len; i++) {
		const struct sleeper *s = vec_at(&f->wakes->pollers, struct sleeper, i);

		if (finding_wake_rate(f, s->futile) >= POLL_RATE &&
		    (double)s->futile >= POLL_SHARE * (double)s->wakes)
			say_poll(f, s);
	}
}

const struct findings_family findings_of_wakes = {
	.new = wakes_new,
	.free = wakes_free,
	.stay = wakes_stay,
	.judge = wakes_judge,
};
