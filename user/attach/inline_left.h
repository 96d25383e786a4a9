/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline_left: memory in the target that could not be taken out when that was tried: of this
 * recording, or of an earlier gotap that was killed. No call leads there. inliner.c adds it and has
 * it taken out later: before code is put into the target, at the end of the recording, and after
 * that. Runs in the prober.
 */
#ifndef GOTAP_ATTACH_INLINE_LEFT_H
#define GOTAP_ATTACH_INLINE_LEFT_H

#include "base/vec.h"
#include "inline/inject.h"

/* Zeroed: there is none. */
struct inline_left {
	struct vec all; /* struct left_memory */
};

/* Takes over *@memory with its descriptors; @earlier: it is of a gotap that was killed. */
void inline_left_add(struct inline_left *l, struct injected *memory, bool earlier);
/* Is there memory of an earlier gotap, or of this recording? */
bool inline_left_has(const struct inline_left *l, bool earlier);
/* Adds the descriptors that this takes to @fds (int). */
void inline_left_files(const struct inline_left *l, struct vec *fds);
/*
 * Tries to take out each, for at most @timeout_ms. 0: all is out, or went with the program; -EBUSY:
 * some stays, and @err says why. Counts holds in @held.
 */
int inline_left_take(struct inline_left *l, const struct process *p,
		     const struct inject_hosts *hosts, int timeout_ms, struct holds *held,
		     struct error *err);

#endif
