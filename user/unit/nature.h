/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nature: what kind of work or wait a cause of a unit's time is, where its place shows that: a
 * finalizer, a connection that is dialled, a call of C, a pause that a timer ends, CPUs that are
 * full. It adds words to a cause and accuses nobody.
 */
#ifndef GOTAP_UNIT_NATURE_H
#define GOTAP_UNIT_NATURE_H

#include "unit/unit.h"
#include "why/path.h"

/* The facts of one cause. Frames may be NULL. */
struct nature {
	const struct cause *leaf;
	const struct stack_frame *at, *op;
	double times;		/* steps of the cause in the mean instance; 0: not meant */
};

/* Appends ", dialling a connection" or the like, or nothing. */
void nature_put(struct buf *text, const struct nature *n);
/* Appends how busy the Ps were while the unit was runnable; nothing if they were not full. */
void nature_put_full(struct buf *text, const struct path *path);

#endif
