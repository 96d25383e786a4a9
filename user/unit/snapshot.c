// SPDX-License-Identifier: Apache-2.0
/* snapshot: see snapshot.h. */
#include "unit/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "read/notes.h"
#include "why/place.h"

/* RECENT: ended waits that are kept, each of SHORTEST or longer: others that waited meanwhile */
enum { SNAPSHOT_RECENT = 1024, SNAPSHOT_SHORTEST = 1000000 };

static struct snapshot_wait snapshot_wait_of(const struct span *span)
{
	return (struct snapshot_wait){ span->g->id, span->g->name, span->reason, span->from,
				       span->to, span->stack };
}

static struct snapshot_wait *snapshot_last(struct unit_snapshot *n, const struct goroutine *g)
{
	while (n->last.len <= g->slot)
		vec_push(&n->last, sizeof(struct snapshot_wait));
	return vec_at(&n->last, struct snapshot_wait, g->slot);
}

/* --- who else --- */

static bool snapshot_is_place(struct unit_snapshot *n, uint32_t a, uint32_t b)
{
	const struct stack_set *stacks = spans_stacks(n->s);
	const struct stack_frame *x = place_frame(stacks, a), *y = place_frame(stacks, b);

	return x && y && x->func == y->func && x->line == y->line;
}

static void snapshot_meet(struct unit_snapshot *n, const struct snapshot_wait *w)
{
	size_t i;

	if (w->g == n->wait.g || w->from >= n->wait.to || w->to <= n->wait.from ||
	    w->to - w->from < SNAPSHOT_SHORTEST || !snapshot_is_place(n, w->stack, n->wait.stack))
		return;
	for (i = 0; i < n->n_others && i < SNAPSHOT_OTHERS; i++)
		if (n->others[i] == w->g)
			return;
	if (n->n_others < SNAPSHOT_OTHERS)
		n->others[n->n_others] = w->g;
	n->n_others++;
}

static void snapshot_remember(struct unit_snapshot *n, const struct snapshot_wait *w)
{
	if (w->to - w->from < SNAPSHOT_SHORTEST)
		return;
	if (n->recent.len < SNAPSHOT_RECENT)
		*(struct snapshot_wait *)vec_push(&n->recent, sizeof(*w)) = *w;
	else
		*vec_at(&n->recent, struct snapshot_wait, n->next++ % SNAPSHOT_RECENT) = *w;
}

/* --- the note --- */

/*
 * Returns the goroutine that a note about a trigger names; 0: none. Only waits are meant: a life, a
 * region or a task has a unit of its own.
 */
static uint64_t snapshot_goroutine(const char *category, const char *message)
{
	static const char begin[] = "snapshot: blocked>", is[] = ": goroutine ";
	const char *found;

	if (strcmp(category, NOTES_CATEGORY) || strncmp(message, begin, sizeof(begin) - 1))
		return 0;
	found = strstr(message, is);
	return found ? strtoull(found + sizeof(is) - 1, NULL, 10) : 0;
}

/* The note comes after the fact: the wait goes on, or it was the last long one. */
static void snapshot_choose(struct unit_snapshot *n, const struct goroutine *g, int64_t time)
{
	struct snapshot_wait last = *snapshot_last(n, g), now = snapshot_wait_of(&g->now);

	n->found = g->now.state == GO_WAITING || last.g == g->id;
	n->n_others = 0;
	if (g->now.state == GO_WAITING &&
	    (last.g != g->id || time - now.from > last.to - last.from))
		n->wait = now;
	else
		n->wait = last;
}

static void snapshot_on_log(void *ctx, int64_t time, uint64_t g, uint64_t task,
			    const char *category, const char *message)
{
	struct unit_snapshot *n = ctx;
	const struct goroutine *found =
		spans_goroutine(n->s, snapshot_goroutine(category, message));
	size_t i;

	if (!found)
		return;
	snapshot_choose(n, found, time);
	for (i = 0; n->found && i < n->recent.len; i++)
		snapshot_meet(n, vec_at(&n->recent, struct snapshot_wait, i));
}

static void snapshot_on_span(void *ctx, const struct span *span)
{
	struct unit_snapshot *n = ctx;
	struct snapshot_wait w;

	if (span->state != GO_WAITING || span->gap)
		return;
	w = snapshot_wait_of(span);
	*snapshot_last(n, span->g) = w;
	snapshot_remember(n, &w);
	if (!n->found)
		return;
	if (w.g == n->wait.g && w.from == n->wait.from)
		n->wait = w;
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
						.log = snapshot_on_log, .span = snapshot_on_span });
}

void snapshot_free(struct unit_snapshot *n)
{
	vec_free(&n->last);
	vec_free(&n->recent);
}
