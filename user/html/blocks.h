/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks: pieces of the timeline that the page unpacks when they come into view: the stays of a
 * group of tracks between two times, at one level of detail. In a block each field of an item has a
 * column of its own, as varints; assets/data.js reads them. Blocks are deflated and put into a
 * spill. When all blocks are made, detail_choose() decides which of them have room in the page.
 */
#ifndef GOTAP_HTML_BLOCKS_H
#define GOTAP_HTML_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "html/spill.h"

enum {
	GROUP_TRACKS = 32,	/* tracks in a group */
	BLOCK_BYTES = 16 << 10,	/* approximate size before it is deflated */
	BLOCK_COLUMNS = 7,
};

/*
 * The planes of lanes for Ps, Ms (threads) and Gs. PLANE_OFF + such a plane has the times when the
 * thread of a stay was not on a CPU (enum page_off).
 */
enum plane { PLANE_P, PLANE_M, PLANE_G, PLANE_OFF, PLANES = 2 * PLANE_OFF };

/*
 * A stay in a state, or a run of stays. The meaning of x, y, z and w depends on state and plane:
 * assets/data.js.
 */
struct block_item {
	uint8_t state;		/* enum page_state; on planes from PLANE_OFF on enum page_off */
	int64_t from, to;	/* ns since the trace began */
	uint64_t x, y, z, w;
	/* stack, as numbered in stack_set.h; z has its number in the page */
	uint32_t stack;
};

struct block {
	uint8_t plane, level;
	bool kept, in_window;
	uint32_t group;
	uint32_t items, size;
	int64_t from, to;
	uint64_t at;		/* position in the spill */
};

struct open_block;

struct blocks {
	struct spill store;
	struct vec blocks;		/* struct block: finished blocks */
	struct vec open[PLANES];	/* struct open_block *, by group and level */
	size_t open_bytes;
	void *deflate;			/* z_stream */
};

void blocks_init(struct blocks *b);
void blocks_free(struct blocks *b);
void blocks_add(struct blocks *b, unsigned plane, uint32_t group, unsigned level, unsigned place,
		const struct block_item *item, bool in_window);
/* Finishes the open blocks. No item may follow. */
void blocks_end(struct blocks *b);

#endif
