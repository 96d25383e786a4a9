// SPDX-License-Identifier: Apache-2.0
/* v2_sink: see v2_sink.h. */
#include "trace/v2_sink.h"

#include <stdlib.h>

#include "base/map64.h"
#include "base/vec.h"
#include "trace/stream.h"

enum { RECENT = 64, RECENT_STACKS = 1024, RECENT_TEXTS_SHIFT = 6,
       RECENT_REASONS_SHIFT = 9 };

/* 2^64 / phi: the high bits of a product with it differ also for numbers that lie side by side */
#define V2_SINK_PHI 0x9e3779b97f4a7c15

struct v2_sink {
	struct tracefile *tf;
	const struct observers *observers;
	struct {
		uint64_t thread;
		struct trace_stream *stream;	/* NULL: the entry is unused */
	} recent[RECENT];	/* the threads used last: most events find their stream here */
	/* ids in this generation: of stacks by the last bits of their keys, which are hashes */
	struct {
		uint64_t key, id;
	} stacks[RECENT_STACKS];
	/* ... and of constant texts by their addresses (v2_sink_place()); NULL has id 0 */
	struct {
		const char *text;
		uint64_t id;
	} texts[1 << RECENT_TEXTS_SHIFT];
	/* ... of reasons with the one object that a goroutine waits for, by v2_sink_reason_at() */
	struct v2_sink_reason {
		const char *text;	/* NULL: the entry is unused */
		uint64_t object, id;
		uint8_t kind;
	} reasons[1 << RECENT_REASONS_SHIFT];
	struct map64 later;	/* number of a text that comes later -> its id */
};

/* --- recent ids --- */

/*
 * The place of a constant text among the recent ones: the second of two if another text has the
 * first. The linker chooses the addresses: two texts that most records use may share a place.
 */
static inline size_t v2_sink_place(const struct v2_sink *v, const char *text)
{
	size_t i = (uint64_t)(uintptr_t)text * V2_SINK_PHI >> (64 - RECENT_TEXTS_SHIFT);

	return v->texts[i].text == text || !v->texts[i].text ? i : i ^ 1;
}

/* The place of an object, and whether the reason @text with it is there. */
static inline size_t v2_sink_reason_at(const struct v2_sink *v, const struct trace_wait *object,
				       const struct sink_text *text, bool *there)
{
	size_t i = object->of[0] * V2_SINK_PHI >> (64 - RECENT_REASONS_SHIFT);
	const struct v2_sink_reason *at = &v->reasons[i];

	*there = at->object == object->of[0] && at->text == text->bytes &&
		 at->kind == object->kind && text->constant && object->n == 1;
	return i;
}

/* --- an event of which the thread, a stack or a text is not among the recent ones --- */

static struct trace_stream *v2_sink_stream(struct v2_sink *v, uint64_t thread)
{
	size_t i = thread % RECENT;

	if (!v->recent[i].stream || v->recent[i].thread != thread) {
		v->recent[i].thread = thread;
		v->recent[i].stream = tracefile_stream(v->tf, thread);
	}
	return v->recent[i].stream;
}

static uint64_t v2_sink_stack(struct v2_sink *v, uint64_t key)
{
	size_t i = key % RECENT_STACKS;

	if (v->stacks[i].key != key) {
		v->stacks[i].key = key;
		v->stacks[i].id = tracefile_stack(v->tf, key);
	}
	return v->stacks[i].id;
}

static uint64_t v2_sink_later(struct v2_sink *v, uint64_t number)
{
	bool is_new;
	uint64_t *id = map64_put(&v->later, number, &is_new);

	if (is_new)
		*id = tracefile_later(v->tf);
	return *id;
}

static uint64_t v2_sink_text(struct v2_sink *v, const struct sink_text *text)
{
	size_t i = v2_sink_place(v, text->bytes);

	if (text->later)
		return v2_sink_later(v, text->later);
	if (!text->constant)
		return tracefile_bytes(v->tf, text->bytes, text->len);
	if (v->texts[i].text != text->bytes) {
		v->texts[i].text = text->bytes;
		v->texts[i].id = tracefile_string(v->tf, text->bytes);
	}
	return v->texts[i].id;
}

/*
 * The id of the reason of a GoBlock with an object. A select has several, which the file looks up.
 */
static uint64_t v2_sink_reason(struct v2_sink *v, const struct sink_text *text,
			       const struct trace_wait *object)
{
	bool there;
	struct v2_sink_reason *at = &v->reasons[v2_sink_reason_at(v, object, text, &there)];
	uint64_t id;

	if (there)
		return at->id;
	id = tracefile_reason(v->tf, v2_sink_text(v, text), object);
	if (text->constant && object->n == 1)
		*at = (struct v2_sink_reason){ text->bytes, object->of[0], id, object->kind };
	return id;
}

