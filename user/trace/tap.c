// SPDX-License-Identifier: Apache-2.0
/* tap: see tap.h. The observer, and gaps. tap_tables.c has the tables, tap_steps.c changes them. */
#include "trace/tap.h"

#include <stdlib.h>

#include "trace/tap_internal.h"

static void tap_go_pass_gap(struct tap *t, struct tap_go *g, uint64_t time,
			    const struct tap_step *s)
{
	tap_go_leave(t, g, time, false);
	g->since = time;
	g->before = true;
	if (g->state != TAP_NONE && t->opts.visitor->enter)
		t->opts.visitor->enter(t->opts.ctx, g, s);
}

/* Marks the end of a gap: the states continue in the trace, but their durations count from here. */
static void tap_pass_gap(struct tap *t, const struct sink_event *e)
{
	const struct tap_step s = { .event = e };
	struct tap_go *g;
	size_t at = 0;

	t->gap = false;
	t->leads = true;
	if (t->opts.visitor->gap)
		t->opts.visitor->gap(t->opts.ctx, e->time);
	while ((g = tap_next(t, &at)))
		tap_go_pass_gap(t, g, e->time, &s);
}

/* --- functions of the observer --- */

static void tap_on_begin(void *ctx, trace_frames_fn *frames, void *frames_ctx)
{
	struct tap *t = ctx;

	t->frames = frames;
	t->frames_ctx = frames_ctx;
}

static void tap_event(void *ctx, const struct sink_event *e)
{
	struct tap *t = ctx;
	struct tap_thread *m = tap_thread_put(t, e->thread);
	const struct tap_step s = { .event = e, .by = m ? m->go : NULL };

	if (e->time > t->time)
		t->time = e->time;
	if (!t->open) {
		t->open = true;
		if (t->gap)
			tap_pass_gap(t, e);
	}
	if (t->opts.visitor->any)
		t->opts.visitor->any(t->opts.ctx, e, m);
	tap_step(t, &s, m);
}

static void tap_text(void *ctx, uint64_t later, const char *bytes, size_t n)
{
	const struct tap *t = ctx;

	if (t->opts.visitor->text)
		t->opts.visitor->text(t->opts.ctx, later, bytes, n);
}

static void tap_gen_end(void *ctx)
{
	struct tap *t = ctx;

	t->open = t->leads = false;
}

static void tap_thread_done(void *ctx, uint64_t thread)
{
	tap_thread_drop(ctx, thread);
}

static void tap_seen(void *ctx, uint64_t time)
{
	struct tap *t = ctx;

	if (!t->open || t->gap)
		return;
	t->leads = false;
	if (time > t->time)
		t->time = time;
	if (t->opts.visitor->seen)
		t->opts.visitor->seen(t->opts.ctx, time);
}

/*
 * A gap begins. All earlier events have come, so the visitor's seen() is called first, with its
 * time.
 */
static void tap_gap(void *ctx, uint64_t time)
{
	struct tap *t = ctx;

	tap_seen(t, time);
	t->gap = true;
}

void tap_observe(struct tap *t, struct observers *to)
{
	static const struct observer_ops ops = {
		.begin = tap_on_begin, .event = tap_event, .text = tap_text,
		.thread_done = tap_thread_done, .gen_end = tap_gen_end, .seen = tap_seen,
		.gap = tap_gap,
	};

	observers_add(to, &ops, t);
}

/* --- functions of tap.h --- */

size_t tap_live(const struct tap *t)
{
	return t->gos.len;
}

uint64_t tap_time(const struct tap *t)
{
	return t->time;
}

size_t tap_frames(const struct tap *t, uint64_t key, struct trace_frame *out, size_t max)
{
	return key && t->frames ? t->frames(t->frames_ctx, key, out, max) : 0;
}

struct tap *tap_new(const struct tap_opts *opts)
{
	struct tap *t = xcalloc(1, sizeof(*t));

	t->opts = *opts;
	return t;
}

void tap_free(struct tap *t)
{
	if (!t)
		return;
	tap_tables_free(t);
	free(t);
}
