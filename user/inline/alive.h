/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alive: a word in shared memory that says whether the thread that owns it still lives, for code in
 * the target, which cannot make a system call to ask. The word holds the thread's id. When the
 * thread ends, by SIGKILL as well, the kernel replaces the id by INLINE_OWNER_DIED: the word is a
 * robust futex (set_robust_list(2)).
 */
#ifndef GOTAP_INLINE_ALIVE_H
#define GOTAP_INLINE_ALIVE_H

#include <stdint.h>

#include "base/error.h"

/*
 * @word must be mapped, shared, in this process until alive_end(). A thread can have one word at a
 * time. The word takes the place of the list that the C library has registered for the calling
 * thread, which must therefore hold no robust mutex.
 */
int alive_begin(uint32_t *word, struct error *err);
/*
 * Sets the word to 0, and the kernel forgets it. Only the thread that called alive_begin() may call
 * this.
 */
void alive_end(uint32_t *word);

#endif
