// SPDX-License-Identifier: Apache-2.0
/* tally: see tally.h. */
#include "pprof/tally.h"

#include <stdlib.h>

#include "base/map64.h"

/*
 * Returns the slot of (@stack, @tag), or the free slot where it belongs. Linear probing at a load
 * of at most 1/2.
 */
static uint32_t *tally_place_of(const struct tally *t, uint32_t stack, uint32_t tag)
{
	size_t i = hash64_seeded((uint64_t)tag << 32 | stack) & (t->cap - 1);
	const struct tally_item *item;

	for (; t->slots[i]; i = (i + 1) & (t->cap - 1)) {
		item = vec_at(&t->items, struct tally_item, t->slots[i] - 1);
		if (item->stack == stack && item->tag == tag)
			break;
	}
	return &t->slots[i];
}

static void tally_grow(struct tally *t)
{
	size_t i;

	free(t->slots);
	t->cap = t->cap ? t->cap * 2 : 8;
	t->slots = xcalloc(t->cap, sizeof(*t->slots));
	for (i = 0; i < t->items.len; i++) {
		const struct tally_item *item = vec_at(&t->items, struct tally_item, i);

		*tally_place_of(t, item->stack, item->tag) = (uint32_t)i + 1;
	}
}

struct tally_item *tally_at(struct tally *t, uint32_t stack, uint32_t tag, size_t max)
{
	struct tally_item *item;
	uint32_t *place;

	if (t->items.len * 2 >= t->cap)
		tally_grow(t);
	place = tally_place_of(t, stack, tag);
	if (*place)
		return vec_at(&t->items, struct tally_item, *place - 1);
	if (t->items.len >= max)
		return NULL;
	item = vec_push(&t->items, sizeof(*item));
	*item = (struct tally_item){ .stack = stack, .tag = tag };
	*place = (uint32_t)t->items.len;
	return item;
}

void tally_free(struct tally *t)
{
	vec_free(&t->items);
	free(t->slots);
	*t = (struct tally){0};
}
