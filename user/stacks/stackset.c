// SPDX-License-Identifier: Apache-2.0
/* stackset: see stackset.h. */
#include "stacks/stackset.h"

#include <string.h>

static uint64_t hash_of(const struct unwound *s)
{
	uint64_t h = hash64_seeded(s->n << 2 | (uint64_t)s->trap << 1 | s->cut) + s->left_out;
	size_t i;

	for (i = 0; i < s->n; i++)
		h = hash64_seeded(h ^ s->pcs[i]) + i;
	return h;
}

static bool is_equal(const struct stackset *set, uint32_t number, const struct unwound *s)
{
	const struct stack_entry *e = stackset_entry(set, number);

	return e->n == s->n && e->cut == s->cut && e->trap == s->trap &&
	       e->left_out == s->left_out &&
	       !memcmp(stackset_pcs(set, number), s->pcs, s->n * sizeof(*s->pcs));
}

static void stackset_append_frames(struct stackset *set, const struct unwound *s)
{
	struct stack_entry *e = vec_push(&set->stacks, sizeof(*e));
	size_t i;

	*e = (struct stack_entry){ set->pcs.len, s->left_out, (uint32_t)s->n, s->cut, s->trap };
	for (i = 0; i < s->n; i++)
		*(uint64_t *)vec_push(&set->pcs, sizeof(uint64_t)) = s->pcs[i];
}

uint32_t stackset_add(struct stackset *set, const struct unwound *stack)
{
	uint64_t hash = hash_of(stack), *number;
	bool is_new;

	for (;; hash++) {
		number = map64_put(&set->by_hash, hash, &is_new);
		if (!is_new && !is_equal(set, (uint32_t)*number, stack))
			continue;
		if (is_new) {
			*number = set->stacks.len;
			stackset_append_frames(set, stack);
		}
		return (uint32_t)*number;
	}
}

void stackset_free(struct stackset *set)
{
	map64_free(&set->by_hash);
	vec_free(&set->stacks);
	vec_free(&set->pcs);
}
