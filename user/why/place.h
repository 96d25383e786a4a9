/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place: which frame of a stack a person wants to see: where the program's own code is, and which
 * function of the standard library it called there. main.get calls sync.(*Mutex).Lock, which calls
 * internal/sync.(*Mutex). lockSlow, which calls the runtime: @op is sync.(*Mutex).Lock, @at is
 * main.get with its line.
 */
#ifndef GOTAP_WHY_PLACE_H
#define GOTAP_WHY_PLACE_H

#include <stdbool.h>

#include "spans/stack_set.h"

/* Numbers of frames (spans/stack_set.h), 0: none. */
struct place {
	uint32_t op, at;
};

/*
 * If no frame of the stack is the program's: the first frame that is not the runtime's, or the
 * leaf.
 */
struct place place_of(const struct stack_set *stacks, uint32_t stack);

/* Does it end in a function that unlocks something for others? */
bool place_is_unlock(const struct stack_set *stacks, uint32_t stack);
/*
 * Does it end where a deadline or Close wakes who waits for the network (internal/poll; net before
 * Go 1.9)?
 */
bool place_is_poll(const struct stack_set *stacks, uint32_t stack);

#endif