/* Argument @i in the form of the file: the id of a text or stack. */
static uint64_t v2_sink_arg(struct v2_sink *v, const struct sink_event *e, int i)
{
	if (sink_refs[e->kind].stacks >> i & 1)
		return v2_sink_stack(v, e->args[i]);
	if (!(sink_refs[e->kind].texts >> i & 1))
		return e->args[i];
	return e->object ? v2_sink_reason(v, sink_arg_text(e->args[i]), e->object) :
			   v2_sink_text(v, sink_arg_text(e->args[i]));
}

/* A function of its own, so that v2_sink_event() has no registers to save for it. */
static __attribute__((noinline)) void v2_sink_write_new(struct v2_sink *v,
							const struct sink_event *e)
{
	uint64_t ids[TRACEV2_MAX_ARGS];
	int i;

	/* a status has no reason */
	if (e->object && !sink_refs[e->kind].texts)
		tracefile_waiting(v->tf, e->args[0], e->object);
	for (i = 0; i < e->nargs; i++)
		ids[i] = v2_sink_arg(v, e, i);
	trace_emit_args(v2_sink_stream(v, e->thread), e->time, e->kind, e->nargs, ids);
}

/* --- */

/* *@arg, a stack or a text, becomes its id. False: it is not among the recent ones. */
static inline bool v2_sink_recent_id(const struct v2_sink *v, bool is_stack,
				     const struct trace_wait *object, uint64_t *arg)
{
	const struct sink_text *text;
	size_t place;
	bool there;

	if (is_stack) {
		place = *arg % RECENT_STACKS;
		if (v->stacks[place].key != *arg)
			return false;
		*arg = v->stacks[place].id;
		return true;
	}
	text = sink_arg_text(*arg);
	if (object) {
		*arg = v->reasons[v2_sink_reason_at(v, object, text, &there)].id;
		return there;
	}
	place = v2_sink_place(v, text->bytes);
	if (!text->constant || v->texts[place].text != text->bytes)
		return false;
	*arg = v->texts[place].id;
	return true;
}

/* Writes the event in place. False: it has something new, or its batch has no room. */
static inline bool v2_sink_write_recent(struct v2_sink *v, const struct sink_event *e)
{
	struct trace_stream *stream = v->recent[e->thread % RECENT].stream;
	unsigned int stacks = sink_refs[e->kind].stacks, refs = stacks | sink_refs[e->kind].texts;
	uint64_t time, arg;
	uint8_t *p;
	int i;

	if (!stream || v->recent[e->thread % RECENT].thread != e->thread ||
	    !stream_has_room(stream) || (e->object && !refs))
		return false;
	time = e->time >> stream->time_shift;
	if (time < stream->last)
		return false;
	p = stream_put_head(stream, time, e->kind);
	for (i = 0; i < e->nargs; i++, refs >>= 1, stacks >>= 1) {
		arg = e->args[i];
		if (refs & 1 && !v2_sink_recent_id(v, stacks & 1, e->object, &arg))
			return false;
		p = varint_put(p, arg);
	}
	stream_put_end(stream, time, e->kind, p);
	return true;
}

static void v2_sink_event(void *ctx, const struct sink_event *e)
{
	struct v2_sink *v = ctx;

	if (!v2_sink_write_recent(v, e))
		v2_sink_write_new(v, e);
	if (v->observers->of_events)
		observers_event(v->observers, e);
}

static void v2_sink_cpu_sample(void *ctx, const struct sink_sample *s)
{
	struct v2_sink *v = ctx;

	tracefile_cpu_sample(v->tf, s->time, s->thread, s->p, s->g,
			     v2_sink_stack(v, s->stack));
}

static void v2_sink_socket(void *ctx, const struct trace_socket_time *s)
{
	struct v2_sink *v = ctx;

	tracefile_socket(v->tf, s);
}

static void v2_sink_known(void *ctx, uint64_t later, const char *bytes, size_t n)
{
	struct v2_sink *v = ctx;
	uint64_t *id = map64_get(&v->later, later);

	if (id) {
		tracefile_define(v->tf, *id, bytes, n);
		map64_del(&v->later, later);
	}
	observers_text(v->observers, later, bytes, n);
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

	memset(v->stacks, 0, sizeof(v->stacks));
	memset(v->texts, 0, sizeof(v->texts));
	memset(v->reasons, 0, sizeof(v->reasons));
	map64_clear(&v->later);
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
	.socket = v2_sink_socket,
	.text = v2_sink_known,
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
	map64_free(&v->later);
	free(v);
}
