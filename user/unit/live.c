// SPDX-License-Identifier: Apache-2.0
/* live: see live.h. */
#include "unit/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "read/raw_source.h"
#include "unit/candidates.h"
#include "unit/choose.h"

struct unit_live {
	pthread_t thread;
	bool started;
	pthread_mutex_t lock;	/* of the next ones */
	pthread_cond_t filled;
	struct buf header, queue;
	size_t taken;		/* bytes of @queue that were read */
	size_t split;		/* a reading ends at this place of @queue; SIZE_MAX: none does */
	uint64_t queued;	/* generations in @queue, also those that were read */
	int64_t anew;		/* when another reading begins, ns; 0: no generation has come */
	bool ended;
	struct unit_live_sample sample;
	/* of the thread alone: */
	int64_t interval, from;
	size_t header_at;
	struct spans *s;
	struct candidates c;
};

/* --- the queue --- */

/* Forgets what is in the queue: the reading ends, and another begins with what comes next. */
static void live_skip(struct unit_live *l)
{
	l->sample.skipped += l->queued;
	l->queue.len = l->taken = l->split = l->queued = 0;
}

static void live_put(struct unit_live *l, const struct tracefile_generation *g)
{
	size_t i, n = g->parts[0].n + g->parts[1].n;

	if (l->queue.len - l->taken + n > LIVE_QUEUE)
		live_skip(l);
	else if ((int64_t)g->to >= l->anew && l->anew && l->split == SIZE_MAX)
		l->split = l->queue.len;
	if (!l->anew || l->split != SIZE_MAX)
		l->anew = (int64_t)g->to + LIVE_ANEW;
	for (i = 0; i < 2; i++)
		buf_add(&l->queue, g->parts[i].data, g->parts[i].n);
	l->queued++;
}

void unit_live_add(struct unit_live *l, const struct tracefile_generation *g)
{
	size_t i;

	pthread_mutex_lock(&l->lock);
	if (g->number)
		live_put(l, g);
	for (i = 0; !g->number && i < 2; i++)
		buf_add(&l->header, g->parts[i].data, g->parts[i].n);
	pthread_cond_signal(&l->filled);
	pthread_mutex_unlock(&l->lock);
}

/* Gives the memory of what was read back. */
static void live_compact(struct unit_live *l)
{
	enum { LEAST = 1 << 20 };

	if (l->split != SIZE_MAX || (l->taken < l->queue.len && l->taken < LEAST))
		return;
	l->queue.len -= l->taken;
	memmove(l->queue.data, l->queue.data + l->taken, l->queue.len);
	l->taken = 0;
	if (!l->queue.len)
		l->queued = 0;
}

static size_t live_limit(const struct unit_live *l)
{
	return l->split < l->queue.len ? l->split : l->queue.len;
}

/* The bytes of a reading: the header, and the queue up to its split or its end. */
static int64_t live_read(void *ctx, void *to, size_t n)
{
	struct unit_live *l = ctx;
	size_t left;

	pthread_mutex_lock(&l->lock);
	left = l->header.len - l->header_at;
	if (left) {
		n = n < left ? n : left;
		memcpy(to, l->header.data + l->header_at, n);
		l->header_at += n;
	} else {
		while (l->taken == live_limit(l) && l->taken != l->split && !l->ended)
			pthread_cond_wait(&l->filled, &l->lock);
		left = live_limit(l) - l->taken;
		n = n < left ? n : left;
		if (n)
			memcpy(to, l->queue.data + l->taken, n);
		l->taken += n;
		live_compact(l);
	}
	pthread_mutex_unlock(&l->lock);
	return (int64_t)n;
}

/* --- intervals --- */

static void live_row(struct unit_live_row *row, const struct unit_list *list)
{
	const struct unit unit = { .kind = list->kind, .root = list->root, .n = 2,
				   .name = list->handler ? list->handler : list->root };
	struct buf name = {0};

	unit_put_name(&unit, &name);
	buf_add_byte(&name, 0);
	snprintf(row->name, sizeof(row->name), "%s", (char *)name.data);
	buf_free(&name);
	row->kind = unit_kind_name(list->kind);
	row->n = list->dist.count;
	row->p50 = dist_quantile(&list->dist, 0.5);
	row->p99 = dist_quantile(&list->dist, 0.99);
	row->max = list->dist.max;
}

