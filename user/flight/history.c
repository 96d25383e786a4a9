// SPDX-License-Identifier: Apache-2.0
/* history: see history.h. */
#define _GNU_SOURCE
#include "flight/history.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/vec.h"

struct history {
	pthread_mutex_t lock;	/* of the members below */
	uint64_t time;
	size_t size;
	uint8_t header[HISTORY_HEADER];
	size_t header_bytes;
	struct history_generation *first, *last;	/* the history */
	size_t n, bytes;	/* of the history */
	size_t most;
	/* number and bytes of generations that only a snapshot still needs */
	size_t others, others_bytes;
	/* counts up to the end of the last generation that left the history */
	struct history_losses gone;
	bool dropped;		/* a generation has left the history */
	bool hole;		/* the generation after @last could not be added */
};

struct history *history_new(uint64_t time, size_t size)
{
	struct history *s = xcalloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	s->time = time;
	s->size = size;
	return s;
}

/* --- one generation --- */

static void *history_copy(const struct tracefile_generation *g, size_t bytes)
{
	uint8_t *data =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (data == MAP_FAILED)
		return NULL;
	if (g->parts[0].n)
		memcpy(data, g->parts[0].data, g->parts[0].n);
	if (g->parts[1].n)
		memcpy(data + g->parts[0].n, g->parts[1].data, g->parts[1].n);
	return data;
}

static void history_generation_free(struct history_generation *g)
{
	munmap((void *)g->data, g->bytes);
	free(g);
}

/* --- old ones are dropped --- */

static void drop_first(struct history *s)
{
	struct history_generation *g = s->first;

	s->first = g->next;
	if (!s->first)
		s->last = NULL;
	s->n--;
	s->bytes -= g->bytes;
	s->gone = g->losses;
	s->dropped = true;
	g->listed = false;
	g->next = NULL;
	if (!g->users) {
		history_generation_free(g);
		return;
	}
	s->others++;
	s->others_bytes += g->bytes;
}

/* Returns whether the generations after the first one cover the last s->time ns without it. */
static bool is_old(const struct history *s)
{
	return s->first->next->from + s->time <= s->last->to;
}

static bool history_is_too_much(const struct history *s)
{
	return s->bytes > s->size || s->bytes + s->others_bytes > 2 * s->size;
}

static void history_drop_old(struct history *s)
{
	while (s->first != s->last && (is_old(s) || history_is_too_much(s)))
		drop_first(s);
}

/* --- the recording's side --- */

void history_header(struct history *s, const void *data, size_t n)
{
	pthread_mutex_lock(&s->lock);
	s->header_bytes = n < HISTORY_HEADER ? n : HISTORY_HEADER;
	memcpy(s->header, data, s->header_bytes);
	pthread_mutex_unlock(&s->lock);
}

static void history_append(struct history *s, struct history_generation *g)
{
	/* readers cannot go on from a generation before the missing one to one after it */
	if (s->hole)
		while (s->first)
			drop_first(s);
	s->hole = false;
	if (s->last)
		s->last->next = g;
	else
		s->first = g;
	s->last = g;
	s->n++;
	s->bytes += g->bytes;
	if (s->bytes + s->others_bytes > s->most)
		s->most = s->bytes + s->others_bytes;
	history_drop_old(s);
}

int history_add(struct history *s, const struct tracefile_generation *g,
		const struct history_losses *losses, struct error *err)
{
	size_t bytes = g->parts[0].n + g->parts[1].n;
	void *data = bytes ? history_copy(g, bytes) : NULL;
	struct history_generation *new;

	if (!data) {
		pthread_mutex_lock(&s->lock);
		s->hole = true;
		pthread_mutex_unlock(&s->lock);
		return error_set(err, -ENOMEM,
				 "no memory for %zu bytes of the flight recording: what came "
				 "before this moment is gone; give --flight a smaller size",
				 bytes);
	}
	new = xcalloc(1, sizeof(*new));
	*new = (struct history_generation){
		.from = g->from, .to = g->to, .bytes = bytes, .data = data, .listed = true
	};
	if (losses)
		new->losses = *losses;
	pthread_mutex_lock(&s->lock);
	history_append(s, new);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

/* --- the snapshots' side --- */

/*
 * Returns whether @g has a part of [@from, @to]. It counts until the next generation begins:
 * between the two nothing happened, or nothing is known.
 */
static bool is_wanted(const struct history_generation *g, uint64_t from, uint64_t to)
{
	return g->from <= to && (!g->next || g->next->from > from);
}

/*
 * Returns whether @g, which begins after @to, is needed with @last. If @last has no event near @to,
 * only the next generation shows that nothing happened until @to, and has the note about the fact;
 * but not if a gap lies between the two.
 */
static bool is_next(const struct history_generation *last, const struct history_generation *g,
		    uint64_t to)
{
	return last && g->from > to && last->to + HISTORY_ROUNDING_NS < to &&
	       last->losses.unrecorded == g->losses.unrecorded;
}

static void flight_take(struct history_generation *g, struct history_range *ret)
{
	g->users++;
	ret->gens[ret->n++] = g;
}

void history_take(struct history *s, uint64_t from, uint64_t to, struct history_range *ret)
{
	struct history_generation *g, *last = NULL;

	pthread_mutex_lock(&s->lock);
	*ret = (struct history_range){ .gens = xcalloc(s->n + 1, sizeof(*ret->gens)),
				       .before = s->gone,
				       .dropped = s->dropped,
				       .header_bytes = s->header_bytes };
	memcpy(ret->header, s->header, sizeof(ret->header));
	for (g = s->first; g; last = g, g = g->next)
		if (is_wanted(g, from, to) || is_next(last, g, to))
			flight_take(g, ret);
		else if (!ret->n)
			ret->before = g->losses;
	if (!ret->n && s->first) {	/* all generations begin after @to */
		ret->before = s->gone;
		flight_take(s->first, ret);
	}
	pthread_mutex_unlock(&s->lock);
}

static void generation_release(struct history *s, struct history_generation *g)
{
	if (--g->users || g->listed)
		return;
	s->others--;
	s->others_bytes -= g->bytes;
	history_generation_free(g);
}

void history_release(struct history *s, struct history_range *r, size_t i)
{
	struct history_generation *g = take_ptr(r->gens[i]);

	pthread_mutex_lock(&s->lock);
	generation_release(s, g);
	pthread_mutex_unlock(&s->lock);
}

void history_range_free(struct history *s, struct history_range *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->gens[i])
			history_release(s, r, i);
	free(r->gens);
	*r = (struct history_range){0};
}

void history_usage(struct history *s, struct history_usage *ret)
{
	pthread_mutex_lock(&s->lock);
	*ret = (struct history_usage){ .bytes = s->bytes + s->others_bytes,
				       .most = s->most,
				       .generations = s->n + s->others,
				       .from = s->first ? s->first->from : 0,
				       .to = s->last ? s->last->to : 0 };
	pthread_mutex_unlock(&s->lock);
}

void history_free(struct history *s)
{
	if (!s)
		return;
	while (s->first)
		drop_first(s);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
