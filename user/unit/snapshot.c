// SPDX-License-Identifier: Apache-2.0
/* snapshot: see snapshot.h. */
#include "unit/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/notes.h"
#include "why/place.h"

/*
 * RECENT: ended stays that are kept, each of SHORTEST or longer; ROUNDING: ns, by which a time of
 * the note differs from that of its event, which has units of 64 ns
 */
enum { SNAPSHOT_RECENT = 1024, SNAPSHOT_SHORTEST = 1000000, SNAPSHOT_ROUNDING = 128 };

static struct snapshot_stay snapshot_stay_of(const struct span *span)
{
	return (struct snapshot_stay){ span->g->id, span->g->name, span->reason, span->from,
				       span->to, span->m, span->stack, span->state };
}

static struct snapshot_stay *snapshot_last(struct unit_snapshot *n, const struct goroutine *g)
{
	while (n->last.len <= g->slot)
		vec_push(&n->last, sizeof(struct snapshot_stay));
	return vec_at(&n->last, struct snapshot_stay, g->slot);
}

/* --- who else --- */

static bool snapshot_is_place(struct unit_snapshot *n, uint32_t a, uint32_t b)
{
	const struct stack_set *stacks = spans_stacks(n->s);
	const struct stack_frame *x = place_frame(stacks, a), *y = place_frame(stacks, b);

	return x && y && x->func == y->func && x->line == y->line;
}

static void snapshot_meet(struct unit_snapshot *n, const struct snapshot_stay *w)
{
	size_t i;

	if (n->stay.state != GO_WAITING || w->state != GO_WAITING || w->g == n->stay.g ||
	    w->from >= n->stay.to || w->to <= n->stay.from ||
	    w->to - w->from < SNAPSHOT_SHORTEST || !snapshot_is_place(n, w->stack, n->stay.stack))
		return;
	for (i = 0; i < n->n_others && i < SNAPSHOT_OTHERS; i++)
		if (n->others[i] == w->g)
			return;
	if (n->n_others < SNAPSHOT_OTHERS)
		n->others[n->n_others] = w->g;
	n->n_others++;
}

static void snapshot_remember(struct unit_snapshot *n, const struct snapshot_stay *w)
{
	if (w->to - w->from < SNAPSHOT_SHORTEST)
		return;
	if (n->recent.len < SNAPSHOT_RECENT)
		*(struct snapshot_stay *)vec_push(&n->recent, sizeof(*w)) = *w;
	else
		*vec_at(&n->recent, struct snapshot_stay, n->next++ % SNAPSHOT_RECENT) = *w;
}

/* --- the note --- */

/* The interval at the end of a note, as flight/flight.c writes it. */
struct snapshot_place {
	uint64_t g, thread;	/* one of them is 0 */
	int64_t from, to;
};

/* Cuts the interval off @message; false: it has none. */
static bool snapshot_cut_place(char *message, struct snapshot_place *ret)
{
	static const char goroutine[] = "; of goroutine ", thread[] = "; of thread ";
	char *at = strstr(message, goroutine);
	uint64_t id;

	*ret = (struct snapshot_place){0};
	if (at && sscanf(at + sizeof(goroutine) - 1, "%" SCNu64 " from %" SCNd64 " to %" SCNd64,
			 &id, &ret->from, &ret->to) == 3)
		ret->g = id;
	else if ((at = strstr(message, thread)) &&
		 sscanf(at + sizeof(thread) - 1, "%" SCNu64 " from %" SCNd64 " to %" SCNd64, &id,
			&ret->from, &ret->to) == 3)
		ret->thread = id;
	else
		return false;
	*at = 0;
	return ret->from < ret->to;
}

/*
 * Returns the goroutine that a note without an interval names, as gotap wrote it before it had
 * them; 0: none. Only waits can be found without times.
 */
static uint64_t snapshot_goroutine(const char *message)
{
	static const char begin[] = "blocked>", is[] = ": goroutine ";
	const char *found;

	if (strncmp(message, begin, sizeof(begin) - 1))
		return 0;
	found = strstr(message, is);
	return found ? strtoull(found + sizeof(is) - 1, NULL, 10) : 0;
}

/* The note comes after the fact: the wait goes on, or it was the last long one. */
static void snapshot_choose_last(struct unit_snapshot *n, const struct goroutine *g, int64_t time)
{
	struct snapshot_stay last = *snapshot_last(n, g), now = snapshot_stay_of(&g->now);

	n->found = g->now.state == GO_WAITING || last.g == g->id;
	if (g->now.state == GO_WAITING &&
	    (last.g != g->id || time - now.from > last.to - last.from))
		n->stay = now;
	else
		n->stay = last;
}

static bool snapshot_is_begin(int64_t from, int64_t want)
{
	return from - want <= SNAPSHOT_ROUNDING && want - from <= SNAPSHOT_ROUNDING;
}

