/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stackset: a set of stacks, each with a number. Most goroutines of a program stand at a few
 * places, so that a million goroutines take the memory of a few stacks.
 */
#ifndef GOTAP_STACKS_STACKSET_H
#define GOTAP_STACKS_STACKSET_H

#include <stdint.h>

#include "base/map64.h"
#include "base/vec.h"
#include "stacks/unwind.h"

/* A zeroed struct is empty. */
struct stackset {
	struct map64 by_hash;	/* hash -> number */
	struct vec stacks;	/* struct stack_entry */
	struct vec pcs;		/* uint64_t, of all */
};

struct stack_entry {
	uint64_t first;		/* in pcs */
	uint64_t left_out;	/* as in struct unwound */
	uint32_t n;
	bool cut, trap;
};

uint32_t stackset_add(struct stackset *set, const struct unwound *stack);
static inline const struct stack_entry *stackset_entry(const struct stackset *set, uint32_t number)
{
	return vec_at(&set->stacks, struct stack_entry, number);
}
static inline const uint64_t *stackset_pcs(const struct stackset *set, uint32_t number)
{
	return vec_at(&set->pcs, uint64_t, stackset_entry(set, number)->first);
}
void stackset_free(struct stackset *set);

#endif
