/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leftover: finds in a process the memory and the changed calls of a gotap that was killed together
 * with its prober, so that they can be taken out. What was changed is known by comparison with the
 * program's file, not from the memory that was left, which the program could have written.
 */
#ifndef GOTAP_INLINE_LEFTOVER_H
#define GOTAP_INLINE_LEFTOVER_H

#include "base/error.h"
#include "base/vec.h"
#include "inline/inject.h"
#include "inline/patch.h"

/*
 * 1 if there is memory of a gotap that is gone: *@in is it (memfd open), and @patches (struct
 * patch, done) the instructions of the module's text [@text_lo, @text_hi) that lead into it. 0:
 * none. -EBUSY: a gotap that lives is at work there. -EAGAIN: a thread that was to make a call for
 * the one that is gone has not made it. @known: a descriptor of that memory, from before privileges
 * were given up, or -1.
 */
int leftover_find(const struct process *p, const struct inject_hosts *hosts, uint64_t text_lo,
		  uint64_t text_hi, int known, struct injected *in, struct vec *patches,
		  struct error *err);

#endif
