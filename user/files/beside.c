// SPDX-License-Identifier: Apache-2.0
/* beside: see beside.h. */
#include "files/beside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "files/trace_pipe.h"
#include "perfetto/perfetto.h"

struct beside {
	struct trace_pipe *pipe;	/* the Go trace */
	pthread_mutex_t lock;	/* of states */
	struct vec states;	/* struct beside_span: stays that the thread has not taken yet */
	/* gives the stays of threads; NULL: group linux is not recorded */
	struct beside_feed *feed;
	const struct output *out;
	struct perfetto_process process;
	uint64_t bytes;
	struct perfetto *perfetto;	/* used by the thread only; NULL: not open yet */
};

/* --- the thread --- */

/*
 * Stays of threads come at any time. The Perfetto trace begins with the first event of the Go
 * trace.
 */
static void beside_write_states(struct beside *b)
{
	struct vec states;
	size_t i;

	if (!b->perfetto || !perfetto_began(b->perfetto))
		return;
	pthread_mutex_lock(&b->lock);
	states = b->states;
	b->states = (struct vec){0};
	pthread_mutex_unlock(&b->lock);
	for (i = 0; i < states.len; i++) {
		beside_put(b->perfetto, vec_at(&states, struct beside_span, i));
	}
	vec_free(&states);
}

static int64_t beside_read(void *ctx, void *buf, size_t n)
{
	struct beside *b = ctx;

	beside_write_states(b);
	return trace_pipe_read(b->pipe, buf, n);
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
	beside_write_states(b);
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
	*(struct beside_span *)vec_push(&b->states, sizeof(*s)) = *s;
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
	beside_feed_free(b->feed);
	free(b);
	return ret;
}
