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

/*
 * The bytes of one generation. They are given out without those of the next one, so that the
 * thread gets the same parts each time, whenever it runs.
 */
struct piece {
	struct piece *next;
	size_t n;
	uint8_t data[];
};

struct trace_pipe {
	pthread_t thread;
	trace_pipe_fn *fn;
	void *ctx;
	pthread_mutex_t lock;	/* guards first, last, waiting, ended and gone */
	pthread_cond_t more, less;
	struct piece *first, **last;	/* those that the thread has not taken yet */
	size_t waiting;		/* their bytes */
	bool ended;		/* no more bytes come */
	bool gone;		/* the function has returned */
	uint64_t written;	/* pieces; used by the thread that writes only */
	/* used by the thread only: the piece that it reads now, from taken_at on */
	struct piece *now;
	size_t taken_at;
	uint64_t taken;		/* pieces */
	int ret;		/* of the function */
	struct error err;
};

/* --- the thread --- */

/* Waits for the next piece. False: the trace has ended. */
static bool pipe_take(struct trace_pipe *p)
{
	free(p->now);
	p->taken_at = 0;
	pthread_mutex_lock(&p->lock);
	while (!p->first && !p->ended)
		pthread_cond_wait(&p->more, &p->lock);
	p->now = p->first;
	if (p->now) {
		p->first = p->now->next;
		p->waiting -= p->now->n;
		p->taken++;
	}
	if (!p->first)
		p->last = &p->first;
	pthread_cond_signal(&p->less);
	pthread_mutex_unlock(&p->lock);
	return p->now;
}

int64_t trace_pipe_read(void *pipe, void *buf, size_t n)
{
	struct trace_pipe *p = pipe;

	if ((!p->now || p->taken_at == p->now->n) && !pipe_take(p))
		return 0;
	if (n > p->now->n - p->taken_at)
		n = p->now->n - p->taken_at;
	memcpy(buf, p->now->data + p->taken_at, n);
	p->taken_at += n;
	return (int64_t)n;
}

uint64_t trace_pipe_taken(const struct trace_pipe *p)
{
	return p->taken;
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

static struct piece *piece_new(const struct tracefile_generation *g)
{
	size_t n = g->parts[0].n + g->parts[1].n;
	struct piece *piece = xrealloc(NULL, 1, sizeof(*piece) + n);

	piece->next = NULL;
	piece->n = n;
	if (g->parts[0].n)
		memcpy(piece->data, g->parts[0].data, g->parts[0].n);
	if (g->parts[1].n)
		memcpy(piece->data + g->parts[0].n, g->parts[1].data, g->parts[1].n);
	return piece;
}

static void pipe_add(struct trace_pipe *p, struct piece *piece)
{
	pthread_mutex_lock(&p->lock);
	while (p->waiting > WAITING_MAX && !p->gone)
		pthread_cond_wait(&p->less, &p->lock);
	*p->last = piece;
	p->last = &piece->next;
	p->waiting += piece->n;
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
}

static void pipe_written(void *pipe, const struct tracefile_generation *g)
{
	struct trace_pipe *p = pipe;

	if (!(g->parts[0].n + g->parts[1].n) || trace_pipe_is_gone(p))
		return;
	pipe_add(p, piece_new(g));
	p->written++;
}

void trace_pipe_observe(struct trace_pipe *p, struct observers *to)
{
	static const struct observer_ops ops = { .written = pipe_written };

	observers_add(to, &ops, p);
}

uint64_t trace_pipe_written(const struct trace_pipe *p)
{
	return p->written;
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
	p->last = &p->first;
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

static void pipe_free(struct trace_pipe *p)
{
	struct piece *next;

	for (; p->first; p->first = next) {
		next = p->first->next;
		free(p->first);
	}
	free(p->now);
	free(p);
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
	pipe_free(p);
	return ret;
}
