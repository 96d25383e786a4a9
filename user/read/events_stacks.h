/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_stacks: the stacks of one generation as they are shown, formatted when they are needed
 * first. Memory: STACKS_KEPT of text, and some bytes for each stack and frame of the generation;
 * what has no room any more makes all begin anew.
 */
#ifndef GOTAP_READ_EVENTS_STACKS_H
#define GOTAP_READ_EVENTS_STACKS_H

#include <regex.h>
#include <stdbool.h>

#include "read/v2_table.h"

enum { STACKS_KEPT = 8 << 20 };

/* What an event has a stack for. */
enum events_stack_role {
	STACK_OWN,
	STACK_NEW,		/* of the goroutine that it creates */
	STACK_ROLES,
};

/* Appends all frames of a stack. */
typedef void events_frames_fn(struct buf *out, const struct v2_tables *t,
			      const struct v2_stack *stack);

struct stack_text {
	uint32_t start, len;	/* in texts */
};

struct events_stacks {
	const struct v2_tables *tables;
	events_frames_fn *frames[STACK_ROLES];
	/* struct stack_text, by number of the stack in the tables */
	struct vec known[STACK_ROLES];
	struct buf texts;
	struct buf matches;	/* by number of the stack: what events_stack_matches() found */
	struct buf frame_matches;	/* by number of the frame */
	struct buf name;	/* of the frame at hand, with a NUL */
};

/* The events from now on belong to these tables, which have changed. */
void events_stacks_enter(struct events_stacks *s, const struct v2_tables *tables);
void events_stacks_free(struct events_stacks *s);
/* Appends stack @id as @role, nothing if there is none. */
void events_stacks_put(struct events_stacks *s, struct buf *out, uint64_t id,
		       enum events_stack_role role);
/* Does the name of one of its functions match? */
bool events_stack_matches(struct events_stacks *s, uint64_t id, const regex_t *func);

#endif
