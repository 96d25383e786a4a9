/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels: levels of detail of a timeline. Level l has the stays of level_width(l) ns and more.
 * Shorter stays between them are merged into runs of about that length, each with the shares of its
 * states. The width grows by a factor of four from level to level. A view takes the level with a
 * width of about two pixels.
 *
 * A stay is in the page once: in the level of its length (level_of()). A view paints the levels in
 * order, from the longest to its own, of each level first runs and then stays: each level covers
 * the runs of the level before. Where the page has no block of a level, the level before remains
 * visible.
 */
#ifndef GOTAP_HTML_LEVELS_H
#define GOTAP_HTML_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "html/blocks.h"

enum { LEVELS = 18 };	/* the last one: 4.9 hours and more */

static inline int64_t level_width(unsigned level)
{
	return level ? (int64_t)1 << (10 + 2 * level) : 0;
}

static inline unsigned level_of(int64_t ns)
{
	unsigned bits = ns > 0 ? 64 - (unsigned)__builtin_clzll((uint64_t)ns) : 0;

	return bits < 13 ? 0 : bits > 46 ? LEVELS - 1 : (bits - 11) / 2;
}

/*
 * Shares of running, runnable, system call and waiting; or one for each value of enum page_off
 * (collect.h).
 */
enum { LEVEL_SHARES = 5 };

struct level_run {
	int64_t from, to;
	uint32_t n;
	int64_t in[LEVEL_SHARES];
};

/* The levels of one P, thread or goroutine. */
struct level_track {
	uint32_t plane, group, place;	/* as in blocks.h */
	uint8_t finest;		/* finer levels are kept only in the windows */
	int64_t last;		/* end of its last stay */
	struct level_run open[LEVELS];	/* by level, from 1 on */
};

/* A time in which every level is kept. Windows are in order and do not overlap. */
struct level_window {
	int64_t from, to;
};

struct levels {
	struct blocks *blocks;
	const struct level_window *windows;
	size_t nwindows;
};

/*
 * Adds a stay to a track. The stays of a track come in order. A time between two stays has no
 * state: a P was idle.
 */
void levels_add(struct levels *l, struct level_track *t, const struct block_item *item);
/* Finishes the runs of a track. No stay may follow. */
void levels_end(struct levels *l, struct level_track *t);

#endif
