/* SPDX-License-Identifier: Apache-2.0 */
/*
 * children: the goroutines that the handler of a request creates while the request is open, and
 * those that these create. Each has a region "child of NAME", with the task of the request, from
 * its first run until it or the request ends.
 *
 * Creation is the only edge that makes a child. Three kinds of goroutines are created by a request
 * and work for others:
 *
 *	those of connections, by the name of their first function (model_start_serves_many());
 *	workers of a pool that is started when it is needed: a child that gets something out of a
 *	channel from a goroutine of another request is none from then on;
 *	those that outlive their request: if most goroutines with the same first function did, one
 *	is a child until it stops running for the first time.
 *
 * The format has events of a goroutine only while it runs. If a child does not run when its request
 * ends, its region ends when the child runs again.
 */
#ifndef GOTAP_SCHED_CHILDREN_H
#define GOTAP_SCHED_CHILDREN_H

#include "sched/state.h"

struct op;

/* The goroutine of @m, which may be NULL, has created @g. */
void child_created(struct model *s, const struct M *m, struct G *g);
/* The goroutine of @m, a child, runs. */
void child_runs(struct model *s, struct M *m);
/* It is about to block, or to give up its P. */
void child_stops(struct model *s, struct M *m);
/* It is about to end. */
void child_ends(struct model *s, struct M *m);
/* The goroutine of @m wakes @g, and one of them is a child. */
void child_wakes(struct model *s, struct M *m, struct G *g);
/* The task of the open request of which @g is a child; 0: of none. */
uint64_t child_task(const struct G *g);
/* The goroutine is dropped, and may be a child. */
void child_drop(struct G *g);

/* The request @op ends: so do the regions of its children that run. */
void children_end(struct model *s, struct op *op);
/* The name of @op is final. */
void children_name(struct model *s, struct op *op);
/* @op is forgotten: its children, if there are any left, have no request. */
void children_forget(struct op *op);

#endif
