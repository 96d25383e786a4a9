/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally: how often and how long, by (stack, tag). Numbers of stacks are those of spans/stack_set.h,
 * tags those of the owner. The samples of a profile, and those of one goroutine as long as it is
 * not known whether they count.
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

/* Zeroed is empty. */
struct tally {
	struct vec items;	/* struct tally_item, in the order in which they came */
	uint32_t *slots;	/* numbers of items + 1, 0 free: open addressing */
	size_t cap;		/* of slots, a power of two; 0 */
};

/*
 * The item, which is added if there are fewer than @max of them; else NULL. Valid until one is
 * added.
 */
struct tally_item *tally_at(struct tally *t, uint32_t stack, uint32_t tag, size_t max);
/* Keeps no storage. */
void tally_free(struct tally *t);

#endif
