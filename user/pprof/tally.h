/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally: count and time by (stack, tag). Numbers of stacks are those of spans/stack_set.h, numbers
 * of tags are those of the owner. A profile has one tally of its samples. waits.c has one for each
 * goroutine with waits that may not count.
 */
#ifndef GOTAP_PPROF_TALLY_H
#define GOTAP_PPROF_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct tally_item {
	uint32_t stack, tag;
	uint64_t count, ns;
};

/* A tally of zeros is empty. */
struct tally {
	struct vec items;	/* struct tally_item, in the order in which they were added */
	uint32_t *slots;	/* index in items + 1; 0: free. Open addressing. */
	size_t cap;		/* number of slots: a power of two, or 0 */
};

/*
 * Returns the item of (@stack, @tag), and adds it if it is new and the tally has fewer than @max
 * items; otherwise NULL. Valid until an item is added.
 */
struct tally_item *tally_at(struct tally *t, uint32_t stack, uint32_t tag, size_t max);
/* Frees the storage; the tally is then empty. */
void tally_free(struct tally *t);

#endif
