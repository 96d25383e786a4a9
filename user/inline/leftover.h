/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leftover: finds in a process the memory and the changed calls of a gotap that was killed together
 * with its prober, to remove them. The changed calls are found by comparison with the program's
 * file, not from the memory that was left, since the program could have written to that.
 */
#ifndef GOTAP_INLINE_LEFTOVER_H
#define GOTAP_INLINE_LEFTOVER_H

#include "base/error.h"
#include "base/vec.h"
#include "inline/inject.h"
#include "inline/patch.h"

/*
 * Returns 1 if there is memory of a gotap that is gone: *@in is that memory (memfd open), and
 * @patches (struct patch, done) has the instructions of the module's text [@text_lo, @text_hi) that
 * lead into it. 0: there is none. -EBUSY: a gotap that lives uses it. -EAGAIN: a thread has not
 * made a call yet that the dead gotap gave it. @known: a descriptor of that memory, opened before
 * privileges were given up, or -1.
 */
int leftover_find(const struct process *p, const struct inject_hosts *hosts, uint64_t text_lo,
		  uint64_t text_hi, int known, struct injected *in, struct vec *patches,
		  struct error *err);

#endif
