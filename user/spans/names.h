/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names: the texts and stacks of all generations, each kept once. A generation has tables of its
 * own: for the current one, names has the copy of the text, or the number of the stack, of each id
 * that an event has named. Part of spans.c.
 */
#ifndef GOTAP_SPANS_NAMES_H
#define GOTAP_SPANS_NAMES_H

#include "base/strset.h"
#include "read/v2_table.h"
#include "spans/stack_set.h"

struct names {
	struct strset *texts;
	struct stack_set *stacks;
	bool shared;			/* texts and stacks are of another struct names */
	uint64_t dropped;		/* texts that found no room */
	const struct v2_tables *tables;	/* of the current generation; NULL: none */
	/* copies of texts by index in @tables; NULL: not looked up yet */
	const char **strings;
	/* number + 1, by index in @tables; 0: not looked up yet */
	uint32_t *stack_numbers, *frame_numbers;
	struct vec frames;		/* uint32_t: frames of the stack that is being looked up */
};

void names_init(struct names *n);
/* Texts and stacks are those of @with, which must live longer. */
void names_share(struct names *n, const struct names *with);
void names_free(struct names *n);
/*
 * Ends the generation; ids are those of @tables from now on. NULL: no table, as before the first
 * generation.
 */
void names_enter(struct names *n, const struct v2_tables *tables);
const char *names_text(struct names *n, const char *text, size_t len);
/* The slow paths of names_string() and names_stack(). */
const char *names_find_string(struct names *n, uint64_t id);
uint32_t names_find_stack(struct names *n, uint32_t index);

/* Returns the text of the string @id, "" if the generation has none. */
static inline const char *names_string(struct names *n, uint64_t id)
{
	uint32_t found = n->tables ? ids_find(&n->tables->string_ids, id) : 0;

	if (found && n->strings[found - 1])
		return n->strings[found - 1];
	return names_find_string(n, id);
}

static inline uint32_t names_stack(struct names *n, uint64_t id)
{
	uint32_t found = n->tables && id ? ids_find(&n->tables->stack_ids, id) : 0;

	if (!found)
		return 0;
	if (n->stack_numbers[found - 1])
		return n->stack_numbers[found - 1] - 1;
	return names_find_stack(n, found - 1);
}

#endif
