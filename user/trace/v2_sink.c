// SPDX-License-Identifier: Apache-2.0
/* v2_sink: see v2_sink.h. */
#include "trace/v2_sink.h"

#include <stdlib.h>

#include "base/vec.h"

enum { RECENT = 64 };

struct v2_sink {
	struct tracefile *tf;
	const struct observers *observers;
	struct {
		uint64_t thread;
		struct trace_stream *stream;	/* NULL: the entry is unused */
	} recent[RECENT];	/* the threads used last: most events find their stream here */
};

static struct trace_stream *v2_sink_stream(struct v2_sink *v, uint64_t thread)
{
	size_t i = thread % RECENT;

	if (!v->recent[i].stream || v->recent[i].thread != thread) {
		v->recent[i].thread = thread;
		v->recent[i].stream = tracefile_stream(v->tf, thread);
	}
	return v->recent[i].stream;
}

/* Argument @i in the form of the file: the id of a text or stack. */
static uint64_t v2_sink_arg(struct v2_sink *v, struct sink_refs refs, int i, uint64_t arg)
{
	const struct sink_text *text;

	if (refs.stacks >> i & 1)
		return tracefile_stack(v->tf, arg);
	if (!(refs.texts >> i & 1))
		return arg;
	text = sink_arg_text(arg);
	return text->constant ? tracefile_constant(v->tf, text->bytes) :
				tracefile_bytes(v->tf, text->bytes, text->len);
}

static void v2_sink_event(void *ctx, const struct sink_event *e)
{
	struct v2_sink *v = ctx;
	struct sink_refs refs = sink_refs[e->kind];
	uint64_t ids[TRACEV2_MAX_ARGS];
	const uint64_t *args = e->args;
	int i;

	if (refs.texts || refs.stacks) {
		for (i = 0; i < e->nargs; i++)
			ids[i] = v2_sink_arg(v, refs, i, e->args[i]);
		args = ids;
	}
	trace_emit_args(v2_sink_stream(v, e->thread), e->time, e->kind, e->nargs, args);
	if (v->observers->of_events)
		observers_event(v->observers, e);
}

static void v2_sink_cpu_sample(void *ctx, const struct sink_sample *s)
{
	struct v2_sink *v = ctx;

	tracefile_cpu_sample(v->tf, s->time, s->thread, s->p, s->g,
			     tracefile_stack(v->tf, s->stack));
}

static void v2_sink_experiment(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n)
{
	struct v2_sink *v = ctx;

	tracefile_experiment(v->tf, exp, TRACEV2_NO_ID, time, body, n);
}

/* Makes the stream. Batches lie in the file in the order in which streams are made. */
static void v2_sink_thread(void *ctx, uint64_t id)
{
	struct v2_sink *v = ctx;

	tracefile_stream(v->tf, id);
}

/* The stream ends with the generation. A thread that is announced again gets a new stream. */
static void v2_sink_thread_done(void *ctx, uint64_t id)
{
	struct v2_sink *v = ctx;

	tracefile_stream_done(v->tf, id);
	v->recent[id % RECENT].stream = NULL;
	observers_thread_done(v->observers, id);
}

static void v2_sink_gen_begin(void *ctx)
{
	struct v2_sink *v = ctx;

	tracefile_gen_begin(v->tf);
	tracefile_stream(v->tf, TRACEV2_NO_ID);
}

static int v2_sink_gen_end(void *ctx, const struct trace_clock *clock, struct error *err)
{
	struct v2_sink *v = ctx;

	observers_gen_end(v->observers);
	return tracefile_gen_end(v->tf, clock, err);
}

static const struct sink_ops v2_sink_ops = {
	.gen_begin = v2_sink_gen_begin,
	.gen_end = v2_sink_gen_end,
	.thread = v2_sink_thread,
	.thread_done = v2_sink_thread_done,
	.event = v2_sink_event,
	.cpu_sample = v2_sink_cpu_sample,
	.experiment = v2_sink_experiment,
};

int v2_sink_new(struct v2_sink **ret, int fd, const struct tracefile_opts *opts,
		const struct observers *observers, struct error *err)
{
	static const struct observers none;
	struct v2_sink *v = xcalloc(1, sizeof(*v));
	struct tracefile_opts file = *opts;
	int r;

	v->observers = observers ? observers : &none;
	file.written = observers_written;
	file.written_ctx = (void *)v->observers;
	r = tracefile_new(&v->tf, fd, &file, err);
	if (r)
		free(v);
	else
		*ret = v;
	return r;
}

struct sink v2_sink(struct v2_sink *v)
{
	return (struct sink){
		.ops = &v2_sink_ops, .ctx = v, .gen_size = tracefile_gen_size(v->tf)
	};
}

const struct tracefile_counts *v2_sink_counts(const struct v2_sink *v)
{
	return tracefile_counts(v->tf);
}

void v2_sink_free(struct v2_sink *v)
{
	if (!v)
		return;
	tracefile_free(v->tf);
	free(v);
}
