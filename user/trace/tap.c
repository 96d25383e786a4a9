// SPDX-License-Identifier: Apache-2.0
/* tap: see tap.h. The sink in front of another one, and the gaps. tap_tables.c has what is known, tap_steps.c changes it. */
#include "trace/tap.h"

#include <stdlib.h>

#include "trace/tap_internal.h"

/* --- the sink --- */

static void go_pass_gap(struct tap *t, struct tap_go *g, uint64_t time, const struct tap_step *s)
{
	tap_go_leave(t, g, time, false);
	g->since = time;
	g->before = true;
	if (g->state != TAP_NONE && t->opts.visitor->enter)
		t->opts.visitor->enter(t->opts.ctx, g, s);
}

/* States hold on in what the trace says; how long they have lasted counts anew. */
static void pass_gap(struct tap *t, const struct sink_event *e)
{
	const struct tap_step s = { .event = e };
	struct tap_go *g;
	size_t at = 0;

	t->gap = false;
	t->leads = true;
	if (t->opts.visitor->gap)
		t->opts.visitor->gap(t->opts.ctx, e->time);
	while ((g = tap_next(t, &at)))
		go_pass_gap(t, g, e->time, &s);
}

static void on_event(void *ctx, const struct sink_event *e)
{
	struct tap *t = ctx;
	struct tap_thread *m = tap_thread_put(t, e->thread);
	const struct tap_step s = { .event = e, .by = m ? m->go : NULL };

	sink_front_event(&t->front, e);
	if (e->time > t->time)
		t->time = e->time;
	if (!t->open) {
		t->open = true;
		if (t->gap)
			pass_gap(t, e);
	}
	if (t->opts.visitor->any)
		t->opts.visitor->any(t->opts.ctx, e, m);
	tap_step(t, &s, m);
}

static int on_gen_end(void *ctx, const struct trace_clock *clock, struct error *err)
{
	struct tap *t = ctx;

	t->open = t->leads = false;
	return sink_front_gen_end(&t->front, clock, err);
}

static void on_thread_done(void *ctx, uint64_t thread)
{
	struct tap *t = ctx;

	tap_thread_drop(t, thread);
	sink_front_thread_done(&t->front, thread);
}

static const struct sink_ops ops = {
	.gen_begin = sink_front_gen_begin,
	.gen_end = on_gen_end,
	.gen_size = sink_front_gen_size,
	.thread = sink_front_thread,
	.thread_done = on_thread_done,
	.event = on_event,
	.cpu_sample = sink_front_cpu_sample,
	.experiment = sink_front_experiment,
};

/* --- the others --- */

struct sink tap_wrap(void *tap, struct sink to, trace_frames_fn *frames, void *frames_ctx)
{
	struct tap *t = tap;

	t->front.to = to;
	t->frames = frames;
	t->frames_ctx = frames_ctx;
	return (struct sink){ &ops, t };
}

void tap_seen(void *tap, uint64_t time)
{
	struct tap *t = tap;

	if (!t->open || t->gap)
		return;
	t->leads = false;
	if (time > t->time)
		t->time = time;
	if (t->opts.visitor->seen)
		t->opts.visitor->seen(t->opts.ctx, time);
}

/* All events before the gap have come: calls seen() with the time of its begin before it begins. */
void tap_gap(void *tap, uint64_t time)
{
	tap_seen(tap, time);
	((struct tap *)tap)->gap = true;
}

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
