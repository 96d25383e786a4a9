/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_stacks: the texts of the stacks of one generation, each made at its first use. Memory:
 * STACKS_KEPT of text, and some bytes for each stack and frame of the generation. When a text
 * exceeds STACKS_KEPT all texts are dropped.
 */
#ifndef GOTAP_READ_EVENTS_STACKS_H
#define GOTAP_READ_EVENTS_STACKS_H

#include <regex.h>
#include <stdbool.h>

#include "read/v2_table.h"

enum { STACKS_KEPT = 8 << 20 };

/* The two stacks that an event may have. */
enum events_stack_role {
	STACK_OWN,
	STACK_NEW,		/* that of the goroutine that the event creates */
	STACK_ROLES,
};

/* Appends all frames of a stack. */
typedef void events_frames_fn(struct buf *out, const struct v2_tables *t,
			      const struct v2_stack *stack);

struct stack_text {
	uint32_t start, len;	/* in events_stacks.texts */
};

struct events_stacks {
	const struct v2_tables *tables;
	events_frames_fn *frames[STACK_ROLES];
	/* struct stack_text, indexed by the number of the stack in the tables */
	struct vec known[STACK_ROLES];
	struct buf texts;
	struct buf matches;	/* results of events_stack_matches(), indexed as @known */
	struct buf frame_matches;	/* indexed by the number of the frame */
	struct buf name;	/* name of the current frame, with a NUL */
};

/* To be called when the tables change: the following events refer to @tables. */
void events_stacks_enter(struct events_stacks *s, const struct v2_tables *tables);
void events_stacks_free(struct events_stacks *s);
/* Appends the text of stack @id as @role; nothing if there is no such stack. */
void events_stacks_put(struct events_stacks *s, struct buf *out, uint64_t id,
		       enum events_stack_role role);
/* True if @func matches the name of a function of stack @id. */
bool events_stack_matches(struct events_stacks *s, uint64_t id, const regex_t *func);

#endif