/*
 * The interval ends at @to. Lives of which the begin or the end is missing are no units here: they
 * have no rate.
 */
static void live_turn(struct unit_live *l, int64_t to)
{
	struct unit_live_sample sample = { .known = true, .from = l->from, .to = to };
	struct vec *lists = &l->c.lists.lists;
	size_t chosen[UNITS_MOST], i, n;

	n = choose_units(&l->c.lists, to - spans_first(l->s), NULL, chosen);
	for (i = 0; i < n; i++) {
		const struct unit_list *list = vec_at(lists, struct unit_list, chosen[i]);

		if (list->kind != UNIT_LIFE)
			live_row(&sample.rows[sample.n++], list);
	}
	for (i = 0; i < lists->len; i++)
		dist_free(&vec_at(lists, struct unit_list, i)->dist);
	l->from = to;
	pthread_mutex_lock(&l->lock);
	sample.skipped = l->sample.skipped;
	l->sample = sample;
	pthread_mutex_unlock(&l->lock);
}

static void live_begin(void *ctx, int64_t time)
{
	((struct unit_live *)ctx)->from = time;
}

static void live_event(void *ctx, const struct trace_event *ev)
{
	struct unit_live *l = ctx;

	if (ev->time - l->from >= l->interval)
		live_turn(l, ev->time - (ev->time - l->from) % l->interval);
}

/* A part of an interval counts only if there was no whole one. */
static void live_trace_end(void *ctx, int64_t time)
{
	struct unit_live *l = ctx;

	if (time > l->from && !l->sample.known)
		live_turn(l, time);
}

/* --- the thread --- */

/* Reads the queue up to its split or its end. */
static void live_reading(struct unit_live *l)
{
	struct raw_source source;
	struct trace_reader *r;
	struct error err;

	l->header_at = 0;
	l->s = spans_new();
	candidates_init(&l->c, l->s);
	spans_visit(l->s, &(struct spans_visitor){ .ctx = l, .trace_begin = live_begin,
						   .event = live_event,
						   .trace_end = live_trace_end });
	source_open_function(&source, live_read, l);
	r = trace_reader_open_source(&source, &err);
	if (!r || spans_read(l->s, r, &err)) {
		pthread_mutex_lock(&l->lock);
		/* the generation with the fault may have been the last one */
		l->queued += !l->queued;
		live_skip(l);
		pthread_mutex_unlock(&l->lock);
	}
	trace_reader_close(r);
	candidates_free(&l->c);
	spans_free(l->s);
}

/* Waits for a generation. False: none comes. */
static bool live_waits(struct unit_live *l)
{
	bool more;

	pthread_mutex_lock(&l->lock);
	l->split = SIZE_MAX;
	while (l->taken == l->queue.len && !l->ended)
		pthread_cond_wait(&l->filled, &l->lock);
	more = l->taken < l->queue.len;
	pthread_mutex_unlock(&l->lock);
	return more;
}

static void *live_main(void *ctx)
{
	while (live_waits(ctx))
		live_reading(ctx);
	return NULL;
}

struct unit_live *unit_live_new(int64_t interval)
{
	struct unit_live *l = xcalloc(1, sizeof(*l));

	l->interval = interval;
	l->split = SIZE_MAX;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->filled, NULL);
	return l;
}

int unit_live_start(struct unit_live *l, struct error *err)
{
	int e = thread_start(&l->thread, live_main, l);

	l->started = !e;
	return e ? error_set(err, -e, "cannot start a thread: %s", strerror(e)) : 0;
}

void unit_live_sample(struct unit_live *l, struct unit_live_sample *ret)
{
	pthread_mutex_lock(&l->lock);
	*ret = l->sample;
	pthread_mutex_unlock(&l->lock);
}

void unit_live_end(struct unit_live *l)
{
	pthread_mutex_lock(&l->lock);
	l->ended = true;
	pthread_cond_signal(&l->filled);
	pthread_mutex_unlock(&l->lock);
	if (l->started)
		pthread_join(l->thread, NULL);
	l->started = false;
}

void unit_live_free(struct unit_live *l)
{
	if (!l)
		return;
	unit_live_end(l);
	buf_free(&l->header);
	buf_free(&l->queue);
	pthread_cond_destroy(&l->filled);
	pthread_mutex_destroy(&l->lock);
	free(l);
}
