// SPDX-License-Identifier: Apache-2.0
/* tally: see tally.h. This file has the intervals and the gaps. */
#include "top/tally.h"

#include <stdlib.h>
#include <string.h>

#include "top/tally_internal.h"

/* --- intervals --- */

static void turn_ps(struct tally *t)
{
	size_t i;

	for (i = 0; i < t->procs.made; i++) {
		struct tally_proc *p = (struct tally_proc *)(uintptr_t)t->procs.slots[i].value;

		if (p)
			*p = (struct tally_proc){
				.id = p->id, .m = p->m, .mode = p->mode, .at = t->now
			};
	}
}

static void tally_turn(struct tally *t)
{
	groups_turn(&t->groups);
	top_tally_waits_turn(t);
	if (t->routes)
		top_routes_turn(t->routes);
	turn_ps(t);
	t->from = t->now;
	t->unrecorded = 0;
	t->runnable_max = t->runnable;
	t->gc.since = t->stw.since = t->now;
	t->gc.ns = t->stw.ns = 0;
	t->gc_cycles = t->stw_count = t->stw_longest = 0;
	t->assists = t->assist_ns = 0;
	memset(t->histograms, 0, sizeof(t->histograms));
}

/* Counts all open stays up to @time. */
static void tally_settle_time(struct tally *t, uint64_t time)
{
	size_t i;

	t->now = time;
	for (i = 0; i < t->groups.by_key.made; i++) {
		struct group *g = (struct group *)(uintptr_t)t->groups.by_key.slots[i].value;

		if (g)
			group_settle(g, time);
	}
	top_tally_waits_settle(t, time);
	for (i = 0; i < t->procs.made; i++) {
		struct tally_proc *p = (struct tally_proc *)(uintptr_t)t->procs.slots[i].value;

		if (p)
			top_tally_proc_settle(t, p);
	}
	if (t->gc.on)
		t->gc.ns += time - t->gc.since;
	if (t->stw.on)
		t->stw.ns += time - t->stw.since;
	t->gc.since = t->stw.since = time;
}

/* Leaves the time up to @time, which is in a gap, out of all sums. */
static void tally_skip(struct tally *t, uint64_t time)
{
	size_t i;

	t->unrecorded += time - t->now;
	t->now = time;
	groups_skip(&t->groups, time);
	top_tally_waits_skip(t, time);
	for (i = 0; i < t->procs.made; i++) {
		struct tally_proc *p = (struct tally_proc *)(uintptr_t)t->procs.slots[i].value;

		if (p)
			p->at = time;
	}
	t->gc.since = t->stw.since = time;
}

static void tally_pass(struct tally *t, uint64_t time)
{
	if (t->in_gap)
		tally_skip(t, time);
	else
		tally_settle_time(t, time);
}

static void end_interval(struct tally *t, uint64_t time)
{
	tally_pass(t, time);
	t->number++;
	t->opts.ready(t->opts.ctx, top_tally_sample(t, time));
	tally_turn(t);
}

/* Advances the time to @time, if @time is later, and ends intervals. */
static void tally_go_on(struct tally *t, uint64_t time)
{
	if (time <= t->now)
		return;
	while (time - t->from >= t->opts.interval)
		end_interval(t, t->from + t->opts.interval);
	if (t->in_gap)
		tally_skip(t, time);
	t->now = time;
}

/* All events up to @time have come. */
static void tally_seen(void *ctx, uint64_t time)
{
	struct tally *t = ctx;

	if (t->begun)
		tally_go_on(t, time);
}

/*
 * A gap begins. The model then emits events that block running goroutines and stop Ps: these count
 * as part of the gap.
 */
static void tally_gap(void *ctx, uint64_t time)
{
	struct tally *t = ctx;

	if (!t->begun || t->in_gap)
		return;
	tally_go_on(t, time);
	tally_settle_time(t, t->now);
	if (t->routes)
		top_routes_forget(t->routes);
	t->in_gap = true;
}

void top_tally_finish(struct tally *t, uint64_t time)
{
	tally_seen(t, time);
	if (t->begun && t->now > t->from)
		end_interval(t, t->now);
}

/* --- events --- */

static void tally_trace_begin(struct tally *t, uint64_t time)
{
	t->begun = true;
	t->from = t->now = time;
}

