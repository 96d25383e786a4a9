// SPDX-License-Identifier: Apache-2.0
/*
 * tally: sums of each live goroutine, which are added to the row of its function. The function is
 * known from the first stack of the goroutine: earlier stays are kept until then. Part of tables.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"
#include "spans/inferred.h"

/* A goroutine with more stays without a stack counts for the row of unknown functions. */
enum { EARLY_MAX = 64, EARLY_PARTS = 4 * EARLY_MAX };

/* --- sums --- */

static int64_t tally_add_up(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static struct waited *waited_of(struct sums *s, uint32_t stay)
{
	uint32_t i;

	for (i = 0; i < s->nwaits; i++)
		if (s->waits[i].stay == stay)
			return &s->waits[i];
	if (s->nwaits == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 2;
		s->waits = xrealloc(s->waits, s->cap, sizeof(*s->waits));
	}
	s->waits[s->nwaits] = (struct waited){ stay, 0 };
	return &s->waits[s->nwaits++];
}

static void sums_add(struct sums *s, uint32_t stay, int64_t ns)
{
	int64_t *sum = stay < STAY_LINUX ? &s->ns[stay] : &waited_of(s, stay)->ns;

	*sum = tally_add_up(*sum, ns);
}

static uint32_t tally_largest(const int64_t ns[SPLITS])
{
	uint32_t i, most = 0;

	for (i = 1; i < SPLITS; i++)
		if (ns[i] > ns[most])
			most = i;
	return most;
}

/*
 * Makes the differences of two sums by state not negative. A difference is negative if a part
 * changed its state in between, as a wait that turned out to be throttled: the new state then has
 * too much, and the old state too little. Moves the excess back.
 */
static void tally_level(int64_t ns[SPLITS])
{
	uint32_t i, most;
	int64_t over;

	for (i = 0; i < SPLITS; i++)
		while (ns[i] < 0 && ns[most = tally_largest(ns)] > 0) {
			over = ns[most] < -ns[i] ? ns[most] : -ns[i];
			ns[most] -= over;
			ns[i] += over;
		}
}

/*
 * The two sums can have the same stays in different orders: parts of the current span come after
 * those of ended spans.
 */
void sums_subtract(struct sums *then, const struct sums *now)
{
	int64_t ns[STAYS] = {0};
	uint32_t i;

	for (i = 0; i < STAY_LINUX; i++)
		then->ns[i] = now->ns[i] - then->ns[i];
	for (i = 0; i < now->nwaits; i++)
		ns[now->waits[i].stay] = now->waits[i].ns;
	for (i = 0; i < then->nwaits; i++)
		ns[then->waits[i].stay] -= then->waits[i].ns;
	tally_level(ns + STAY_LINUX);
	tally_level(ns + STAY_LINUX_CALL);
	then->waits = xrealloc(then->waits, now->nwaits + 1, sizeof(*then->waits));
	for (i = 0; i < now->nwaits; i++)
		then->waits[i] = (struct waited){ now->waits[i].stay, ns[now->waits[i].stay] };
	then->nwaits = then->cap = now->nwaits;
}

int64_t sums_states(const struct sums *s)
{
	int64_t sum = 0;
	uint32_t i;

	for (i = 0; i < STAY_LINUX; i++)
		if (stay_is_state(i))
			sum = tally_add_up(sum, s->ns[i]);
	for (i = 0; i < s->nwaits; i++)
		if (stay_is_state(s->waits[i].stay))
			sum = tally_add_up(sum, s->waits[i].ns);
	return sum;
}

void sums_free(struct sums *s)
{
	free(s->waits);
	*s = (struct sums){0};
}

/* --- spans to stays --- */

/*
 * Returns the time up to which the system call has its P, at most @to: span->from if it has none.
 */
static int64_t p_until(const struct span *span, int64_t to)
{
	if (span->p == TRACEV2_NO_ID)
		return span->from;
	return span->p_until < to ? span->p_until : to;
}

/*
 * Returns the stay for a wait that began before the trace and has no reason: the stay of the reason
 * that its stack implies.
 */
static uint32_t found_stay(struct tables *t, const struct span *span)
{
	uint64_t *known = map64_get(&t->state->found, span->stack);
	uint32_t stay;

	if (known)
		return (uint32_t)*known;
	stay = stay_of_reason(t, inferred_of_span(t->spans, span));
	*map64_put(&t->state->found, span->stack, NULL) = stay;
	return stay;
}

static uint32_t wait_stay(struct tables *t, const struct span *span)
{
	return span->begin.type || *span->reason ? stay_of_reason(t, span->reason) :
						   found_stay(t, span);
}

/* Calls @fn for the stays of @span up to @to. */
static void each_stay(struct tables *t, const struct span *span, int64_t to, stay_fn *fn, void *ctx)
{
	int64_t until;

	switch (span->state) {
	case GO_RUNNING:
		fn(ctx, STAY_RUNNING, span->from, to);
		return;
	case GO_RUNNABLE:
		fn(ctx, STAY_RUNNABLE, span->from, to);
		return;
	case GO_WAITING:
		fn(ctx, wait_stay(t, span), span->from, to);
		return;
	}
	until = p_until(span, to);
	if (span->p != TRACEV2_NO_ID)
		fn(ctx, STAY_SYSCALL, span->from, until);
	if (until < to)
		fn(ctx, STAY_SYSCALL_BLOCKED, until, to);
	fn(ctx, STAY_CALL, span->from, to);
}

static void add_to_sums(void *ctx, uint32_t stay, int64_t from, int64_t to)
{
	sums_add(ctx, stay, to - from);
}

struct sums tally_sums(struct tables *t, const struct goroutine *g, int64_t time)
{
	struct sums ret = tables_tally_of(t, g)->sums;
	size_t bytes = ret.nwaits * sizeof(*ret.waits);

	ret.waits = xcalloc(ret.nwaits + 1, sizeof(*ret.waits));
	ret.cap = ret.nwaits + 1;
	if (bytes)
		memcpy(ret.waits, tables_tally_of(t, g)->sums.waits, bytes);
	if (g->now.to == INT64_MAX) {
		each_stay(t, &g->now, time, add_to_sums, &ret);
		if (t->oncpu)
			linux_add_open(t, g, time, add_to_sums, &ret);
	}
	return ret;
}

/* --- rows --- */

static const enum timeline_row timeline_rows[] = {
	[STAY_RUNNING] = TIMELINE_RUNNING, [STAY_RUNNABLE] = TIMELINE_RUNNABLE,
	[STAY_SYSCALL] = TIMELINE_SYSCALL, [STAY_SYSCALL_BLOCKED] = TIMELINE_SYSCALL_BLOCKED,
};

static void keep_longest(struct tables *t, const struct goroutine *g,
			 const struct function_row *row, const struct early *e)
{
	struct longest *longest = &t->stays[e->stay];
	struct moment m = {
		.from = e->from, .to = e->to, .g = g->id, .function = g->name, .text = "",
		.stack = e->stack, .trace = t->state->trace, .open = e->open,
	};

	if (row->system || (e->open && e->stay >= STAY_WAITS) ||
	    e->stay == STAY_LINUX + SPLIT_ON_CPU || e->stay == STAY_LINUX_CALL + SPLIT_ON_CPU)
		return;
	longest_add(longest, t->options.top, &m);
}

static void tally_add_to_row(struct tables *t, const struct goroutine *g, uint32_t n,
			     const struct early *e)
{
	struct function_row *row = row_at(t, n);
	int64_t ns = e->to - e->from;

	dist_add_of(row_dist(row, e->stay), ns, g->id, e->from, t->state->trace);
	dist_add_sum(row_dist(row, e->stay), e->joined_ns, e->joined);
	if (stay_is_state(e->stay))
		row->states = tally_add_up(row->states, ns);
	if (row->collector && e->stay == STAY_RUNNING)
		timeline_add(the_trace(t)->timeline, TIMELINE_GC, e->from, e->to);
	keep_longest(t, g, row, e);
}

/* Finds the row of the goroutine, and adds the early stays to it. */
static void tally_settle(struct tables *t, const struct goroutine *g, uint32_t stack)
{
	struct tally *tally = tables_tally_of(t, g);
	struct vec *early = tally->early;
	size_t i;

	tally->row = function_row_of(t, g, stack);
	tally->labels = g->labels;
	tally->early = NULL;
	tally->early_len = 0;
	for (i = 0; early && i < early->len; i++)
		tally_add_to_row(t, g, tally->row, vec_at(early, struct early, i));
	if (early)
		vec_free(early);
	free(early);
}

static bool is_settled(const struct tables *t, const struct goroutine *g, const struct tally *tally)
{
	return tally->row && (!t->options.label || tally->labels == g->labels);
}

/*
 * Adds a part to an equal early part, if there are too many of them. Only the sum of such parts is
 * kept: they are not among the longest.
 */
static bool joins_early(struct vec *early, const struct early *e)
{
	size_t i;

	if (early->len < EARLY_PARTS)
		return false;
	for (i = 0; i < early->len; i++) {
		struct early *other = vec_at(early, struct early, i);

		if (other->stay != e->stay)
			continue;
		other->joined_ns = tally_add_up(other->joined_ns, e->to - e->from);
		other->joined++;
		return true;
	}
	return false;
}

static void keep_early(struct tally *tally, const struct early *e)
{
	bool split = stay_is_split(e->stay);

	if (!tally->early)
		tally->early = xcalloc(1, sizeof(*tally->early));
	tally->early_len += !split;
	if (!split || !joins_early(tally->early, e))
		*(struct early *)vec_push(tally->early, sizeof(*e)) = *e;
}

static void tally_add(struct tables *t, const struct goroutine *g, const struct early *e)
{
	struct tally *tally = tables_tally_of(t, g);

	if (!is_settled(t, g, tally)) {
		if (!t->options.label && !g->named &&
		    (tally->early_len < EARLY_MAX || stay_is_split(e->stay))) {
			keep_early(tally, e);
			return;
		}
		tally_settle(t, g, g->now.stack);
	}
	tally_add_to_row(t, g, tally->row, e);
}

/* --- the goroutines with a label alone --- */

static void tally_add_with(struct tables *t, const struct goroutine *g, const struct early *e)
{
	struct tally *tally = tables_tally_of(t, g);

	if (!tally->counts)
		tally->with_from = e->from;
	tally->counts = true;
	if (stay_is_state(e->stay))
		tally->with_ns = tally_add_up(tally->with_ns, e->to - e->from);
	tally_add(t, g, e);
}

/* A stay has ended: adds the part in which the goroutine has the labels. */
static void tally_take_with(struct tables *t, const struct goroutine *g, const struct early *e)
{
	const struct tally *tally = tables_tally_of(t, g);
	struct early part = *e;

	if (!labelled_has(t->options.only, g))
		return;
	if (e->stay == STAY_RUNNING && tally->cut > part.from)
		part.from = tally->cut;
	tally_add_with(t, g, &part);
}

void tally_labels(struct tables *t, const struct goroutine *g, int64_t time)
{
	struct tally *tally = tables_tally_of(t, g);
	const struct span *now = &g->now;
	bool with = labelled_has(t->options.only, g);
	struct early part = { .stay = STAY_RUNNING, .stack = now->stack, .to = time,
			      .from = tally->cut > now->from ? tally->cut : now->from,
			      .open = !now->begin.type };

	if (with == tally->with)
		return;
	if (tally->with && now->state == GO_RUNNING && now->to == INT64_MAX)
		tally_add_with(t, g, &part);
	tally->with = with;
	tally->cut = time;
}

static void tally_end_with(struct tables *t, const struct goroutine *g, bool ended)
{
	const struct tally *tally = tables_tally_of(t, g);
	struct function_row *row;

	if (!tally->counts)
		return;
	if (!tally->row)
		tally_settle(t, g, g->now.stack);
	row = row_at(t, tally->row);
	row->goroutines++;
	row->created += g->created;
	row->ended += ended;
	dist_add_of(&row->life, tally->with_ns, g->id, tally->with_from, t->state->trace);
}

void tally_stay(struct tables *t, const struct goroutine *g, const struct early *e)
{
	sums_add(&tables_tally_of(t, g)->sums, e->stay, e->to - e->from);
	if (!t->options.only)
		tally_add(t, g, e);
	else if (!g->now.gap)
		tally_take_with(t, g, e);
}

struct ended {
	struct tables *t;
	const struct span *span;
};

static void tally_take_stay(void *ctx, uint32_t stay, int64_t from, int64_t to)
{
	const struct ended *e = ctx;
	struct early early = { .stay = stay,
			       .stack = e->span->stack,
			       .from = from,
			       .to = to,
			       .open = span_is_open(e->span) };

	if (stay <= STAY_SYSCALL_BLOCKED)
		timeline_add(the_trace(e->t)->timeline, timeline_rows[stay], from, to);
	tally_stay(e->t, e->span->g, &early);
}

void tally_span(void *ctx, const struct span *span)
{
	struct ended e = { ctx, span };

	each_stay(e.t, span, span->to, tally_take_stay, &e);
	if (e.t->oncpu)
		linux_each_part(e.t, span, span->to, tally_take_stay, &e);
	if (e.t->options.only) {
		tables_tally_of(e.t, span->g)->with = labelled_has(e.t->options.only, span->g);
		tables_tally_of(e.t, span->g)->cut = 0;
	}
}

/* --- goroutines --- */

void tally_begin(struct tables *t, const struct goroutine *g)
{
	struct vec *tallies = &t->state->tallies;

	while (tallies->len <= g->slot)
		vec_push(tallies, sizeof(struct tally));
	*tables_tally_of(t, g) = (struct tally){0};
}

static void tally_end_row(struct tables *t, const struct goroutine *g, int64_t time, bool ended)
{
	struct tally *tally = tables_tally_of(t, g);
	struct function_row *row;

	if (!is_settled(t, g, tally))
		tally_settle(t, g, g->now.stack);
	row = row_at(t, tally->row);
	row->goroutines++;
	row->created += g->created;
	row->ended += ended;
	dist_add_of(&row->life, time - g->since, g->id, g->since, t->state->trace);
}

void tally_end(struct tables *t, const struct goroutine *g, int64_t time, bool ended)
{
	struct tally *tally = tables_tally_of(t, g);

	if (t->options.only)
		tally_end_with(t, g, ended);
	else
		tally_end_row(t, g, time, ended);
	t->unclosed += sums_states(&tally->sums) != time - g->since;
	sums_free(&tally->sums);
	free(tally->split);
	tally->split = NULL;
}
