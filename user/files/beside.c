// SPDX-License-Identifier: Apache-2.0
/* beside: see beside.h. */
#include "files/beside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "files/trace_pipe.h"
#include "perfetto/perfetto.h"

struct state {
	struct beside_span span;
	uint64_t generation;	/* how many had been written when it came */
};

struct beside {
	struct trace_pipe *pipe;	/* the Go trace */
	pthread_mutex_t lock;	/* of states */
	struct vec states;	/* struct state: stays that the thread has not taken yet */
	/* gives the stays of threads; NULL: group linux is not recorded */
	struct beside_feed *feed;
	const struct output *out;
	struct perfetto_process process;
	uint64_t bytes;
	/* used by the thread only */
	struct perfetto *perfetto;	/* NULL: not open yet */
	struct vec held;	/* struct state: stays that are not written yet */
};

/* --- the thread --- */

static void beside_take_states(struct beside *b)
{
	size_t n;

	pthread_mutex_lock(&b->lock);
	n = b->states.len;
	vec_reserve(&b->held, b->held.len + n, sizeof(struct state));
	if (n)
		memcpy(vec_at(&b->held, struct state, b->held.len), b->states.data,
		       n * sizeof(struct state));
	b->held.len += n;
	vec_free(&b->states);
	pthread_mutex_unlock(&b->lock);
}

/*
 * Stays of threads come at any time. The Perfetto trace begins with the first event of the Go
 * trace. Writes those that came before generation @before: the thread has taken a part of that
 * one, so it has all of them, and the order in the Perfetto trace does not depend on when the
 * thread runs.
 */
static void beside_write_states(struct beside *b, uint64_t before)
{
	struct state *held;
	size_t n;

	if (!b->perfetto || !perfetto_began(b->perfetto))
		return;
	beside_take_states(b);
	held = b->held.data;
	for (n = 0; n < b->held.len && held[n].generation < before; n++)
		beside_put(b->perfetto, &held[n].span);
	b->held.len -= n;
	if (n)
		memmove(held, held + n, b->held.len * sizeof(*held));
}

static int64_t beside_read(void *ctx, void *buf, size_t n)
{
	struct beside *b = ctx;
	int64_t ret = trace_pipe_read(b->pipe, buf, n);

	beside_write_states(b, trace_pipe_taken(b->pipe));
	return ret;
}

static int beside_convert(struct beside *b, struct raw_sink *sink, struct error *err)
{
	struct raw_source source;
	struct trace_reader *r;
	int ret;

	source_open_function(&source, beside_read, b);
	r = trace_reader_open_source(&source, err);
	if (!r)
		return err->code;
	b->perfetto = perfetto_new(sink, &b->process);
	ret = perfetto_read(b->perfetto, r, err);
	beside_write_states(b, UINT64_MAX);
	perfetto_free(b->perfetto);
	trace_reader_close(r);
	return ret;
}

static int beside_run(void *ctx, struct trace_pipe *pipe, struct error *err)
{
	struct beside *b = ctx;
	struct raw_sink sink;
	struct error late;
	int ret;

	sink_open(&sink, b->out->fd, b->out->path);
	ret = beside_convert(b, &sink, err);
	if (sink_close(&sink, &late)) {
		*err = late;
		ret = late.code;
	}
	b->bytes = sink.written;
	return ret;
}

/* --- the others --- */

void beside_observe(struct beside *b, struct observers *to)
{
	trace_pipe_observe(b->pipe, to);
}

static void beside_put_state(void *ctx, const struct beside_span *s)
{
	struct beside *b = ctx;

	if (trace_pipe_is_gone(b->pipe))
		return;
	pthread_mutex_lock(&b->lock);
	*(struct state *)vec_push(&b->states, sizeof(struct state)) =
		(struct state){ .span = *s, .generation = trace_pipe_written(b->pipe) };
	pthread_mutex_unlock(&b->lock);
}

void beside_threads(struct beside *b, struct threads *t)
{
	b->feed = beside_feed_new(t, beside_put_state, b);
}

static const char *beside_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int beside_start(struct beside **ret, const struct output *out, const struct capture_info *info,
		 struct error *err)
{
	struct beside *b = xcalloc(1, sizeof(*b));
	int e;

	b->out = out;
	b->process = (struct perfetto_process){ .pid = info->pid,
						.name = beside_name(info->exe) };
	pthread_mutex_init(&b->lock, NULL);
	e = trace_pipe_start(&b->pipe, beside_run, b, err);
	if (e) {
		free(b);
		return e;
	}
	*ret = b;
	return 0;
}

int beside_finish(struct beside *b, uint64_t *bytes, struct error *err)
{
	int ret;

	if (!b)
		return 0;
	ret = trace_pipe_finish(b->pipe, err);
	if (bytes)
		*bytes = b->bytes;
	vec_free(&b->states);
	vec_free(&b->held);
	beside_feed_free(b->feed);
	free(b);
	return ret;
}
