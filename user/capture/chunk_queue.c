// SPDX-License-Identifier: Apache-2.0
/* chunk_queue: see chunk_queue.h. */
#define _GNU_SOURCE
#include "capture/chunk_queue.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

/* for vec_lately(): the memory for a burst of records is kept for some seconds */
enum { MOST_SHIFT = 8 };

void chunk_queue_init(struct chunk_queue *q)
{
	pthread_condattr_t attr;
	size_t i;

	*q = (struct chunk_queue){0};
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->changed, &attr);
	pthread_condattr_destroy(&attr);
	for (i = 0; i < QUEUE_CHUNKS; i++)
		q->free_list[q->n_free++] = &q->chunks[i];
}

void chunk_queue_free(struct chunk_queue *q)
{
	size_t i;

	for (i = 0; i < QUEUE_CHUNKS; i++)
		chunk_free(&q->chunks[i]);
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
}

/*
 * Returns whether the queue takes a chunk as long as the longest one lately. A queue that was full
 * takes none until half of it is free again; an empty queue takes any chunk.
 */
static bool has_room(const struct chunk_queue *q)
{
	if (!q->n_queued)
		return q->n_free;
	if (q->full_since)
		return q->n_free >= QUEUE_CHUNKS / 2 && q->bytes <= QUEUE_BYTES / 2;
	return q->n_free && q->bytes + q->most <= QUEUE_BYTES;
}

static struct chunk *take_free(struct chunk_queue *q)
{
	struct chunk *c = q->free_list[--q->n_free];

	q->full_since = 0;
	return c;
}

struct chunk *chunk_queue_room(struct chunk_queue *q)
{
	struct chunk *c = NULL;

	pthread_mutex_lock(&q->lock);
	if (has_room(q))
		c = take_free(q);
	else if (!q->full_since)
		q->full_since = now_ns();
	pthread_mutex_unlock(&q->lock);
	return c;
}

uint64_t chunk_queue_full_since(struct chunk_queue *q)
{
	uint64_t since;

	pthread_mutex_lock(&q->lock);
	since = q->full_since;
	pthread_mutex_unlock(&q->lock);
	return since;
}

void chunk_queue_put(struct chunk_queue *q, struct chunk *c, bool last)
{
	pthread_mutex_lock(&q->lock);
	assert(!q->done && q->n_queued < QUEUE_CHUNKS);
	q->queue[(q->head + q->n_queued++) % QUEUE_CHUNKS] = c;
	q->bytes += c->data.len;
	if (!q->since)
		__atomic_store_n(&q->since, now_ns(), __ATOMIC_RELAXED);
	q->done = last;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

struct chunk_queue_load chunk_queue_load(const struct chunk_queue *q)
{
	return (struct chunk_queue_load){
		.chunks = __atomic_load_n(&q->n_queued, __ATOMIC_RELAXED),
		.bytes = __atomic_load_n(&q->bytes, __ATOMIC_RELAXED),
		.since = __atomic_load_n(&q->since, __ATOMIC_RELAXED),
	};
}

/*
 * Moves the segments that stay to the front of the chunk. Returns the bytes of the records that are
 * dropped.
 */
static size_t chunk_queue_thin_one(struct chunk *c, bool (*drops)(uint32_t cpu))
{
	size_t from = 0, to = 0, dropped = 0, n;
	struct segment s;

	for (; from < c->data.len; from += n) {
		memcpy(&s, c->data.data + from, sizeof(s));
		n = sizeof(s) + s.len;
		if (drops(s.cpu)) {
			dropped += s.len;
			continue;
		}
		memmove(c->data.data + to, c->data.data + from, n);
		to += n;
	}
	c->data.len = to;
	return dropped;
}

size_t chunk_queue_thin(struct chunk_queue *q, bool (*drops)(uint32_t cpu))
{
	size_t i, dropped = 0;

	pthread_mutex_lock(&q->lock);
	for (i = 0; i < q->n_queued; i++)
		dropped += chunk_queue_thin_one(q->queue[(q->head + i) % QUEUE_CHUNKS], drops);
	for (q->bytes = 0, i = 0; i < q->n_queued; i++)
		q->bytes += q->queue[(q->head + i) % QUEUE_CHUNKS]->data.len;
	pthread_mutex_unlock(&q->lock);
	return dropped;
}

/*
 * Frees the memory of the chunk that has QUEUE_WARM others after it on the free list. The last one
 * of the list is used next, so that this one is used rarely. Those after it keep @most bytes.
 */
static void queue_cool(struct chunk_queue *q, size_t most)
{
	size_t i = q->n_free > QUEUE_WARM ? q->n_free - QUEUE_WARM : 0;

	if (i)
		chunk_free(q->free_list[i - 1]);
	for (; i < q->n_free; i++)
		buf_fit(&q->free_list[i]->data, most);
}

static void queue_give_back(struct chunk_queue *q)
{
	struct chunk *c = q->taken;
	size_t most;

	if (!c)
		return;
	assert(q->n_free < QUEUE_CHUNKS);
	most = vec_lately(&q->most, c->data.len, MOST_SHIFT);
	q->free_list[q->n_free++] = c;
	queue_cool(q, most < QUEUE_WARM_BYTES ? most : QUEUE_WARM_BYTES);
	q->taken = NULL;
	pthread_cond_broadcast(&q->changed);
}

static struct chunk *take_next(struct chunk_queue *q)
{
	q->taken = q->queue[q->head];
	q->head = (q->head + 1) % QUEUE_CHUNKS;
	q->n_queued--;
	assert(q->bytes >= q->taken->data.len);
	q->bytes -= q->taken->data.len;
	__atomic_store_n(&q->since, q->n_queued ? now_ns() : 0, __ATOMIC_RELAXED);
	return q->taken;
}

static struct timespec queue_after(int timeout_ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += (long)timeout_ms % 1000 * 1000000;
	t.tv_sec += timeout_ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

int chunk_queue_next(struct chunk_queue *q, int timeout_ms, struct chunk **c)
{
	struct timespec until = queue_after(timeout_ms);
	int r = 0;

	pthread_mutex_lock(&q->lock);
	queue_give_back(q);
	while (!q->n_queued && !q->done && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&q->changed, &q->lock, &until);
	if (q->n_queued) {
		*c = take_next(q);
		r = 1;
	} else {
		r = q->done ? -ENODATA : 0;
	}
	pthread_mutex_unlock(&q->lock);
	return r;
}
