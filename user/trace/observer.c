// SPDX-License-Identifier: Apache-2.0
/* observer: see observer.h. */
#include "trace/observer.h"

#include <assert.h>

/* Calls function @name of each observer of @o that has it. */
#define OBSERVERS_EACH(o, name, ...)                                                     \
	do {                                                                             \
		size_t i_;                                                               \
		for (i_ = 0; i_ < (o)->n; i_++)                                          \
			if ((o)->list[i_].ops->name)                                     \
				(o)->list[i_].ops->name((o)->list[i_].ctx, ##__VA_ARGS__); \
	} while (0)

void observers_add(struct observers *o, const struct observer_ops *ops, void *ctx)
{
	assert(o->n < OBSERVERS_MAX);
	o->list[o->n++] = (struct observer){ ops, ctx };
	o->of_events += ops->event != NULL;
}

void observers_begin(const struct observers *o, trace_frames_fn *frames, void *frames_ctx)
{
	OBSERVERS_EACH(o, begin, frames, frames_ctx);
}

void observers_event(const struct observers *o, const struct sink_event *e)
{
	OBSERVERS_EACH(o, event, e);
}

void observers_text(const struct observers *o, uint64_t later, const char *bytes, size_t n)
{
	OBSERVERS_EACH(o, text, later, bytes, n);
}

void observers_thread_done(const struct observers *o, uint64_t thread)
{
	OBSERVERS_EACH(o, thread_done, thread);
}

void observers_gen_end(const struct observers *o)
{
	OBSERVERS_EACH(o, gen_end);
}

void observers_written(void *observers, const struct tracefile_generation *g)
{
	const struct observers *o = observers;

	OBSERVERS_EACH(o, written, g);
}

void observers_seen(const struct observers *o, uint64_t time)
{
	OBSERVERS_EACH(o, seen, time);
}

void observers_gap(const struct observers *o, uint64_t time)
{
	OBSERVERS_EACH(o, gap, time);
}

void observers_dies(const struct observers *o, const struct rec_user *r)
{
	OBSERVERS_EACH(o, dies, r);
}

/* --- the sink of a recording that is not written --- */

static void observers_gen_begin(void *ctx)
{
}

static int observers_sink_gen_end(void *ctx, const struct trace_clock *clock, struct error *err)
{
	observers_gen_end(ctx);
	return 0;
}

static void observers_thread(void *ctx, uint64_t thread)
{
}

static void observers_sink_thread_done(void *ctx, uint64_t thread)
{
	observers_thread_done(ctx, thread);
}

static void observers_sink_event(void *ctx, const struct sink_event *e)
{
	observers_event(ctx, e);
}

static void observers_cpu_sample(void *ctx, const struct sink_sample *sample)
{
}

static void observers_sink_text(void *ctx, uint64_t later, const char *bytes, size_t n)
{
	observers_text(ctx, later, bytes, n);
}

static void observers_experiment(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n)
{
}

struct sink observers_sink(const struct observers *o)
{
	static const struct sink_ops ops = {
		.gen_begin = observers_gen_begin,
		.gen_end = observers_sink_gen_end,
		.thread = observers_thread,
		.thread_done = observers_sink_thread_done,
		.event = observers_sink_event,
		.cpu_sample = observers_cpu_sample,
		.text = observers_sink_text,
		.experiment = observers_experiment,
	};

	return (struct sink){ .ops = &ops, .ctx = (void *)o };
}
