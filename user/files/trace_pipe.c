// SPDX-License-Identifier: Apache-2.0
/* trace_pipe: see trace_pipe.h. */
#include "files/trace_pipe.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"

/* The most bytes that may wait for the thread: some generations. */
enum { WAITING_MAX = 64 << 20 };

struct trace_pipe {
	pthread_t thread;
	trace_pipe_fn *fn;
	void *ctx;
	pthread_mutex_t lock;	/* guards waiting, ended and gone */
	pthread_cond_t more, less;
	struct buf waiting;	/* bytes that the thread has not taken yet */
	bool ended;		/* no more bytes come */
	bool gone;		/* the function has returned */
	/* used by the thread only: the bytes that it reads now, from taken_at on */
	struct buf taken;
	size_t taken_at;
	int ret;		/* of the function */
	struct error err;
};

/* --- the thread --- */

/* Waits for bytes and swaps the buffers waiting and taken. False: the trace has ended. */
static bool pipe_take(struct trace_pipe *p)
{
	struct buf swap;

	pthread_mutex_lock(&p->lock);
	while (!p->waiting.len && !p->ended)
		pthread_cond_wait(&p->more, &p->lock);
	swap = p->taken;
	p->taken = p->waiting;
	p->waiting = swap;
	p->waiting.len = 0;
	p->taken_at = 0;
	pthread_cond_signal(&p->less);
	pthread_mutex_unlock(&p->lock);
	return p->taken.len;
}

int64_t trace_pipe_read(void *pipe, void *buf, size_t n)
{
	struct trace_pipe *p = pipe;

	if (p->taken_at == p->taken.len && !pipe_take(p))
		return 0;
	if (n > p->taken.len - p->taken_at)
		n = p->taken.len - p->taken_at;
	memcpy(buf, p->taken.data + p->taken_at, n);
	p->taken_at += n;
	return (int64_t)n;
}

static void *pipe_run(void *pipe)
{
	struct trace_pipe *p = pipe;

	p->ret = p->fn(p->ctx, p, &p->err);
	pthread_mutex_lock(&p->lock);
	p->gone = true;
	pthread_cond_signal(&p->less);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* --- the others --- */

static void pipe_add(struct trace_pipe *p, const void *data, size_t n)
{
	pthread_mutex_lock(&p->lock);
	while (p->waiting.len > WAITING_MAX && !p->gone)
		pthread_cond_wait(&p->less, &p->lock);
	if (!p->gone)
		buf_add(&p->waiting, data, n);
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
}

static void pipe_written(void *pipe, const struct tracefile_generation *g)
{
	pipe_add(pipe, g->parts[0].data, g->parts[0].n);
	pipe_add(pipe, g->parts[1].data, g->parts[1].n);
}

void trace_pipe_observe(struct trace_pipe *p, struct observers *to)
{
	static const struct observer_ops ops = { .written = pipe_written };

	observers_add(to, &ops, p);
}

bool trace_pipe_is_gone(struct trace_pipe *p)
{
	bool gone;

	pthread_mutex_lock(&p->lock);
	gone = p->gone;
	pthread_mutex_unlock(&p->lock);
	return gone;
}

int trace_pipe_start(struct trace_pipe **ret, trace_pipe_fn *fn, void *ctx, struct error *err)
{
	struct trace_pipe *p = xcalloc(1, sizeof(*p));
	int e;

	p->fn = fn;
	p->ctx = ctx;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	pthread_cond_init(&p->less, NULL);
	*ret = p;	/* the function may wait for the end */
	e = thread_start(&p->thread, pipe_run, p);
	if (!e)
		return 0;
	free(p);
	*ret = NULL;
	return error_set(err, -e, "cannot start a thread: %s", strerror(e));
}

int trace_pipe_finish(struct trace_pipe *p, struct error *err)
{
	int ret;

	pthread_mutex_lock(&p->lock);
	p->ended = true;
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	ret = p->ret;
	if (ret)
		*err = p->err;
	buf_free(&p->waiting);
	buf_free(&p->taken);
	free(p);
	return ret;
}
