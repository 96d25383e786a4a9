/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle: blocked>T without REASON and FUNC leaves out waits of idle goroutines, which wait for a
 * timer, for the network, or for work. stays.c calls these functions; the state of a rule is
 * rule.more.
 *
 * A wait for a lock or to send on a channel is never idle. A receive, a select, Cond.Wait and
 * WaitGroup.Wait are idle unless both of these hold: nearly all waits at the same place end within
 * T, and the goroutine waits there for the first time. (The loop of a worker comes back to the
 * place at which it waits for work.)
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
