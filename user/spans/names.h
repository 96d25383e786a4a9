/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names: the texts and stacks of all generations, each once, and for the generation at hand which
 * number or copy each of its ids stands for. An id is looked up when an event has it for the first
 * time. Part of spans.c.
 */
#ifndef GOTAP_SPANS_NAMES_H
#define GOTAP_SPANS_NAMES_H

#include "base/strset.h"
#include "read/v2_table.h"
#include "spans/stack_set.h"

struct names {
	struct strset *texts;
	struct stack_set *stacks;
	uint64_t dropped;		/* texts that found no room */
	const struct v2_tables *tables;	/* of the generation at hand; NULL: none */
	const char **strings;		/* by index in tables; NULL: not looked up */
	uint32_t *stack_numbers, *frame_numbers;	/* the same, 1 + number */
	struct vec frames;		/* uint32_t: of the stack that is looked up */
};

void names_init(struct names *n);
void names_free(struct names *n);
/* Ids are of @tables from now on; NULL: there are none. */
void names_enter(struct names *n, const struct v2_tables *tables);
const char *names_text(struct names *n, const char *text, size_t len);
/* The general cases of the following. */
const char *names_find_string(struct names *n, uint64_t id);
uint32_t names_find_stack(struct names *n, uint32_t index);

/* "" for what there is not. */
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
