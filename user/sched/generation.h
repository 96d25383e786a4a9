/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generation: where the trace begins and each generation turns: everything
 * that is alive is stated anew, so that a reader can begin there.
 */
#ifndef GOTAP_SCHED_GENERATION_H
#define GOTAP_SCHED_GENERATION_H

#include "sched/state.h"

/* Is the generation long or large enough at @time? */
static inline bool generation_is_due(const struct model *s, uint64_t time)
{
	return time >= s->due_time || *s->gen_size >= s->due_size || s->dead.len >= DEAD_MOST;
}
/* The trace begins now, from the state collected so far. */
void generation_first(struct model *s);
/* generation_is_due(): turns it, unless the world is stopped. */
int generation_turn(struct model *s);
/*
 * Ends the generation and begins the next, whatever its length is. The world must not be stopped,
 * or generation_is_overdue().
 */
int generation_turn_now(struct model *s);
/* Is the generation far longer or larger than its limits? */
bool generation_is_overdue(const struct model *s);
/*
 * The states that were collected before the trace begins, or goes on after a gap, are
 * made consistent, as a reader demands.
 */
void generation_settle(struct model *s);
/* Begins one, after another has ended: every G and P is stated as it is now. */
void generation_next(struct model *s);
/* Ends the one that is open; a gap may follow. */
int generation_end(struct model *s);
/*
 * Ends the trace now, not in a gap; with @restate by a generation that states everything once
 * more.
 */
int generation_finish(struct model *s, bool restate);

#endif
