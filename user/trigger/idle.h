/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle: which waits blocked>T without REASON and FUNC leaves out, because the goroutine is idle by
 * nature: it waits for a timer, for the network, or for work. stays.c calls these functions; the
 * state of a rule is rule.more.
 *
 * A lock, a full channel and the runtime's own waits are never idle. A receive, a select, a
 * condition and WaitGroup.Wait are judged by what happened before: such a wait is no idleness if
 * waits at its place nearly always end within T, and this goroutine has not waited there before, as
 * a loop that waits for work has.
 */
#ifndef GOTAP_TRIGGER_IDLE_H
#define GOTAP_TRIGGER_IDLE_H

#include "trigger/internal.h"

/* Gives the rule its state, if it names neither a reason nor a function. */
void idle_begin(struct rule *r);
/* Is the goroutine, which waits, idle by nature? False for other rules. */
bool idle_is(struct rule *r, const struct tap_go *g);
/* The wait of @g has ended at @time. */
void idle_learn(struct rule *r, const struct tap_go *g, uint64_t time);
void idle_gone(struct rule *r, const struct tap_go *g);
void idle_end(struct rule *r);

#endif
