/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inliner_clean: takes memory out of the target that a recording of `--attach inline` has left
 * there, with the calls that lead to it: that of a gotap that was killed together with its prober,
 * of an attempt to inject, or of a removal that was not possible at once. Runs in the prober.
 */
#ifndef GOTAP_ATTACH_INLINER_CLEAN_H
#define GOTAP_ATTACH_INLINER_CLEAN_H

#include "attach/inliner.h"

/* How long to wait until no thread is inside the code. */
enum { INLINER_LEAVE_MS = 3000 };

/* Where a thread of the target can be borrowed. */
struct inject_hosts inliner_hosts(const struct inliner *in);
/*
 * Takes out the memory of a gotap that was killed together with its prober. -EBUSY: another gotap
 * records the program with --attach inline.
 */
int inliner_clean(struct inliner *in, struct links *links, struct error *err);
/*
 * Notes in the status that memory could not be taken out, for @why: that of an earlier gotap, or of
 * this recording (@earlier false).
 */
void inliner_note_left(struct inliner *in, bool earlier, const struct error *why);
/* Tries in->left again. 0: nothing is left there; or -EBUSY, and the status says why. */
int inliner_take_left(struct inliner *in, int timeout_ms, struct error *err);
/* After inliner_remove(): once more what could not be taken out earlier. */
void inliner_clean_again(struct inliner *in, struct links *links);
/* Is there memory that could be taken out later, without gotap? */
bool inliner_has_left(const struct inliner *in);
/* Returns when that has been taken out, or the program is gone. It may be killed meanwhile. */
void inliner_take_later(struct inliner *in);
/*
 * Is the target stopped by a signal or a debugger, or frozen with its cgroup, so that none of its
 * threads runs?
 */
bool inliner_is_stopped(const struct inliner *in);

#endif
