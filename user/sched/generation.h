/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generation: where the trace begins and each generation turns: everything
 * that is alive is stated anew, so that a reader can begin there.
 */
#ifndef GOTAP_SCHED_GENERATION_H
#define GOTAP_SCHED_GENERATION_H

#include "sched/state.h"

/* The trace begins now, from the state collected so far. */
void generation_first(struct model *s);
/* Turns the generation if it is long or large enough and nothing forbids it. */
int generation_turn(struct model *s);
/*
 * What was collected before the trace begins, or goes on after a gap, as a
 * reader can take it.
 */
void generation_settle(struct model *s);
/* Begins one, after another has ended. */
void generation_next(struct model *s);
/* Ends the last one. */
int generation_last(struct model *s);

#endif
