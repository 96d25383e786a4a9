/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place: the frames of a stack that explain a wait to a user: the frame of the program's own code,
 * and the function of the standard library that this code called. If main.get calls
 * sync.(*Mutex).Lock, which calls internal/sync.(*Mutex).lockSlow, which calls the runtime, @op is
 * sync.(*Mutex).Lock and @at is main.get with its line.
 */
#ifndef GOTAP_WHY_PLACE_H
#define GOTAP_WHY_PLACE_H

#include <stdbool.h>

#include "spans/stack_set.h"

/* Numbers of frames (spans/stack_set.h); 0: none. */
struct place {
	uint32_t op, at;
};

/*
 * Returns the place of @stack. If no frame of the stack is the program's, @at is the first frame
 * that is not the runtime's, or the leaf.
 */
struct place place_of(const struct stack_set *stacks, uint32_t stack);

/* The frame place_of().at, NULL: the stack has none. */
const struct stack_frame *place_frame(const struct stack_set *stacks, uint32_t stack);

/* Is the stack inside of a function that unlocks a lock, as sync.(*Mutex).Unlock? */
bool place_is_unlock(const struct stack_set *stacks, uint32_t stack);
/*
 * Does the stack end in a function in which a deadline or Close wakes a goroutine that waits for
 * the network (internal/poll; net before Go 1.9)?
 */
bool place_is_poll(const struct stack_set *stacks, uint32_t stack);

#endif
