// SPDX-License-Identifier: Apache-2.0
/*
 * diff_rank: sorts the changes that diff.c found. If the goroutines that end a wait have changed,
 * the longer wait follows from that change: the cause comes first. Changes that only divide the
 * same running time in another way are removed. diff_judge() calls diff_rank() last.
 */
#include <stdlib.h>
#include <string.h>

#include "report/diff.h"

enum { FOLLOW_MAX = 1000 };	/* limit on changes that are compared with one another */

/*
 * Does the row begin a chain of causes: is it no wait, or a wait that no goroutine of the program
 * ends (a timer, the network poller)?
 */
static bool is_root(const struct diff_row *row)
{
	return row->kind != DIFF_WAIT || row->self_ns + row->other_ns <= 0 ||
	       (row->waker && !*row->waker && row->self_ns < row->other_ns);
}

/*
 * Do goroutines of function @name end waits of @c? A twentieth of the time is enough: goroutines
 * that pass on a lock end most of one another's waits.
 */
static bool diff_rank_ends(const char *name, const struct diff_change *c)
{
	const struct diff_row *row = c->row;
	double all = row->self_ns + row->other_ns;

	return (name == row->waker && row->other_ns > 0.05 * all) ||
	       (name == row->name && row->self_ns > 0.05 * all);
}

/*
 * Returns the most costly change of a function with goroutines that end the waits of @c. @root:
 * only changes for which is_root() holds, if there is any. NULL: no such function has changed.
 */
static struct diff_change *cause_of(const struct diff *d, const struct diff_change *c, size_t n,
				    bool root)
{
	struct diff_change *best = NULL, *o = d->changes.data;
	size_t i;

	for (i = 0; i < n; i++, o++)
		if (o->slower && o->function && o != c && diff_rank_ends(o->row->name, c) &&
		    is_root(o->row) == root && o->row->kind != DIFF_RUNNABLE &&
		    o->cost > 0.02 * c->cost && (!best || o->cost > best->cost))
			best = o;
	return best || !root ? best : cause_of(d, c, n, false);
}

/*
 * Returns the weight of a cause. A wait for the network may end late because the program itself
 * delays its peer, and the time of a region includes its waits: both count half.
 */
static double diff_rank_weight(const struct diff_row *row)
{
	return row->kind >= DIFF_REGION || !strcmp(row->reason, "network") ? 0.5 : 1;
}

static int by_order(const void *a, const void *b)
{
	const struct diff_change *x = a, *y = b;

	if (x->slower != y->slower)
		return x->slower ? -1 : 1;
	return x->order > y->order ? -1 : x->order < y->order;
}

/*
 * Adds the cost of change @i to the order of its cause, of the cause of its cause, and so on.
 * Causes may form a circle. Four steps are enough for the chains of causes that programs have.
 */
static void add_to_causes(struct diff_change *all, const size_t *causes, size_t i)
{
	double cost = all[i].cost;
	unsigned steps;

	for (steps = 0; steps < 4 && causes[i]; steps++) {
		i = causes[i] - 1;
		if (diff_rank_weight(all[i].row) < 1)
			return;
		all[i].order += cost;
	}
}

static void find_causes(struct diff *d)
{
	struct diff_change *all = d->changes.data;
	size_t i, n = d->changes.len < FOLLOW_MAX ? d->changes.len : FOLLOW_MAX;
	size_t *causes = xcalloc(n + 1, sizeof(*causes));

	for (i = 0; i < n; i++) {
		const struct diff_change *cause = all[i].slower && !is_root(all[i].row) ?
			cause_of(d, &all[i], n, true) : NULL;

		causes[i] = cause ? (size_t)(cause - all) + 1 : 0;
	}
	for (i = 0; i < n; i++) {
		add_to_causes(all, causes, i);
		all[i].follows = causes[i] ? (const void *)all[causes[i] - 1].row : NULL;
	}
	free(causes);
}

/* Sets the causes. Until d->changes is sorted, "follows" points to the row of the cause. */
static void link_causes(struct diff *d)
{
	struct diff_change *all = d->changes.data;
	struct map64 by_row = {0};
	size_t i;

	for (i = 0; i < d->changes.len; i++)
		if (all[i].slower)
			*map64_put(&by_row, (uintptr_t)all[i].row, NULL) = i;
	for (i = 0; i < d->changes.len; i++)
		if (all[i].follows)
			all[i].follows = &all[*map64_get(&by_row, (uintptr_t)all[i].follows)];
	map64_free(&by_row);
}

/*
 * Does the function of @c wait more often, or at more places, on the other side than on the side of
 * @c?
 */
static bool diff_rank_is_split(const struct diff *d, const struct diff_change *c)
{
	const struct diff_change *o = d->changes.data;
	size_t i;

	for (i = 0; i < d->changes.len; i++)
		if (o[i].slower != c->slower && o[i].way != DIFF_LONGER &&
		    o[i].row->name == c->row->name && o[i].row->kind <= DIFF_SYSCALL)
			return true;
	return false;
}

/* Returns how long the goroutines of a function run per second of the trace, at all places. */
static double diff_rank_running(const struct diff *d, const char *name, int side)
{
	uint64_t ns = 0;
	size_t i;

	for (i = 0; i < d->rows.len; i++) {
		const struct diff_row *row = *vec_at(&d->rows, struct diff_row *, i);

		if (row->kind == DIFF_RUNNING && row->name == name)
			ns += row->side[side].dist.sum;
	}
	return (double)ns / diff_time(d, side);
}

/* Does the function run longer altogether? False: only the runs between its stops became longer. */
static bool runs_longer(const struct diff *d, const struct diff_change *c)
{
	return diff_rank_running(d, c->row->name, c->slower) -
		       diff_rank_running(d, c->row->name, !c->slower) >=
	       c->cost / 2;
}

/*
 * Removes changes of running stays that come from more or fewer stops: more stops make the runs
 * between them shorter, which is no gain, and fewer stops make them longer, which costs nothing.
 */
static void drop_splits(struct diff *d)
{
	struct diff_change *all = d->changes.data;
	size_t i, kept = 0, n = d->changes.len;
	bool *drop = xcalloc(n + 1, sizeof(*drop));

	for (i = 0; i < n && n < FOLLOW_MAX; i++)
		drop[i] = all[i].row->kind == DIFF_RUNNING && diff_rank_is_split(d, &all[i]) &&
			  !runs_longer(d, &all[i]);
	for (i = 0; i < n; i++)
		if (!drop[i])
			all[kept++] = all[i];
	d->changes.len = kept;
	free(drop);
}

void diff_rank(struct diff *d)
{
	struct diff_change *all = d->changes.data;
	size_t i;

	for (i = 0; i < d->changes.len; i++)
		all[i].order = all[i].cost * diff_rank_weight(all[i].row);
	drop_splits(d);
	if (!d->changes.len)
		return;
	qsort(all, d->changes.len, sizeof(*all), by_order);
	find_causes(d);
	qsort(all, d->changes.len, sizeof(*all), by_order);
	link_causes(d);
}
