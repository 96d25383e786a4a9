/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels: levels of detail of a timeline. Level l shows stays of level_width(l) ns and more as they
 * are, and what lies between them merged into runs of about that length, each with the shares of
 * the states in it. The width grows by four from level to level; a view takes the level that has
 * about two pixels as its width.
 *
 * A stay is in the page once: in the level of its length (level_of()). A view paints, from the
 * longest to its own level, runs and then stays: in the order of levels each covers the runs of the
 * one before. So where a level is left out in the page, the one before stays to be seen.
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

/* Running, runnable, system call, waiting; or all of enum page_off (collect.h). */
enum { LEVEL_SHARES = 5 };

struct level_run {
	int64_t from, to;
	uint32_t n;
	int64_t in[LEVEL_SHARES];
};

/* The levels of one P, thread or goroutine. */
struct level_track {
	uint32_t plane, group, place;	/* of blocks.h */
	uint8_t finest;		/* levels below are only kept in the windows */
	int64_t last;		/* end of its last stay */
	struct level_run open[LEVELS];	/* by level, from 1 on */
};

/* Times in which every level is kept: in order, apart. */
struct level_window {
	int64_t from, to;
};

struct levels {
	struct blocks *blocks;
	const struct level_window *windows;
	size_t nwindows;
};

/* Stays of a track come in order. What is between two of them is no state: a P that is idle. */
void levels_add(struct levels *l, struct level_track *t, const struct block_item *item);
/* No more will come. */
void levels_end(struct levels *l, struct level_track *t);

#endif
