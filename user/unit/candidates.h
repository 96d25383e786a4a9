/* SPDX-License-Identifier: Apache-2.0 */
/*
 * candidates: the visitor of the first reading, which counts the candidates for units (lists.h).
 */
#ifndef GOTAP_UNIT_CANDIDATES_H
#define GOTAP_UNIT_CANDIDATES_H

#include "spans/labelled.h"
#include "unit/lists.h"

struct candidates {
	struct spans *s;
	struct unit_lists lists;
	struct vec turns;	/* struct unit_turn, by slot of the goroutine */
	struct vec places;	/* struct unit_place, by number of the stack */
	struct map64 lines;	/* hash of function and line -> number of the line */
	struct {
		const char *text;
		int8_t wait;	/* enum unit_wait; -1: a wait for the collector */
	} reasons[16];		/* the last reasons that were looked up, by address */
	int64_t first, last;	/* of the trace */
	const struct labelled *label;	/* tasks with that label alone; NULL: all */
};

/* Adds the visitor to @s. */
void candidates_init(struct candidates *c, struct spans *s);
void candidates_free(struct candidates *c);
/* Returns the place of @stack, a number of the spans' stacks. */
struct unit_place candidates_place(struct candidates *c, uint32_t stack);

#endif
