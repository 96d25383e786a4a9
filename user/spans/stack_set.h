/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_set: the stacks of a whole trace, each kept once. Each generation of a trace has tables of
 * its own (read/v2_table.h), in which the same stack has different ids. In the set each stack has
 * one number, and each frame has one number. Numbers count from 1; 0 is the unknown stack.
 *
 * spans.c fills the set. The texts of frames come from spans_text(): equal texts have one address.
 */
#ifndef GOTAP_SPANS_STACK_SET_H
#define GOTAP_SPANS_STACK_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct stack_frame {
	const char *func, *file;	/* "" where the trace has none */
	uint64_t pc, line;
};

struct stack_set;

struct stack_set *stack_set_new(void);
/* Frees @s, which may be NULL. */
void stack_set_free(struct stack_set *s);
/* Returns the number of the frame, and adds it if it is new. 0: no room for another frame. */
uint32_t stack_set_frame(struct stack_set *s, const struct stack_frame *frame);
/*
 * Returns the number of the stack of @n frames, leaf first, and adds it if it is new. 0: no room
 * for another stack.
 */
uint32_t stack_set_stack(struct stack_set *s, const uint32_t *frames, uint32_t n);

/* The largest number of a stack, and of a frame. */
uint32_t stack_set_stacks(const struct stack_set *s);
uint32_t stack_set_frames(const struct stack_set *s);
/* Number of stacks and frames that found no room: a command that shows stacks must report it. */
uint64_t stack_set_dropped(const struct stack_set *s);

/*
 * Returns the numbers of the frames of @stack, leaf first, and stores their count in *@n. Stack 0
 * has none.
 */
const uint32_t *stack_set_of(const struct stack_set *s, uint32_t stack, uint32_t *n);
/* Returns frame @frame, 1 to stack_set_frames(). Valid until a frame is added. */
const struct stack_frame *stack_set_frame_at(const struct stack_set *s, uint32_t frame);
/*
 * Returns frame @i of @stack, leaf first; NULL if it has no such frame. Valid until a frame is
 * added.
 */
const struct stack_frame *stack_set_at(const struct stack_set *s, uint32_t stack, uint32_t i);
/*
 * Returns the outermost frame, which is in the function that the goroutine began with. NULL for
 * stack 0.
 */
const struct stack_frame *stack_set_root(const struct stack_set *s, uint32_t stack);

#endif
