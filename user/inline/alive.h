/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alive: a word in shared memory that says whether the thread that owns it still lives, for code
 * that can ask nobody. It holds the thread's id; when the thread ends, in whatever way, SIGKILL
 * included, the kernel replaces that by INLINE_OWNER_DIED: the word is a robust futex
 * (set_robust_list(2)).
 */
#ifndef GOTAP_INLINE_ALIVE_H
#define GOTAP_INLINE_ALIVE_H

#include <stdint.h>

#include "base/error.h"

/*
 * @word must stay mapped, shared, in this process until alive_end(). One word of one thread at a
 * time. It takes the place of the list that the C library has registered for the calling thread,
 * which must therefore hold no robust mutex.
 */
int alive_begin(uint32_t *word, struct error *err);
/* The word is 0 from now on, and the kernel forgets it. By the thread that began. */
void alive_end(uint32_t *word);

#endif