/* Returns the ended stay that begins as @at does, or any one of its goroutine; NULL: none. */
static const struct snapshot_stay *snapshot_find(const struct unit_snapshot *n,
						 const struct snapshot_place *at, bool begins)
{
	size_t i;

	for (i = n->recent.len; i--; ) {
		const struct snapshot_stay *w = vec_at(&n->recent, struct snapshot_stay, i);

		if (w->g == at->g && (!begins || snapshot_is_begin(w->from, at->from)))
			return w;
	}
	return NULL;
}

/* A goroutine may have ended with the interval: it is there until shortly before. */
static void snapshot_choose_part(struct unit_snapshot *n, const struct snapshot_place *at,
				 const char *name, int64_t time)
{
	int64_t to = (at->to < time ? at->to : time) - SNAPSHOT_ROUNDING;

	n->found = to > at->from;
	n->stay = (struct snapshot_stay){ .g = at->g, .name = name, .reason = "", .from = at->from,
					  .to = to, .state = SNAPSHOT_PART };
}

static void snapshot_choose(struct unit_snapshot *n, const struct snapshot_place *at, int64_t time)
{
	const struct goroutine *g = spans_goroutine(n->s, at->g);
	const struct snapshot_stay *ended = snapshot_find(n, at, true);

	if (g && snapshot_is_begin(g->now.from, at->from))
		n->stay = snapshot_stay_of(&g->now);
	else if (ended)
		n->stay = *ended;
	n->found = ended || (g && snapshot_is_begin(g->now.from, at->from));
	if (n->found)
		return;
	ended = snapshot_find(n, at, false);
	snapshot_choose_part(n, at, g ? g->name : ended ? ended->name : "", time);
}

/* The goroutine that ran on the thread for longest in that time. */
static void snapshot_choose_thread(struct unit_snapshot *n, const struct snapshot_place *at,
				   int64_t time)
{
	struct snapshot_place of_g = *at;
	const char *name = "";
	int64_t most = 0;
	size_t i;

	for (i = 0; i < n->recent.len; i++) {
		const struct snapshot_stay *w = vec_at(&n->recent, struct snapshot_stay, i);
		int64_t from = w->from > at->from ? w->from : at->from;
		int64_t to = w->to < at->to ? w->to : at->to;

		if (w->state != GO_RUNNING || w->m != at->thread || to - from <= most)
			continue;
		most = to - from;
		of_g.g = w->g;
		name = w->name;
	}
	if (most)
		snapshot_choose_part(n, &of_g, name, time);
}

static void snapshot_take_note(struct unit_snapshot *n, int64_t time, const char *message)
{
	struct snapshot_place at;
	const struct goroutine *g;

	free(n->said);
	n->said = xstrdup(message);
	n->at = time;
	n->found = false;
	n->n_others = 0;
	if (!snapshot_cut_place(n->said, &at)) {
		g = spans_goroutine(n->s, snapshot_goroutine(message));
		if (g)
			snapshot_choose_last(n, g, time);
	} else if (at.g) {
		snapshot_choose(n, &at, time);
	} else {
		snapshot_choose_thread(n, &at, time);
	}
}

/* Is it the note that the JSON means? It follows its fact, and has 40 bytes of the trigger. */
static bool snapshot_is_meant(const struct unit_snapshot *n, int64_t time, const char *message)
{
	return !n->want || (!n->said && time >= n->want - SNAPSHOT_ROUNDING &&
			    !strncmp(message, n->wanted, strnlen(n->wanted, 40)));
}

static void snapshot_on_log(void *ctx, int64_t time, uint64_t g, uint64_t task,
			    const char *category, const char *message)
{
	static const char begin[] = "snapshot: ";
	struct unit_snapshot *n = ctx;
	size_t i;

	if (strcmp(category, NOTES_CATEGORY) || strncmp(message, begin, sizeof(begin) - 1))
		return;
	if (!snapshot_is_meant(n, time, message + sizeof(begin) - 1))
		return;
	snapshot_take_note(n, time, message + sizeof(begin) - 1);
	for (i = 0; n->found && i < n->recent.len; i++)
		snapshot_meet(n, vec_at(&n->recent, struct snapshot_stay, i));
}

static void snapshot_on_span(void *ctx, const struct span *span)
{
	struct unit_snapshot *n = ctx;
	struct snapshot_stay w;

	if (span->gap)
		return;
	w = snapshot_stay_of(span);
	if (span->state == GO_WAITING)
		*snapshot_last(n, span->g) = w;
	snapshot_remember(n, &w);
	if (!n->found)
		return;
	if (w.g == n->stay.g && w.from == n->stay.from && n->stay.state != SNAPSHOT_PART)
		n->stay = w;
	else
		snapshot_meet(n, &w);
}

static void snapshot_on_trace(void *ctx, int64_t time)
{
	struct unit_snapshot *n = ctx;

	n->last.len = 0;
}

void snapshot_init(struct unit_snapshot *n, struct spans *s)
{
	*n = (struct unit_snapshot){ .s = s };
	spans_visit(s, &(struct spans_visitor){ .ctx = n, .trace_begin = snapshot_on_trace,
						.log = snapshot_on_log, .notes = true,
						.span = snapshot_on_span });
}

void snapshot_free(struct unit_snapshot *n)
{
	free(n->said);
	vec_free(&n->last);
	vec_free(&n->recent);
}