/* The first event after a gap has come, in the next generation. */
static void tally_resume(void *ctx, uint64_t time)
{
	struct tally *t = ctx;

	if (!t->in_gap)
		return;
	tally_go_on(t, time);
	t->in_gap = false;
	t->catching_up = true;
	t->catch_up = t->now;
}

/*
 * Limit, ns, on the distance between two events that set states after a gap: these events follow
 * one another within one unit of the trace's time.
 */
enum { STEP_NS = 512 };

static void look_at_time(struct tally *t, uint64_t time)
{
	if (!t->begun)
		tally_trace_begin(t, time);
	if (t->catching_up && time > t->catch_up + STEP_NS)
		t->catching_up = false;
	if (t->catching_up)
		t->catch_up = time;
	tally_go_on(t, time);
}

static void tally_any(void *ctx, const struct sink_event *e, struct tap_thread *m)
{
	struct tally *t = ctx;

	look_at_time(t, e->time);
	top_tally_event(t, e, m);
	if (t->routes && !t->in_gap)
		top_routes_event(t->routes, e, m && m->go ? m->go->id : 0);
}

static void tally_text(void *ctx, uint64_t later, const char *bytes, size_t n)
{
	struct tally *t = ctx;

	if (t->routes)
		top_routes_text(t->routes, later, bytes, n);
}

static const struct tap_visitor visitor = {
	.any = tally_any,
	.text = tally_text,
	.gap = tally_resume,
	.born = top_tally_born,
	.enter = top_tally_enter,
	.leave = top_tally_leave,
	.gone = top_tally_gone,
	.thread_gone = top_tally_thread_gone,
};

/*
 * Adds the tap before the tally: goroutines leave their states at the begin of a gap before
 * tally_gap() is called.
 */
void top_tally_observe(struct tally *t, struct observers *to)
{
	static const struct observer_ops ops = { .seen = tally_seen, .gap = tally_gap };

	tap_observe(t->tap, to);
	observers_add(to, &ops, t);
}

size_t top_tally_frames(const struct tally *t, uint64_t key, struct trace_frame *out, size_t max)
{
	return tap_frames(t->tap, key, out, max);
}

/* --- */

struct tally *top_tally_new(const struct tally_opts *opts)
{
	struct tally *t = xcalloc(1, sizeof(*t));

	t->opts = *opts;
	t->tap = tap_new(&(struct tap_opts){
		.visitor = &visitor, .ctx = t, .data = sizeof(struct tally_go) });
	t->regions = strset_new();
	reasons_init(&t->reasons);
	t->routes = opts->requests ? top_routes_new() : NULL;
	return t;
}

enum group_by top_tally_by(const struct tally *t)
{
	return t->opts.by;
}

void top_tally_group(struct tally *t, enum group_by by)
{
	struct tap_go *g;
	size_t at = 0;

	t->opts.by = by;
	groups_clear(&t->groups);
	while ((g = tap_next(t->tap, &at))) {
		tally_go_of(g)->group = top_tally_group_of(t, g);
		group_enter(tally_go_of(g)->group, tally_state(g), tally_go_of(g)->reason, t->now);
	}
	tally_turn(t);
}

void top_tally_want_places(struct tally *t, const uint64_t *rows, size_t n)
{
	size_t i;

	t->want_all = n == SIZE_MAX;
	t->wanted.len = 0;
	for (i = 0; !t->want_all && i < n; i++)
		*(uint64_t *)vec_push(&t->wanted, sizeof(*rows)) = rows[i];
}

void top_tally_free(struct tally *t)
{
	struct tap_go *g;
	size_t i, at = 0;

	if (!t)
		return;
	while ((g = tap_next(t->tap, &at)))
		top_tally_go_free(g);
	tap_free(t->tap);
	for (i = 0; i < t->procs.made; i++)
		free((void *)(uintptr_t)t->procs.slots[i].value);
	map64_free(&t->procs);
	groups_clear(&t->groups);
	top_tally_waits_free(t);
	top_routes_free(t->routes);
	top_tally_names_free(t);
	reasons_free(&t->reasons);
	strset_free(t->regions);
	vec_free(&t->wanted);
	free(t);
}
