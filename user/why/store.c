// SPDX-License-Identifier: Apache-2.0
/* store: see store.h. */
#include "why/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temp_file.h"
#include "base/vec.h"

enum {
	BLOCK_ITEMS = 8192,
	CACHED = 16,		/* blocks of the file that are cached; a power of two */
};

struct cached {
	uint32_t number;	/* number of the block + 1; 0: free */
	uint8_t *data;
};

struct store {
	size_t item, block;	/* bytes */
	/* number of items; number of blocks that may be in memory */
	uint32_t len, in_memory;
	struct vec blocks;	/* uint8_t *: the blocks in memory */
	uint8_t *last;		/* the block that is being filled, if it will go to the file */
	int fd;
	struct cached cache[CACHED];
	struct error failed;
};

struct store *store_new(size_t item, size_t memory)
{
	struct store *s = xcalloc(1, sizeof(*s));

	s->item = item;
	s->block = item * BLOCK_ITEMS;
	s->in_memory = (uint32_t)(memory / s->block) + 1;
	s->fd = -1;
	return s;
}

void store_empty(struct store *s)
{
	unsigned i;

	for (i = 0; i < s->blocks.len; i++)
		free(*vec_at(&s->blocks, uint8_t *, i));
	s->blocks.len = 0;
	s->len = 0;
	for (i = 0; i < CACHED; i++)
		s->cache[i].number = 0;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void store_free(struct store *s)
{
	unsigned i;

	if (!s)
		return;
	store_empty(s);
	vec_free(&s->blocks);
	for (i = 0; i < CACHED; i++)
		free(s->cache[i].data);
	free(s->last);
	free(s);
}

/* Writes the last block, which is full, to the file. */
static void store_write_out(struct store *s)
{
	uint32_t number = s->len / BLOCK_ITEMS - 1;

	if (s->fd < 0) {
		s->fd = temp_file_open(&s->failed);
		if (s->fd < 0)
			return;
	}
	(void)temp_file_write(s->fd, s->last, s->block,
			      (long long)(number - s->in_memory) * (long long)s->block, &s->failed);
}

/* Returns the place of the next item. */
static uint8_t *store_room(struct store *s)
{
	uint32_t number = s->len / BLOCK_ITEMS;
	uint8_t *block;

	if (number < s->in_memory) {
		if (number == s->blocks.len)
			*(uint8_t **)vec_push(&s->blocks, sizeof(uint8_t *)) = xcalloc(1, s->block);
		block = *vec_at(&s->blocks, uint8_t *, number);
	} else {
		if (!s->last)
			s->last = xcalloc(1, s->block);
		block = s->last;
	}
	return block + s->len % BLOCK_ITEMS * s->item;
}

uint32_t store_add(struct store *s, const void *item)
{
	if (s->failed.code)
		return STORE_NONE;
	if (s->len == STORE_NONE - 1) {
		error_set(&s->failed, -EOVERFLOW,
			  "more than 4 billion intervals in the time asked for: ask for a part "
			  "of it with --from and --to");
		return STORE_NONE;
	}
	memcpy(store_room(s), item, s->item);
	s->len++;
	if (s->len % BLOCK_ITEMS == 0 && s->len / BLOCK_ITEMS > s->in_memory)
		store_write_out(s);
	return s->len - 1;
}

static const uint8_t *from_file(struct store *s, uint32_t number)
{
	struct cached *c = &s->cache[number % CACHED];

	if (c->number == number + 1)
		return c->data;
	if (!c->data)
		c->data = xcalloc(1, s->block);
	c->number = number + 1;
	if (s->failed.code ||
	    temp_file_read(s->fd, c->data, s->block,
			   (long long)(number - s->in_memory) * (long long)s->block, &s->failed))
		memset(c->data, 0, s->block);
	return c->data;
}

const void *store_at(struct store *s, uint32_t i)
{
	uint32_t number = i / BLOCK_ITEMS;
	const uint8_t *block;

	if (number < s->in_memory)
		block = *vec_at(&s->blocks, uint8_t *, number);
	else if (number == s->len / BLOCK_ITEMS)
		block = s->last;
	else
		block = from_file(s, number);
	return block + i % BLOCK_ITEMS * s->item;
}

uint32_t store_len(const struct store *s)
{
	return s->len;
}

int store_error(const struct store *s, struct error *err)
{
	if (s->failed.code && err)
		*err = s->failed;
	return s->failed.code;
}
