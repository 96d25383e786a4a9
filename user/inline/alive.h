/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alive: a word in shared memory that shows whether the thread that owns it lives, for code in the
 * target, which cannot make a system call to find out. The word holds the thread's id. When the
 * thread ends, also by SIGKILL, the kernel replaces the id by INLINE_OWNER_DIED, because the word
 * is a robust futex (set_robust_list(2)).
 */
#ifndef GOTAP_INLINE_ALIVE_H
#define GOTAP_INLINE_ALIVE_H

#include <stdint.h>

#include "base/error.h"

/*
 * Makes @word the word of the calling thread. @word must be mapped, shared, in this process until
 * alive_end(). A thread can have one word at a time. The word takes the place of the robust list
 * that the C library has registered for the thread, which must therefore hold no robust mutex. 0 or
 * a negative errno, with a text.
 */
int alive_begin(uint32_t *word, struct error *err);
/*
 * Sets the word to 0 and unregisters it. Only the thread that called alive_begin() may call this.
 */
void alive_end(uint32_t *word);

#endif
