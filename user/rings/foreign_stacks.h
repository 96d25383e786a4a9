/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign_stacks: the keys of stacks that records of code in the target have. gotap keeps each
 * stack for the whole recording, and each key that a record names in tables of its own: so that
 * there are only so many new ones in a second, and in all.
 */
#ifndef GOTAP_RINGS_FOREIGN_STACKS_H
#define GOTAP_RINGS_FOREIGN_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map64.h"

enum {
	FOREIGN_STACKS = 1 << 17,		/* in all */
	FOREIGN_STACKS_NEW = 1 << 14,		/* in a second */
	FOREIGN_FRAMES = 1 << 22,		/* of all of them */
	FOREIGN_RECENT = 1 << 12,
};

struct foreign_stacks {
	uint64_t recent[FOREIGN_RECENT];	/* keys found lately, by their last bits */
	struct map64 known;			/* key -> frames */
	unsigned int tokens;			/* new ones that are left in this second */
	uint64_t frames;
	uint64_t refused;			/* records that lost their stack, and stacks */
};

void foreign_stacks_free(struct foreign_stacks *s);
/* A second begins. */
static inline void foreign_stacks_turn(struct foreign_stacks *s)
{
	s->tokens = FOREIGN_STACKS_NEW;
}

/* The slow part of foreign_stacks_has(): for a key that is not among the recent ones. */
bool foreign_stacks_find(struct foreign_stacks *s, uint64_t key);

/* Is @key no stack (0), or one that was found lately? */
static inline bool foreign_stacks_knows(const struct foreign_stacks *s, uint64_t key)
{
	return !key || s->recent[key % FOREIGN_RECENT] == key;
}

/* May a record name the stack with @key? 0 is no stack. */
static inline bool foreign_stacks_has(struct foreign_stacks *s, uint64_t key)
{
	return foreign_stacks_knows(s, key) || foreign_stacks_find(s, key);
}

/* May the stack with @key and so many frames be kept? */
bool foreign_stacks_define(struct foreign_stacks *s, uint64_t key, uint32_t frames);

#endif
