// SPDX-License-Identifier: Apache-2.0
/* blocks: see blocks.h. */
#include "html/blocks.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "html/collect.h"
#include "trace/varint.h"

/* Limit on the bytes of all open blocks. */
enum { OPEN_BYTES = 16 << 20 };

struct open_block {
	struct buf columns[BLOCK_COLUMNS];
	int64_t ends[GROUP_TRACKS];	/* end of the last item of each track */
	int64_t from, to;
	size_t bytes;
	uint32_t items;
	bool in_window;
};

/*
 * How many of the fields x, y, z and w an item has, by state; rows: PLANE_P and PLANE_M, PLANE_G,
 * all planes from PLANE_OFF on.
 */
static const uint8_t fields[3][PAGE_STATES] = {
	{ [PAGE_RUN] = 2, [PAGE_RUNNING] = 3, [PAGE_SYSCALL] = 3 },
	{ [PAGE_RUN] = 2,
	  [PAGE_RUNNING] = 1,
	  [PAGE_RUNNABLE] = 4,
	  [PAGE_SYSCALL] = 2,
	  [PAGE_WAITING] = 2 },
	{ [PAGE_RUN] = 2,
	  [PAGE_OFF_QUEUED] = 2,
	  [PAGE_OFF_THROTTLED] = 2,
	  [PAGE_OFF_KERNEL] = 2,
	  [PAGE_OFF_OTHER] = 2,
	  [PAGE_OFF_UNKNOWN] = 2 },
};

void blocks_init(struct blocks *b)
{
	z_stream *z = xcalloc(1, sizeof(*z));

	*b = (struct blocks){ .store = SPILL_EMPTY, .deflate = z };
	deflateInit(z, 5);
}

static struct open_block **blocks_open_at(struct blocks *b, unsigned plane, uint32_t group,
					  unsigned level)
{
	struct vec *v = &b->open[plane];

	while (v->len <= group * LEVELS + level)
		vec_push(v, sizeof(struct open_block *));
	return vec_at(v, struct open_block *, group * LEVELS + level);
}

static void blocks_join(const struct open_block *o, struct buf *whole)
{
	unsigned i;

	varint_add(whole, o->items);
	for (i = 0; i < BLOCK_COLUMNS; i++)
		varint_add(whole, o->columns[i].len);
	for (i = 0; i < BLOCK_COLUMNS; i++)
		buf_add(whole, o->columns[i].data, o->columns[i].len);
}

static void blocks_put(struct blocks *b, struct block *block, const struct buf *whole)
{
	z_stream *z = b->deflate;
	size_t most = deflateBound(z, whole->len);
	uint8_t *out = xcalloc(1, most);

	deflateReset(z);
	z->next_in = whole->data;
	z->avail_in = (uInt)whole->len;
	z->next_out = out;
	z->avail_out = (uInt)most;
	deflate(z, Z_FINISH);
	block->at = spill_size(&b->store);
	block->size = (uint32_t)(most - z->avail_out);
	spill_add(&b->store, out, block->size);
	free(out);
}

static void open_free(struct open_block *o)
{
	unsigned i;

	for (i = 0; i < BLOCK_COLUMNS; i++)
		buf_free(&o->columns[i]);
	free(o);
}

static void blocks_finish(struct blocks *b, unsigned plane, size_t at)
{
	struct open_block **place = vec_at(&b->open[plane], struct open_block *, at), *o = *place;
	struct block *block;
	struct buf whole = {0};

	if (!o)
		return;
	*place = NULL;
	b->open_bytes -= o->bytes;
	blocks_join(o, &whole);
	block = vec_push(&b->blocks, sizeof(*block));
	*block = (struct block){
		.plane = (uint8_t)plane,
		.level = at % LEVELS,
		.group = (uint32_t)(at / LEVELS),
		.items = o->items,
		.from = o->from,
		.to = o->to,
		.in_window = o->in_window,
	};
	blocks_put(b, block, &whole);
	buf_free(&whole);
	open_free(o);
}

void blocks_end(struct blocks *b)
{
	unsigned plane;
	size_t i;

	for (plane = 0; plane < PLANES; plane++)
		for (i = 0; i < b->open[plane].len; i++)
			blocks_finish(b, plane, i);
}

static void add_fields(struct open_block *o, unsigned plane, const struct block_item *item)
{
	const uint64_t values[] = { item->x, item->y, item->z, item->w };
	unsigned i, n = fields[plane >= PLANE_OFF ? 2 : plane == PLANE_G][item->state];

	for (i = 0; i < n; i++)
		varint_add(&o->columns[3 + i], values[i]);
}

void blocks_add(struct blocks *b, unsigned plane, uint32_t group, unsigned level, unsigned place,
		const struct block_item *item, bool in_window)
{
	struct open_block **at = blocks_open_at(b, plane, group, level), *o = *at;
	size_t before, i, now = 0;

	if (!o) {
		o = *at = xcalloc(1, sizeof(*o));
		o->from = item->from;
		o->in_window = in_window;
	}
	before = o->bytes;
	varint_add(&o->columns[0], place << 3 | item->state);
	varint_add(&o->columns[1], (uint64_t)(item->from - o->ends[place]));
	varint_add(&o->columns[2], (uint64_t)(item->to - item->from));
	add_fields(o, plane, item);
	o->ends[place] = item->to;
	o->from = item->from < o->from ? item->from : o->from;
	o->to = item->to > o->to ? item->to : o->to;
	o->items++;
	for (i = 0; i < BLOCK_COLUMNS; i++)
		now += o->columns[i].len;
	o->bytes = now;
	b->open_bytes += now - before;
	if (now >= BLOCK_BYTES)
		blocks_finish(b, plane, group * LEVELS + level);
	else if (b->open_bytes > OPEN_BYTES)
		blocks_end(b);
}

void blocks_free(struct blocks *b)
{
	unsigned plane;
	size_t i;

	for (plane = 0; plane < PLANES; plane++) {
		for (i = 0; i < b->open[plane].len; i++)
			if (*vec_at(&b->open[plane], struct open_block *, i))
				open_free(*vec_at(&b->open[plane], struct open_block *, i));
		vec_free(&b->open[plane]);
	}
	vec_free(&b->blocks);
	spill_free(&b->store);
	deflateEnd(b->deflate);
	free(b->deflate);
}
