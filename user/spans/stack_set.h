/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_set: the stacks of a whole trace, each kept once. A trace has tables of its own in each
 * generation (read/v2_table.h), so the same stack has another id in each; here it has one number,
 * and so has each frame. Numbers count from 1; 0 is the stack that is not known.
 *
 * spans.c fills it. Texts of frames are those of spans_text(): equal texts are the same pointer.
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
/* Accepts NULL. */
void stack_set_free(struct stack_set *s);
/* The number of the frame, which is added if it is new; 0 if there is no room for more. */
uint32_t stack_set_frame(struct stack_set *s, const struct stack_frame *frame);
/*
 * The number of the stack of @n frames, leaf first, which is added if it is new; 0: no room for
 * more.
 */
uint32_t stack_set_stack(struct stack_set *s, const uint32_t *frames, uint32_t n);

/* Stacks (and frames) have the numbers 1 to this. */
uint32_t stack_set_stacks(const struct stack_set *s);
uint32_t stack_set_frames(const struct stack_set *s);
/* Stacks and frames that found no room: whoever shows stacks says so. */
uint64_t stack_set_dropped(const struct stack_set *s);

/* The numbers of the frames of @stack, leaf first, *@n of them; of stack 0 there are none. */
const uint32_t *stack_set_of(const struct stack_set *s, uint32_t stack, uint32_t *n);
/* Frame @frame, which is one of 1 to stack_set_frames(). Valid until a frame is added. */
const struct stack_frame *stack_set_frame_at(const struct stack_set *s, uint32_t frame);
/* Frame @i of @stack, leaf first; NULL if it has no such frame. Valid until a frame is added. */
const struct stack_frame *stack_set_at(const struct stack_set *s, uint32_t stack, uint32_t i);
/* The outermost one: the function that the goroutine began with; NULL of stack 0. */
const struct stack_frame *stack_set_root(const struct stack_set *s, uint32_t stack);

#endif
