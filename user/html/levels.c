// SPDX-License-Identifier: Apache-2.0
/* levels: see levels.h. */
#include "html/levels.h"

#include <string.h>

#include "html/collect.h"

/* Does [@from, @to] overlap a window? */
static bool in_window(const struct levels *l, int64_t from, int64_t to)
{
	size_t low = 0, high = l->nwindows;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (l->windows[mid].to < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->nwindows && l->windows[low].from <= to;
}

static void levels_emit(struct levels *l, const struct level_track *t, unsigned level,
			const struct block_item *item)
{
	bool window = level < t->finest;

	if (window && !in_window(l, item->from, item->to))
		return;
	blocks_add(l->blocks, t->plane, t->group, level, t->place, item, window);
}

/*
 * Packs the shares of a run, four bits each: 0 only for a state that the run does not have, 15 for
 * the whole run.
 */
static uint64_t levels_shares(const struct level_run *run)
{
	int64_t whole = run->to - run->from;
	uint64_t ret = 0;
	unsigned i;

	for (i = 0; i < LEVEL_SHARES; i++) {
		uint64_t share =
			whole > 0 ? (uint64_t)((double)run->in[i] * 15 / (double)whole + 0.5) : 0;

		if (run->in[i] && !share)
			share = 1;
		ret |= (share > 15 ? 15 : share) << (4 * i);
	}
	return ret;
}

static void levels_merge(struct levels *l, struct level_track *t, unsigned level,
			 const struct level_run *more);

static void close_run(struct levels *l, struct level_track *t, unsigned level)
{
	struct level_run run = t->open[level];

	if (!run.n)
		return;
	t->open[level].n = 0;
	levels_emit(l, t, level,
		    &(struct block_item){ .state = PAGE_RUN,
					  .from = run.from,
					  .to = run.to,
					  .x = run.n,
					  .y = levels_shares(&run) });
	levels_merge(l, t, level + 1, &run);
}

static void levels_merge(struct levels *l, struct level_track *t, unsigned level,
			 const struct level_run *more)
{
	struct level_run *run;
	unsigned i;

	if (level >= LEVELS)
		return;
	run = &t->open[level];
	if (!run->n)
		*run = (struct level_run){ .from = more->from };
	run->n += more->n;
	run->to = more->to;
	for (i = 0; i < LEVEL_SHARES; i++)
		run->in[i] += more->in[i];
	if (run->to - run->from >= level_width(level))
		close_run(l, t, level);
}

static void close_up_to(struct levels *l, struct level_track *t, unsigned level)
{
	unsigned i;

	for (i = 1; i <= level; i++)
		close_run(l, t, i);
}

void levels_add(struct levels *l, struct level_track *t, const struct block_item *item)
{
	int64_t ns = item->to - item->from;
	unsigned level = level_of(ns);
	struct level_run one = { .from = item->from, .to = item->to, .n = 1 };

	if (item->from > t->last)
		close_up_to(l, t, level_of(item->from - t->last));
	t->last = item->to;
	close_up_to(l, t, level);
	levels_emit(l, t, level, item);
	if (item->state >= PAGE_RUNNING &&
	    item->state <= (t->plane < PLANE_OFF ? PAGE_WAITING : PAGE_GAP))
		one.in[item->state - PAGE_RUNNING] = ns;
	levels_merge(l, t, level + 1, &one);
}

void levels_end(struct levels *l, struct level_track *t)
{
	close_up_to(l, t, LEVELS - 1);
}
