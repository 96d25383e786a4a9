// SPDX-License-Identifier: Apache-2.0
/* v2_sink: see v2_sink.h. */
#include "trace/v2_sink.h"

#include <stdlib.h>

#include "base/vec.h"

enum { RECENT = 64 };

struct v2_sink {
	struct tracefile *tf;
	struct {
		uint64_t thread;
		struct trace_stream *stream;	/* NULL: none is here */
	} recent[RECENT];	/* those used last, by thread: most events find theirs here */
};

static struct trace_stream *stream_of(struct v2_sink *v, uint64_t thread)
{
	size_t i = thread % RECENT;

	if (!v->recent[i].stream || v->recent[i].thread != thread) {
		v->recent[i].thread = thread;
		v->recent[i].stream = tracefile_stream(v->tf, thread);
	}
	return v->recent[i].stream;
}

static uint64_t text_id(struct v2_sink *v, const struct sink_text *t)
{
	if (t->constant)
		return tracefile_constant(v->tf, t->bytes);
	return tracefile_bytes(v->tf, t->bytes, t->len);
}

/* Argument @i as the file has it: an id in place of a text or a key. */
static uint64_t arg_in_file(struct v2_sink *v, struct sink_refs refs, int i, uint64_t arg)
{
	if (refs.texts >> i & 1)
		return text_id(v, sink_arg_text(arg));
	if (refs.stacks >> i & 1)
		return tracefile_stack(v->tf, arg);
	return arg;
}

static void event(void *ctx, const struct sink_event *e)
{
	struct v2_sink *v = ctx;
	struct trace_stream *stream = stream_of(v, e->thread);
	struct sink_refs refs = sink_refs[e->kind];
	uint64_t args[TRACEV2_MAX_ARGS];
	int i;

	if (!refs.texts && !refs.stacks) {
		trace_emit_args(stream, e->time, e->kind, e->nargs, e->args);
		return;
	}
	for (i = 0; i < e->nargs; i++)
		args[i] = arg_in_file(v, refs, i, e->args[i]);
	trace_emit_args(stream, e->time, e->kind, e->nargs, args);
}

static void cpu_sample(void *ctx, const struct sink_sample *s)
{
	struct v2_sink *v = ctx;

	tracefile_cpu_sample(v->tf, s->time, s->thread, s->p, s->g, tracefile_stack(v->tf, s->stack));
}

static void experiment(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n)
{
	struct v2_sink *v = ctx;

	tracefile_experiment(v->tf, exp, TRACEV2_NO_ID, time, body, n);
}

/* The order in which streams are made is that of their batches in the file. */
static void thread(void *ctx, uint64_t id)
{
	struct v2_sink *v = ctx;

	tracefile_stream(v->tf, id);
}

/* The stream goes with the generation, and is another one if the thread comes back. */
static void thread_done(void *ctx, uint64_t id)
{
	struct v2_sink *v = ctx;

	tracefile_stream_done(v->tf, id);
	v->recent[id % RECENT].stream = NULL;
}

static void gen_begin(void *ctx)
{
	struct v2_sink *v = ctx;

	tracefile_gen_begin(v->tf);
	tracefile_stream(v->tf, TRACEV2_NO_ID);
}

static int gen_end(void *ctx, const struct trace_clock *clock, struct error *err)
{
	struct v2_sink *v = ctx;

	return tracefile_gen_end(v->tf, clock, err);
}

static size_t gen_size(const void *ctx)
{
	const struct v2_sink *v = ctx;

	return tracefile_gen_size(v->tf);
}

static const struct sink_ops ops = {
	.gen_begin = gen_begin,
	.gen_end = gen_end,
	.gen_size = gen_size,
	.thread = thread,
	.thread_done = thread_done,
	.event = event,
	.cpu_sample = cpu_sample,
	.experiment = experiment,
};

int v2_sink_new(struct v2_sink **ret, int fd, const struct tracefile_opts *opts,
		struct error *err)
{
	struct v2_sink *v = xcalloc(1, sizeof(*v));
	int r = tracefile_new(&v->tf, fd, opts, err);

	if (r)
		free(v);
	else
		*ret = v;
	return r;
}

struct sink v2_sink(struct v2_sink *v)
{
	return (struct sink){ &ops, v };
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
