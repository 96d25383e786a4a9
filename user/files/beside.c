// SPDX-License-Identifier: Apache-2.0
/* beside: see beside.h. */
#include "files/beside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "perfetto/perfetto.h"

/* Bytes of the Go trace that may wait for the thread: some generations. With more, beside_take() waits (docs/losses.md). */
enum { WAITING_MAX = 64 << 20 };

struct beside {
	pthread_t thread;
	pthread_mutex_t lock;	/* of waiting to gone, which the thread shares with others */
	pthread_cond_t more, less;
	struct buf waiting;	/* bytes of the Go trace that the thread has not taken */
	struct vec states;	/* struct beside_span, likewise */
	struct beside_feed *feed;	/* makes the states; NULL: group linux is not recorded */
	bool ended;		/* no more bytes and states come */
	bool gone;		/* the thread takes no more of them */
	const struct output *out;
	struct perfetto_process process;
	int ret;		/* of the thread */
	struct error err;
	uint64_t bytes;
	struct buf taken;	/* of the thread: what it reads now, from taken_at on */
	size_t taken_at;
	struct perfetto *perfetto;	/* NULL: not open yet */
};

/* --- the thread --- */

/* States come at any time, but what is written begins with the first event of the Go trace. */
static void write_states(struct beside *b)
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

/* Waits for bytes and swaps the buffers waiting and taken. False: the Go trace has ended. */
static bool take_waiting(struct beside *b)
{
	struct buf swap;

	pthread_mutex_lock(&b->lock);
	while (!b->waiting.len && !b->ended)
		pthread_cond_wait(&b->more, &b->lock);
	swap = b->taken;
	b->taken = b->waiting;
	b->waiting = swap;
	b->waiting.len = 0;
	b->taken_at = 0;
	pthread_cond_signal(&b->less);
	pthread_mutex_unlock(&b->lock);
	return b->taken.len;
}

static int64_t read_taken(void *ctx, void *buf, size_t n)
{
	struct beside *b = ctx;

	write_states(b);
	if (b->taken_at == b->taken.len && !take_waiting(b))
		return 0;
	if (n > b->taken.len - b->taken_at)
		n = b->taken.len - b->taken_at;
	memcpy(buf, b->taken.data + b->taken_at, n);
	b->taken_at += n;
	return (int64_t)n;
}

static int convert(struct beside *b, struct raw_sink *sink, struct error *err)
{
	struct raw_source source;
	struct trace_reader *r;
	int ret;

	source_open_function(&source, read_taken, b);
	r = trace_reader_open_source(&source, err);
	if (!r)
		return err->code;
	b->perfetto = perfetto_new(sink, &b->process);
	ret = perfetto_read(b->perfetto, r, err);
	write_states(b);
	perfetto_free(b->perfetto);
	trace_reader_close(r);
	return ret;
}

static void *run(void *ctx)
{
	struct beside *b = ctx;
	struct raw_sink sink;
	struct error late;

	sink_open(&sink, b->out->fd, b->out->path);
	b->ret = convert(b, &sink, &b->err);
	if (sink_close(&sink, &late)) {
		b->err = late;
		b->ret = late.code;
	}
	b->bytes = sink.written;
	pthread_mutex_lock(&b->lock);
	b->gone = true;
	pthread_cond_signal(&b->less);
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

/* --- the others --- */

void beside_take(void *ctx, const void *data, size_t n)
{
	struct beside *b = ctx;

	pthread_mutex_lock(&b->lock);
	while (b->waiting.len > WAITING_MAX && !b->gone)
		pthread_cond_wait(&b->less, &b->lock);
	if (!b->gone)
		buf_add(&b->waiting, data, n);
	pthread_cond_signal(&b->more);
	pthread_mutex_unlock(&b->lock);
}

static void put_state(void *ctx, const struct beside_span *s)
{
	struct beside *b = ctx;

	pthread_mutex_lock(&b->lock);
	if (!b->gone)
		*(struct beside_span *)vec_push(&b->states, sizeof(*s)) = *s;
	pthread_mutex_unlock(&b->lock);
}

void beside_threads(struct beside *b, struct threads *t)
{
	b->feed = beside_feed_new(t, put_state, b);
}

static const char *name_of(const char *path)
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
	b->process = (struct perfetto_process){ info->pid, name_of(info->exe) };
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->more, NULL);
	pthread_cond_init(&b->less, NULL);
	e = thread_start(&b->thread, run, b);
	if (e) {
		free(b);
		return error_set(err, -e, "cannot start a thread: %s", strerror(e));
	}
	*ret = b;
	return 0;
}

int beside_finish(struct beside *b, uint64_t *bytes, struct error *err)
{
	int ret;

	if (!b)
		return 0;
	pthread_mutex_lock(&b->lock);
	b->ended = true;
	pthread_cond_signal(&b->more);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	ret = b->ret;
	if (ret)
		*err = b->err;
	if (bytes)
		*bytes = b->bytes;
	buf_free(&b->waiting);
	buf_free(&b->taken);
	vec_free(&b->states);
	beside_feed_free(b->feed);
	free(b);
	return ret;
}
