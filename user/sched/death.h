/* SPDX-License-Identifier: Apache-2.0 */
/*
 * death: how a program dies by its own doing, from its REC_PROGRAM_DIES: the words for the log
 * event of the trace (death.c) and for the trigger `crash` (trigger/ended.c).
 */
#ifndef GOTAP_SCHED_DEATH_H
#define GOTAP_SCHED_DEATH_H

#include "record.h"

struct death_text {
	char text[224];
};

/*
 * "panic: MESSAGE", "fatal error: MESSAGE", "signal 6 (Aborted)". The message is the program's, any
 * bytes, cut; ": MESSAGE" is left out where it is not known.
 */
struct death_text death_text(const struct rec_user *r);

static inline enum rec_end death_how(const struct rec_user *r)
{
	return (enum rec_end)(uint8_t)r->r.flags;
}

/* The signal of a record of REC_END_SIGNAL. */
static inline int death_signal(const struct rec_user *r)
{
	return r->r.flags >> 8;
}

#endif
